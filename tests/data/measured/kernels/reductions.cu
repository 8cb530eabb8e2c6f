/* Reductions: templated block size with an unrolled last warp, cooperative groups, several results at once */
#include <stdio.h>
#include <stdlib.h>
#include <float.h>
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

static void checkErr(cudaError_t err, const char* file, const int line) {
    if (cudaSuccess != err) {
        fprintf(stderr, "%s(%i) : CUDA error : %s.\n", file, line, cudaGetErrorString(err));
        exit(-1);
    }
}
#define checkCudaErrors(err) checkErr(err, __FILE__, __LINE__)

template <class T>
struct SharedMemory {
    __device__ inline operator T*() {
        extern __shared__ int __smem[];
        return (T*)__smem;
    }
    __device__ inline operator const T*() const {
        extern __shared__ int __smem[];
        return (T*)__smem;
    }
};

template <unsigned int blockSize>
__device__ void warpReduce(volatile float* sdata, unsigned int tid) {
    if (blockSize >= 64) sdata[tid] += sdata[tid + 32];
    if (blockSize >= 32) sdata[tid] += sdata[tid + 16];
    if (blockSize >= 16) sdata[tid] += sdata[tid + 8];
    if (blockSize >= 8) sdata[tid] += sdata[tid + 4];
    if (blockSize >= 4) sdata[tid] += sdata[tid + 2];
    if (blockSize >= 2) sdata[tid] += sdata[tid + 1];
}

template <unsigned int blockSize>
__global__ void reduce6(const float* g_idata, float* g_odata, unsigned int n) {
    extern __shared__ float sdata[];
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * (blockSize * 2) + tid;
    unsigned int gridSize = blockSize * 2 * gridDim.x;
    sdata[tid] = 0;

    while (i < n) {
        sdata[tid] += g_idata[i] + g_idata[i + blockSize];
        i += gridSize;
    }
    __syncthreads();

    if (blockSize >= 512) { if (tid < 256) { sdata[tid] += sdata[tid + 256]; } __syncthreads(); }
    if (blockSize >= 256) { if (tid < 128) { sdata[tid] += sdata[tid + 128]; } __syncthreads(); }
    if (blockSize >= 128) { if (tid < 64) { sdata[tid] += sdata[tid + 64]; } __syncthreads(); }

    if (tid < 32) warpReduce<blockSize>(sdata, tid);
    if (tid == 0) g_odata[blockIdx.x] = sdata[0];
}

template <class T>
__global__ void reduceCG(const T* in, T* out, unsigned int n) {
    cg::thread_block cta = cg::this_thread_block();
    T* sdata = SharedMemory<T>();
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    T mySum = (i < n) ? in[i] : 0;
    sdata[tid] = mySum;
    cg::sync(cta);
    for (unsigned int s = blockDim.x / 2; s > 32; s >>= 1) {
        if (tid < s) {
            sdata[tid] = mySum = mySum + sdata[tid + s];
        }
        cg::sync(cta);
    }
    cg::thread_block_tile<32> tile32 = cg::tiled_partition<32>(cta);
    if (cta.thread_rank() < 32) {
        if (blockDim.x >= 64) mySum += sdata[tid + 32];
        for (int offset = tile32.size() / 2; offset > 0; offset /= 2) {
            mySum += tile32.shfl_down(mySum, offset);
        }
    }
    if (cta.thread_rank() == 0) out[blockIdx.x] = mySum;
}

struct MinMax {
    float lo, hi;
    int where;
    int pad;
};

__global__ void minMaxArg(const float* x, MinMax* result, int n) {
    __shared__ float lo[128], hi[128];
    __shared__ int arg[128];
    const int t = threadIdx.x;
    float mn = FLT_MAX, mx = -FLT_MAX;
    int best = -1;
    for (int i = blockIdx.x * blockDim.x + t; i < n; i += blockDim.x * gridDim.x) {
        float v = x[i];
        if (v > mx) {
            mx = v;
            best = i;
        }
        mn = fminf(mn, v);
    }
    lo[t] = mn;
    hi[t] = mx;
    arg[t] = best;
    __syncthreads();
    for (int s = 64; s; s >>= 1) {
        if (t < s) {
            lo[t] = fminf(lo[t], lo[t + s]);
            if (hi[t + s] > hi[t]) {
                hi[t] = hi[t + s];
                arg[t] = arg[t + s];
            }
        }
        __syncthreads();
    }
    if (t == 0) {
        MinMax r;
        r.lo = lo[0];
        r.hi = hi[0];
        r.where = arg[0];
        r.pad = 0;
        result[blockIdx.x] = r;
    }
}

__global__ void dotAtomic(const double* a, const double* b, double* result, int n) {
    __shared__ double cache[192];
    int tid = threadIdx.x + blockIdx.x * blockDim.x;
    int cacheIndex = threadIdx.x;
    double temp = 0;
    while (tid < n) {
        temp += a[tid] * b[tid];
        tid += blockDim.x * gridDim.x;
    }
    cache[cacheIndex] = temp;
    __syncthreads();
    if (cacheIndex < 64) cache[cacheIndex] += cache[cacheIndex + 64] + cache[cacheIndex + 128];
    __syncthreads();
    int i = 32;
    while (i != 0) {
        if (cacheIndex < i) cache[cacheIndex] += cache[cacheIndex + i];
        __syncthreads();
        i /= 2;
    }
    if (cacheIndex == 0) atomicAdd(result, cache[0]);
}

static float sumOf(const float* d, int n) {
    float* h = (float*)malloc(n * sizeof(float));
    checkCudaErrors(cudaGetLastError());
    checkCudaErrors(cudaMemcpy(h, d, n * sizeof(float), cudaMemcpyDeviceToHost));
    float s = 0;
    for (int i = 0; i < n; i++) s += h[i];
    free(h);
    return s;
}

template <unsigned int threads>
static void launchReduce6(const float* in, float* out, unsigned int n, int blocks) {
    dim3 dimBlock(threads, 1, 1);
    dim3 dimGrid(blocks, 1, 1);
    int smemSize = (threads <= 32) ? 2 * threads * sizeof(float) : threads * sizeof(float);
    reduce6<threads><<<dimGrid, dimBlock, smemSize>>>(in, out, n);
}

int main(int argc, char** argv) {
    const unsigned int n = 1 << 18;
    float* h = (float*)malloc(n * sizeof(float));
    float want = 0;
    for (unsigned int i = 0; i < n; i++) {
        h[i] = (float)(i % 8);
        want += h[i];
    }
    float *d_in, *d_out;
    checkCudaErrors(cudaMalloc((void**)&d_in, n * sizeof(float)));
    checkCudaErrors(cudaMalloc((void**)&d_out, n * sizeof(float)));
    checkCudaErrors(cudaMemcpy(d_in, h, n * sizeof(float), cudaMemcpyHostToDevice));
    bool ok = true;

    launchReduce6<128>(d_in, d_out, n, 64);
    ok = ok && sumOf(d_out, 64) == want;
    launchReduce6<512>(d_in, d_out, n, 32);
    ok = ok && sumOf(d_out, 32) == want;
    printf("reduce6 %s\n", ok ? "pass" : "fail");

    reduceCG<float><<<n / 256, 256, 256 * sizeof(float)>>>(d_in, d_out, n);
    ok = ok && sumOf(d_out, n / 256) == want;
    printf("reduceCG %s\n", ok ? "pass" : "fail");

    MinMax *d_mm, mm[40];
    checkCudaErrors(cudaMalloc((void**)&d_mm, sizeof(mm)));
    minMaxArg<<<40, 128>>>(d_in, d_mm, n - 5);
    checkCudaErrors(cudaMemcpy(mm, d_mm, sizeof(mm), cudaMemcpyDeviceToHost));
    for (int b = 0; b < 40; b++) ok = ok && mm[b].lo == 0 && mm[b].hi == 7 && mm[b].where % 8 == 7;
    printf("minMaxArg %s\n", ok ? "pass" : "fail");

    const int m = 90000;
    double* hd = (double*)malloc(m * sizeof(double));
    double dot = 0, got;
    for (int i = 0; i < m; i++) {
        hd[i] = i % 3;
        dot += hd[i] * hd[i];
    }
    double *d_a, *d_r;
    checkCudaErrors(cudaMalloc((void**)&d_a, m * sizeof(double)));
    checkCudaErrors(cudaMalloc((void**)&d_r, sizeof(double)));
    checkCudaErrors(cudaMemcpy(d_a, hd, m * sizeof(double), cudaMemcpyHostToDevice));
    checkCudaErrors(cudaMemset(d_r, 0, sizeof(double)));
    dotAtomic<<<33, 192>>>(d_a, d_a, d_r, m);
    checkCudaErrors(cudaMemcpy(&got, d_r, sizeof(double), cudaMemcpyDeviceToHost));
    ok = ok && got == dot;
    printf("dotAtomic %s\n", ok ? "pass" : "fail");
    puts(ok ? "OK" : "FAIL");
    return ok ? 0 : 1;
}
