#include <cstdio>
#include <vector>
#include <cuda_fp16.h>
#include <cuda_bf16.h>

__device__ __forceinline__ float warp_max(float v) {
#pragma unroll
    for (int d = 16; d > 0; d >>= 1) v = fmaxf(v, __shfl_xor_sync(0xffffffff, v, d));
    return v;
}
__device__ __forceinline__ float warp_sum(float v) {
#pragma unroll
    for (int d = 16; d > 0; d >>= 1) v += __shfl_xor_sync(0xffffffff, v, d);
    return v;
}
__device__ float block_sum(float v, float *scratch) {
    v = warp_sum(v);
    if ((threadIdx.x & 31) == 0) scratch[threadIdx.x >> 5] = v;
    __syncthreads();
    v = threadIdx.x < blockDim.x / 32 ? scratch[threadIdx.x] : 0.f;
    if (threadIdx.x < 32) v = warp_sum(v);
    if (threadIdx.x == 0) scratch[0] = v;
    __syncthreads();
    v = scratch[0];
    __syncthreads();
    return v;
}
__global__ void softmax_row(const float *in, float *out, int cols) {
    const float *x = in + blockIdx.x * cols;
    float *y = out + blockIdx.x * cols;
    int lane = threadIdx.x;
    float m = -1e30f;
    for (int c = lane; c < cols; c += 32) m = fmaxf(m, x[c]);
    m = warp_max(m);
    float s = 0;
    for (int c = lane; c < cols; c += 32) {
        float e = __expf(x[c] - m);
        y[c] = e;
        s += e;
    }
    s = 1.f / warp_sum(s);
    for (int c = lane; c < cols; c += 32) y[c] *= s;
}
__global__ void layernorm(const float *x, const float *g, const float *b, float *y, int n, float eps) {
    __shared__ float scratch[32];
    const float *row = x + (size_t)blockIdx.x * n;
    float s = 0, q = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        float v = row[i];
        s += v;
        q += v * v;
    }
    float mean = block_sum(s, scratch) / n;
    float var = block_sum(q, scratch) / n - mean * mean;
    float inv = rsqrtf(var + eps);
    for (int i = threadIdx.x; i < n; i += blockDim.x) y[(size_t)blockIdx.x * n + i] = (row[i] - mean) * inv * g[i] + b[i];
}
__global__ void gelu4(const float4 *in, float4 *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 v = in[i];
    auto f = [](float x) { return 0.5f * x * (1.f + tanhf(0.79788456f * (x + 0.044715f * x * x * x))); };
    out[i] = make_float4(f(v.x), f(v.y), f(v.z), f(v.w));
}
__global__ void embedding(const int *ids, const half *table, half *out, int dim, int tokens) {
    int token = blockIdx.x * blockDim.y + threadIdx.y;
    if (token >= tokens) return;
    int id = ids[token];
    for (int d = threadIdx.x; d < dim; d += blockDim.x) out[token * dim + d] = table[id * dim + d];
}
__global__ void cross_entropy(const float *logits, const int *labels, float *loss, int classes) {
    int row = blockIdx.x;
    float m = -1e30f, s = 0;
    for (int c = threadIdx.x; c < classes; c += 32) m = fmaxf(m, logits[row * classes + c]);
    m = warp_max(m);
    for (int c = threadIdx.x; c < classes; c += 32) s += expf(logits[row * classes + c] - m);
    s = warp_sum(s);
    if (threadIdx.x == 0) loss[row] = logf(s) + m - logits[row * classes + labels[row]];
}
template <int D> __global__ void decode_attention(const half2 *q, const half2 *k, const half2 *v, half2 *o, int len) {
    __shared__ float scores[128];
    int head = blockIdx.x, lane = threadIdx.x & 31, warp = threadIdx.x >> 5, warps = blockDim.x >> 5;
    half2 mine = q[head * (D / 2) + lane];
    for (int t = warp; t < len; t += warps) {
        half2 p = __hmul2(mine, k[(t * gridDim.x + head) * (D / 2) + lane]);
        float dot = warp_sum(__low2float(p) + __high2float(p));
        if (lane == 0) scores[t] = dot * 0.125f;
    }
    __syncthreads();
    float m = -1e30f;
    for (int t = 0; t < len; t++) m = fmaxf(m, scores[t]);
    if (warp == 0) {
        float2 acc = {0, 0};
        float total = 0;
        for (int t = 0; t < len; t++) {
            float w = __expf(scores[t] - m);
            float2 f = __half22float2(v[(t * gridDim.x + head) * (D / 2) + lane]);
            acc.x += w * f.x;
            acc.y += w * f.y;
            total += w;
        }
        o[head * (D / 2) + lane] = __floats2half2_rn(acc.x / total, acc.y / total);
    }
}
__global__ void adam(float *p, const float *g, float *m, float *v, int n, float lr, float b1, float b2, float eps, float c1, float c2) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        float gi = g[i];
        float mi = m[i] = b1 * m[i] + (1.0 - b1) * gi;
        float vi = v[i] = b2 * v[i] + (1 - b2) * gi * gi;
        p[i] -= lr * (mi / c1) / (sqrtf(vi / c2) + eps);
    }
}
__global__ void max_pool_index(const float *in, float *out, int *where, int c, int h, int w, int oh, int ow) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= c * oh * ow) return;
    int ox = i % ow, oy = (i / ow) % oh, ch = i / ow / oh;
    float best = -1e30f;
    int at = -1;
    for (int ky = 0; ky < 3; ky++)
        for (int kx = 0; kx < 3; kx++) {
            int y = oy * 2 - 1 + ky, x = ox * 2 - 1 + kx;
            if (y < 0 || x < 0 || y >= h || x >= w) continue;
            float v = in[(ch * h + y) * w + x];
            if (v > best) { best = v; at = y * w + x; }
        }
    out[i] = best;
    where[i] = at;
}
__global__ void rotary(half *x, const float2 *cs, int heads, int dim) {
    int token = blockIdx.x, h = blockIdx.y, i = threadIdx.x;
    half *row = x + (token * heads + h) * dim;
    if (i >= dim / 2) return;
    float a = __half2float(row[i]), b = __half2float(row[i + dim / 2]);
    float2 t = cs[token * (dim / 2) + i];
    row[i] = __float2half(a * t.x - b * t.y);
    row[i + dim / 2] = __float2half(a * t.y + b * t.x);
}
__global__ void dequant_int4(const unsigned *packed, const half *scales, const unsigned char *zeros_, half *out, int cols, int group) {
    int row = blockIdx.y, c8 = blockIdx.x * blockDim.x + threadIdx.x;
    if (c8 * 8 >= cols) return;
    unsigned w = packed[row * (cols / 8) + c8];
    int g = c8 * 8 / group;
    half s = scales[row * (cols / group) + g];
    int z = zeros_[row * (cols / group) + g];
#pragma unroll
    for (int k = 0; k < 8; k++) out[row * cols + c8 * 8 + k] = __hmul(s, __int2half_rn((int)((w >> (4 * k)) & 15) - z));
}
__global__ void bias_relu_bf16(__nv_bfloat16 *x, const __nv_bfloat16 *bias, int rows, int cols) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cols) return;
    float b = __bfloat162float(bias[c]);
    for (int r = blockIdx.y; r < rows; r += gridDim.y) {
        float v = __bfloat162float(x[r * cols + c]) + b;
        x[r * cols + c] = __float2bfloat16(v > 0 ? v : 0);
    }
}
__global__ void top2_gate(const float *logits, int *expert, float *weight, int experts) {
    extern __shared__ float row[];
    for (int e = threadIdx.x; e < experts; e += blockDim.x) row[e] = logits[blockIdx.x * experts + e];
    __syncthreads();
    if (threadIdx.x == 0) {
        int a = 0, b = -1;
        for (int e = 1; e < experts; e++) {
            if (row[e] > row[a]) { b = a; a = e; }
            else if (b < 0 || row[e] > row[b]) b = e;
        }
        float wa = expf(row[a]), wb = expf(row[b]);
        expert[2 * blockIdx.x] = a;
        expert[2 * blockIdx.x + 1] = b;
        weight[2 * blockIdx.x] = wa / (wa + wb);
        weight[2 * blockIdx.x + 1] = wb / (wa + wb);
    }
}

static float *floats(size_t n, float scale = 1.0f, float shift = 0.0f) {
    std::vector<float> h(n);
    unsigned s = 12345u;
    for (size_t i = 0; i < n; i++) { s = s * 1664525u + 1013904223u; h[i] = shift + scale * float((s >> 8) & 0xffff) / 65536.0f; }
    float *d;
    cudaMalloc(&d, n * sizeof(float));
    cudaMemcpy(d, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    return d;
}
static __half *halves(size_t n, float scale = 1.0f, float shift = 0.0f) {
    std::vector<__half> h(n);
    unsigned s = 54321u;
    for (size_t i = 0; i < n; i++) { s = s * 1664525u + 1013904223u; h[i] = __float2half(shift + scale * float((s >> 8) & 0xffff) / 65536.0f); }
    __half *d;
    cudaMalloc(&d, n * sizeof(__half));
    cudaMemcpy(d, h.data(), n * sizeof(__half), cudaMemcpyHostToDevice);
    return d;
}
template <typename T> static T *ints(size_t n, unsigned modulus, unsigned step = 7, T first = 0) {
    std::vector<T> h(n);
    for (size_t i = 0; i < n; i++) h[i] = first + T((i * step) % modulus);
    T *d;
    cudaMalloc(&d, n * sizeof(T));
    cudaMemcpy(d, h.data(), n * sizeof(T), cudaMemcpyHostToDevice);
    return d;
}
template <typename T> static T *zeros(size_t n) {
    T *d;
    cudaMalloc(&d, n * sizeof(T));
    cudaMemset(d, 0, n * sizeof(T));
    return d;
}
static int finish(const char *name) {
    cudaError_t e = cudaDeviceSynchronize();
    printf("%s %s\n", name, cudaGetErrorString(e));
    return e != cudaSuccess;
}


int main() {
    softmax_row<<<7, 32>>>(floats(7 * 150), zeros<float>(1050), 150);
    layernorm<<<5, 128>>>(floats(5 * 300), floats(300), floats(300), zeros<float>(1500), 300, 1e-5f);
    gelu4<<<3, 128>>>((float4 *)floats(1200), (float4 *)zeros<float>(1200), 300);
    embedding<<<4, dim3(32, 4)>>>(ints<int>(14, 50, 11), halves(50 * 72), zeros<half>(14 * 72), 72, 14);
    cross_entropy<<<6, 32>>>(floats(6 * 100), ints<int>(6, 100, 17), zeros<float>(6), 100);
    decode_attention<64><<<5, 96>>>((half2 *)halves(5 * 64), (half2 *)halves(5 * 64 * 90), (half2 *)halves(5 * 64 * 90), (half2 *)zeros<half>(5 * 64), 90);
    adam<<<3, 128>>>(floats(700), floats(700), floats(700), floats(700), 700, 1e-3f, 0.9f, 0.99f, 1e-8f, 0.5f, 0.5f);
    max_pool_index<<<5, 96>>>(floats(3 * 21 * 25), zeros<float>(3 * 11 * 13), zeros<int>(3 * 11 * 13), 3, 21, 25, 11, 13);
    rotary<<<dim3(4, 3), 64>>>(halves(4 * 3 * 96), (float2 *)floats(4 * 96), 3, 96);
    dequant_int4<<<dim3(2, 5), 32>>>(ints<unsigned>(5 * 48, 100000), halves(5 * 12), ints<unsigned char>(60, 15), zeros<half>(5 * 384), 384, 32);
    bias_relu_bf16<<<dim3(2, 3), 64>>>((__nv_bfloat16 *)halves(8 * 100), (__nv_bfloat16 *)halves(100), 8, 100);
    top2_gate<<<6, 32, 40 * 4>>>(floats(6 * 40), zeros<int>(12), zeros<float>(12), 40);
    return finish("learning");
}
