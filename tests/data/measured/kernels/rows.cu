// Row-wise normalisations of a (rows x cols) matrix, in the manner of transformer inference code.
#include <cuda_runtime.h>
#include <cfloat>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define cudaCheck(err) (cuda_check(err, __FILE__, __LINE__))
#define CEIL_DIV(M, N) (((M) + (N) - 1) / (N))

void cuda_check(cudaError_t error, const char* file, int line) {
    if (error != cudaSuccess) {
        printf("[CUDA ERROR] at file %s:%d:\n%s\n", file, line, cudaGetErrorString(error));
        exit(EXIT_FAILURE);
    }
}

__device__ __forceinline__ float warpReduceMax(float val) {
    for (int offset = 16; offset > 0; offset /= 2) {
        val = fmaxf(val, __shfl_down_sync(0xFFFFFFFF, val, offset));
    }
    return val;
}

__device__ __forceinline__ float warpReduceSum(float val) {
    for (int offset = 16; offset > 0; offset /= 2) {
        val += __shfl_down_sync(0xFFFFFFFF, val, offset);
    }
    return val;
}

// one thread, one row
__global__ void softmax_forward_kernel1(float* out, const float* inp, int N, int C) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        const float* inp_row = inp + i * C;
        float* out_row = out + i * C;

        float maxval = -INFINITY;
        for (int j = 0; j < C; j++) {
            if (inp_row[j] > maxval) {
                maxval = inp_row[j];
            }
        }
        float sum = 0.0f;
        for (int j = 0; j < C; j++) {
            float e = expf(inp_row[j] - maxval);
            out_row[j] = e;
            sum += e;
        }
        float norm = 1.f / sum;
        for (int j = 0; j < C; j++) {
            out_row[j] *= norm;
        }
    }
}

// one block, one row, tree reductions in shared memory
__global__ void softmax_forward_kernel2(float* out, const float* inp, int N, int C) {
    extern __shared__ float shared[];
    int idx = blockIdx.x;
    int tid = threadIdx.x;
    int block_size = blockDim.x;
    const float* x = inp + idx * C;
    float maxval = -INFINITY;
    for (int i = tid; i < C; i += block_size) {
        maxval = fmaxf(maxval, x[i]);
    }
    shared[tid] = maxval;
    __syncthreads();
    for (int stride = block_size / 2; stride >= 1; stride /= 2) {
        __syncthreads();
        if (tid < stride) {
            shared[tid] = fmaxf(shared[tid], shared[tid + stride]);
        }
    }
    __syncthreads();
    float offset = shared[0];
    for (int i = tid; i < C; i += block_size) {
        out[idx * C + i] = expf(x[i] - offset);
    }
    __syncthreads();
    x = out + idx * C;
    float sumval = 0.0f;
    for (int i = tid; i < C; i += block_size) {
        sumval += x[i];
    }
    shared[tid] = sumval;
    __syncthreads();
    for (int stride = block_size / 2; stride >= 1; stride /= 2) {
        __syncthreads();
        if (tid < stride) {
            shared[tid] += shared[tid + stride];
        }
    }
    __syncthreads();
    float sum = shared[0];
    for (int i = tid; i < C; i += block_size) {
        out[idx * C + i] = x[i] / sum;
    }
}

// one warp, one row
__global__ void softmax_forward_kernel3(float* out, const float* inp, int N, int C) {
    int lane = threadIdx.x % 32;
    int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    if (row >= N) return;
    const float* x = inp + row * C;

    float maxval = -FLT_MAX;
    for (int i = lane; i < C; i += 32) {
        float v = x[i];
        maxval = fmaxf(maxval, v);
    }
    maxval = warpReduceMax(maxval);
    float offset = __shfl_sync(0xFFFFFFFF, maxval, 0);

    float sum = 0.f;
    for (int i = lane; i < C; i += 32) {
        float v = expf(x[i] - offset);
        out[row * C + i] = v;
        sum += v;
    }
    sum = warpReduceSum(sum);
    sum = __shfl_sync(0xFFFFFFFF, sum, 0);
    for (int i = lane; i < C; i += 32) {
        out[row * C + i] /= sum;
    }
}

__global__ void layernorm_forward(float* __restrict__ out, float* __restrict__ mean, float* __restrict__ rstd,
                                  const float* __restrict__ inp, const float* __restrict__ weight,
                                  const float* __restrict__ bias, int N, int C) {
    __shared__ float red[32];
    const int row = blockIdx.x;
    const int warp = threadIdx.x / 32, lane = threadIdx.x & 31;
    const float* x = inp + row * C;

    float s = 0.0f;
    for (int i = threadIdx.x; i < C; i += blockDim.x) s += x[i];
    s = warpReduceSum(s);
    if (lane == 0) red[warp] = s;
    __syncthreads();
    if (warp == 0) {
        s = lane < blockDim.x / 32 ? red[lane] : 0.0f;
        s = warpReduceSum(s);
        if (lane == 0) red[0] = s;
    }
    __syncthreads();
    const float m = red[0] / C;
    __syncthreads();

    float v = 0.0f;
    for (int i = threadIdx.x; i < C; i += blockDim.x) {
        float d = x[i] - m;
        v += d * d;
    }
    v = warpReduceSum(v);
    if (lane == 0) red[warp] = v;
    __syncthreads();
    if (warp == 0) {
        v = lane < blockDim.x / 32 ? red[lane] : 0.0f;
        v = warpReduceSum(v);
        if (lane == 0) red[0] = v;
    }
    __syncthreads();
    const float r = rsqrtf(red[0] / C + 1e-5f);

    if (threadIdx.x == 0) {
        mean[row] = m;
        rstd[row] = r;
    }
    for (int c = threadIdx.x; c < C; c += blockDim.x) {
        float n = r * (x[c] - m);
        out[row * C + c] = n * weight[c] + bias[c];
    }
}

__global__ void rmsnorm_float4(float4* out, const float4* inp, const float4* weight, int C4) {
    const int row = blockIdx.x * blockDim.y + threadIdx.y;
    float ss = 0.0f;
    for (int c = threadIdx.x; c < C4; c += 32) {
        float4 v = inp[row * C4 + c];
        ss += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
    }
#pragma unroll
    for (int mask = 16; mask; mask >>= 1) ss += __shfl_xor_sync(0xffffffffu, ss, mask);
    const float scale = rsqrtf(ss / (4 * C4) + 1e-6f);
    for (int c = threadIdx.x; c < C4; c += 32) {
        float4 v = inp[row * C4 + c];
        float4 w = weight[c];
        v.x *= scale * w.x;
        v.y *= scale * w.y;
        v.z *= scale * w.z;
        v.w *= scale * w.w;
        out[row * C4 + c] = v;
    }
}

static bool close(const std::vector<float>& a, const std::vector<double>& b) {
    for (size_t i = 0; i < a.size(); i++)
        if (std::fabs(a[i] - b[i]) > 2e-4 * (1 + std::fabs(b[i]))) return false;
    return true;
}

int main() {
    const int N = 512, C = 500;
    std::vector<float> inp(N * C), w(C), b(C), out(N * C);
    for (int i = 0; i < N * C; i++) inp[i] = ((i * 37) % 113) / 40.0f - 1.0f;
    for (int c = 0; c < C; c++) w[c] = 1.0f + (c % 5) * 0.1f, b[c] = (c % 7) * 0.05f;
    std::vector<double> soft(N * C), norm(N * C), rms(N * C);
    for (int r = 0; r < N; r++) {
        double mx = -1e30, s = 0, m = 0, q = 0, ss = 0;
        for (int c = 0; c < C; c++) mx = std::fmax(mx, inp[r * C + c]);
        for (int c = 0; c < C; c++) {
            double v = inp[r * C + c];
            s += std::exp(v - mx), m += v, ss += v * v;
        }
        m /= C;
        for (int c = 0; c < C; c++) q += (inp[r * C + c] - m) * (inp[r * C + c] - m);
        for (int c = 0; c < C; c++) {
            soft[r * C + c] = std::exp(inp[r * C + c] - mx) / s;
            norm[r * C + c] = (inp[r * C + c] - m) / std::sqrt(q / C + 1e-5) * w[c] + b[c];
            rms[r * C + c] = inp[r * C + c] / std::sqrt(ss / C + 1e-6) * w[c];
        }
    }

    float *d_out, *d_inp, *d_w, *d_b, *d_mean, *d_rstd;
    cudaCheck(cudaMalloc(&d_out, N * C * sizeof(float)));
    cudaCheck(cudaMalloc(&d_inp, N * C * sizeof(float)));
    cudaCheck(cudaMalloc(&d_w, C * sizeof(float)));
    cudaCheck(cudaMalloc(&d_b, C * sizeof(float)));
    cudaCheck(cudaMalloc(&d_mean, N * sizeof(float)));
    cudaCheck(cudaMalloc(&d_rstd, N * sizeof(float)));
    cudaCheck(cudaMemcpy(d_inp, inp.data(), N * C * sizeof(float), cudaMemcpyHostToDevice));
    cudaCheck(cudaMemcpy(d_w, w.data(), C * sizeof(float), cudaMemcpyHostToDevice));
    cudaCheck(cudaMemcpy(d_b, b.data(), C * sizeof(float), cudaMemcpyHostToDevice));

    int status = 0;
    auto validate = [&](const char* what, const std::vector<double>& want) {
        cudaCheck(cudaGetLastError());
        cudaCheck(cudaMemcpy(out.data(), d_out, N * C * sizeof(float), cudaMemcpyDeviceToHost));
        bool ok = close(out, want);
        printf("%s %s\n", what, ok ? "OK" : "MISMATCH");
        if (!ok) status = 1;
    };

    int block_size = 64;
    softmax_forward_kernel1<<<CEIL_DIV(N, block_size), block_size>>>(d_out, d_inp, N, C);
    validate("softmax 1", soft);
    block_size = 128;
    softmax_forward_kernel2<<<N, block_size, block_size * sizeof(float)>>>(d_out, d_inp, N, C);
    validate("softmax 2", soft);
    softmax_forward_kernel3<<<CEIL_DIV(N * 32, block_size), block_size>>>(d_out, d_inp, N, C);
    validate("softmax 3", soft);
    layernorm_forward<<<N, 256>>>(d_out, d_mean, d_rstd, d_inp, d_w, d_b, N, C);
    validate("layernorm", norm);
    rmsnorm_float4<<<N / 4, dim3(32, 4)>>>((float4*)d_out, (const float4*)d_inp, (const float4*)d_w, C / 4);
    validate("rmsnorm", rms);
    printf("%s\n", status ? "FAIL" : "OK");
    return status;
}
