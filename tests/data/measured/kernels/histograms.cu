// Origin: written for kernlint.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cfloat>
#include <cmath>
#include <algorithm>
#include <vector>
#include <cuda_runtime.h>
#include <cuda_fp16.h>


#define BINS 64
__global__ void hist_private(const unsigned char *data, unsigned *hist, int n) {
    __shared__ unsigned local[4][BINS];
    for (int i = threadIdx.x; i < 4 * BINS; i += blockDim.x) (&local[0][0])[i] = 0;
    __syncthreads();
    unsigned *mine = local[(threadIdx.x / 32) % 4];
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&mine[data[i] >> 2], 1u);
    __syncthreads();
    if (threadIdx.x < BINS) atomicAdd(&hist[threadIdx.x], local[0][threadIdx.x] + local[1][threadIdx.x] + local[2][threadIdx.x] + local[3][threadIdx.x]);
}
__global__ void hist_thread(const uchar4 *data, unsigned *hist, int quads) {
    __shared__ unsigned char count[16][96];
    for (int b = 0; b < 16; b++) count[b][threadIdx.x] = 0;
    for (int i = threadIdx.x; i < quads; i += 96) {
        uchar4 v = data[blockIdx.x * quads + i];
        count[v.x & 15][threadIdx.x]++;
        count[v.y & 15][threadIdx.x]++;
    }
    __syncthreads();
    if (threadIdx.x < 16) {
        unsigned s = 0;
        for (int t = 0; t < 96; t++) s += count[threadIdx.x][t];
        hist[blockIdx.x * 16 + threadIdx.x] = s;
    }
}
template <int BITS>
__global__ void radix_pass(const unsigned *in, unsigned *out, int shift) {
    constexpr int R = 1 << BITS;
    __shared__ unsigned keys[256], counts[R][256 / 32], starts[R];
    const int t = threadIdx.x, lane = t & 31, warp = t >> 5;
    unsigned key = in[blockIdx.x * 256 + t], digit = (key >> shift) & (R - 1);
    unsigned rank = 0;
#pragma unroll
    for (int d = 0; d < R; d++) {
        unsigned vote = __ballot_sync(~0u, digit == d);
        if (digit == d) rank = __popc(vote & ((1u << lane) - 1));
        if (lane == d) counts[d][warp] = __popc(vote);
    }
    __syncthreads();
    if (t < R) {
        unsigned sum = 0;
        for (int w = 0; w < 8; w++) { unsigned c = counts[t][w]; counts[t][w] = sum; sum += c; }
        unsigned inc = sum;
        for (int d = 1; d < R; d *= 2) { unsigned o = __shfl_up_sync((1u << R) - 1, inc, d); if (t >= d) inc += o; }
        starts[t] = inc - sum;
    }
    __syncthreads();
    keys[starts[digit] + counts[digit][warp] + rank] = key;
    __syncthreads();
    out[blockIdx.x * 256 + t] = keys[t];
}
__global__ void bitonic(float *data, int *index) {
    extern __shared__ int both[];
    float *k = (float *)both;
    int *v = both + blockDim.x;
    int t = threadIdx.x;
    k[t] = data[blockIdx.x * blockDim.x + t];
    v[t] = t;
    for (int size = 2; size <= blockDim.x; size <<= 1)
        for (int stride = size >> 1; stride > 0; stride >>= 1) {
            __syncthreads();
            int other = t ^ stride;
            if (other > t) {
                bool up = (t & size) == 0;
                if ((k[t] > k[other]) == up) {
                    float f = k[t]; k[t] = k[other]; k[other] = f;
                    int i = v[t]; v[t] = v[other]; v[other] = i;
                }
            }
        }
    __syncthreads();
    data[blockIdx.x * blockDim.x + t] = k[t];
    index[blockIdx.x * blockDim.x + t] = v[t];
}
__device__ int lower(const int *a, int n, int key) {
    int lo = 0, hi = n;
    while (lo < hi) { int mid = (lo + hi) >> 1; if (a[mid] < key) lo = mid + 1; else hi = mid; }
    return lo;
}
__global__ void merge_rank(const int *a, const int *b, int *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    c[i + lower(b, n, a[i])] = a[i];
    int j = lower(a, n, b[i] + 1);
    c[i + j] = b[i];
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

    unsigned char *bytes = ints<unsigned char>(20000, 251, 37);
    unsigned *hist = zeros<unsigned>(256);
    hist_private<<<6, 192>>>(bytes, hist, 19999);
    hist_thread<<<5, 96>>>((const uchar4 *)bytes, hist, 200);
    unsigned *keys = ints<unsigned>(1024, 65521, 40503), *sorted = zeros<unsigned>(1024);
    radix_pass<4><<<4, 256>>>(keys, sorted, 4);
    radix_pass<2><<<4, 256>>>(keys, sorted, 0);
    bitonic<<<3, 256, 2048>>>(floats(1024), zeros<int>(1024));
    bitonic<<<1, 1024, 8192>>>(floats(1024), zeros<int>(1024));
    merge_rank<<<4, 96>>>(ints<int>(300, 3000, 10), ints<int>(300, 6000, 9, 3), zeros<int>(700), 300);
    return finish("histograms");
}
