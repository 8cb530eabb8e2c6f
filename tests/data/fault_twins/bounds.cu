#include "common.h"
#define TILE 16
__constant__ float taps[9];
__device__ int hist_dev[64];
__device__ unsigned counters[8];

// convolution halo: 2 * R more columns are needed
__global__ void b_halo(const float *in, float *out, int n) {
    __shared__ float s[128 + 4];
    int t = threadIdx.x, g = blockIdx.x * 128 + t;
    s[t + 4] = in[g];
    if (t < 4) { s[t] = g >= 4 ? in[g - 4] : 0.f; s[t + 132] = g + 128 < n ? in[g + 128] : 0.f; }
    __syncthreads();
    float a = 0;
    for (int k = -4; k <= 4; k++) a += s[t + 4 + k] * taps[k + 4];
    out[g] = a;
}
__global__ void g_halo(const float *in, float *out, int n) {
    __shared__ float s[128 + 8];
    int t = threadIdx.x, g = blockIdx.x * 128 + t;
    s[t + 4] = in[g];
    if (t < 4) { s[t] = g >= 4 ? in[g - 4] : 0.f; s[t + 132] = g + 128 < n ? in[g + 128] : 0.f; }
    __syncthreads();
    float a = 0;
    for (int k = -4; k <= 4; k++) a += s[t + 4 + k] * taps[k + 4];
    out[g] = a;
}
// constant table read past its end
__global__ void b_taps(float *out) {
    float a = 0;
    #pragma unroll
    for (int k = 0; k <= 9; ++k) a += taps[k] * threadIdx.x;
    out[blockIdx.x * blockDim.x + threadIdx.x] = a;
}
__global__ void g_taps(float *out) {
    float a = 0;
    #pragma unroll
    for (int k = 0; k < 9; ++k) a += taps[k] * threadIdx.x;
    out[blockIdx.x * blockDim.x + threadIdx.x] = a;
}
// __device__ array by warp number: 12 warps, 8 counters
__global__ void b_devcount() { if (threadIdx.x % 32 == 0) atomicAdd(&counters[threadIdx.x / 32], 1u); }
__global__ void g_devcount() { if (threadIdx.x % 32 == 0) atomicAdd(&counters[(threadIdx.x / 32) % 8], 1u); }
// data picks the bin: byte values, 64 bins
__global__ void b_bins(const unsigned char *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&hist_dev[in[i]], 1);
}
__global__ void g_bins(const unsigned char *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&hist_dev[in[i] >> 2], 1);
}
// row overflow in padded tile: column t+1 of 16 columns
__global__ void b_row(const float *in, float *out) {
    __shared__ float t[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y;
    t[y][x] = in[y * TILE + x];
    __syncthreads();
    out[y * TILE + x] = y < TILE - 1 ? t[y][x + 1] - t[y][x] : 0;
}
__global__ void g_row(const float *in, float *out) {
    __shared__ float t[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y;
    t[y][x] = in[y * TILE + x];
    __syncthreads();
    out[y * TILE + x] = x < TILE - 1 ? t[y][x + 1] - t[y][x] : 0;
}
// one partial per warp: 1024 threads, 16 slots
__global__ void b_partials(const float *in, float *out) {
    __shared__ float part[16];
    float v = in[blockIdx.x * blockDim.x + threadIdx.x];
    for (int o = 16; o; o >>= 1) v += __shfl_down_sync(~0u, v, o);
    if ((threadIdx.x & 31) == 0) part[threadIdx.x >> 5] = v;
    __syncthreads();
    if (threadIdx.x < 16) atomicAdd(out, part[threadIdx.x]);
}
__global__ void g_partials(const float *in, float *out) {
    __shared__ float part[32];
    float v = in[blockIdx.x * blockDim.x + threadIdx.x];
    for (int o = 16; o; o >>= 1) v += __shfl_down_sync(~0u, v, o);
    if ((threadIdx.x & 31) == 0) part[threadIdx.x >> 5] = v;
    __syncthreads();
    if (threadIdx.x < 32) atomicAdd(out, part[threadIdx.x]);
}
// local array: sorted insertion writes index k of k elements
template <int K> __device__ void insert_sorted(float (&a)[K], float v, int last) {
    int i = last;
    #pragma unroll
    for (int k = K; k > 0; --k) if (a[k - 1] > v) { a[k] = a[k - 1]; i = k - 1; }
    a[i < K ? i : K - 1] = v;
}
template <int K> __device__ void insert_ok(float (&a)[K], float v) {
    if (v >= a[K - 1]) return;
    a[K - 1] = v;
    #pragma unroll
    for (int k = K - 1; k > 0; --k) if (a[k - 1] > a[k]) { float x = a[k]; a[k] = a[k - 1]; a[k - 1] = x; }
}
__global__ void b_topk(const float *in, float *out, int n) {
    float best[8];
    for (int k = 0; k < 8; k++) best[k] = 1e30f;
    for (int i = threadIdx.x; i < n; i += blockDim.x) insert_sorted<8>(best, in[i], 7);
    for (int k = 0; k < 8; k++) out[threadIdx.x * 8 + k] = best[k];
}
__global__ void g_topk(const float *in, float *out, int n) {
    float best[8];
    for (int k = 0; k < 8; k++) best[k] = 1e30f;
    for (int i = threadIdx.x; i < n; i += blockDim.x) insert_ok<8>(best, in[i]);
    for (int k = 0; k < 8; k++) out[threadIdx.x * 8 + k] = best[k];
}
// dynamic bytes: two arrays carved, launch gives one
__global__ void b_dyn(const float *in, float *out) {
    extern __shared__ float dyn[];
    float *a = dyn, *b = dyn + blockDim.x;
    a[threadIdx.x] = in[threadIdx.x]; b[threadIdx.x] = in[threadIdx.x + blockDim.x];
    __syncthreads();
    out[threadIdx.x] = a[blockDim.x - 1 - threadIdx.x] + b[threadIdx.x ^ 1];
}
__global__ void g_dyn(const float *in, float *out) {
    extern __shared__ float dyn[];
    float *a = dyn, *b = dyn + blockDim.x;
    a[threadIdx.x] = in[threadIdx.x]; b[threadIdx.x] = in[threadIdx.x + blockDim.x];
    __syncthreads();
    out[threadIdx.x] = a[blockDim.x - 1 - threadIdx.x] + b[threadIdx.x ^ 1];
}
// parts carved that overlap: the keys take n * 4 bytes, values begin at n bytes
__global__ void b_carve(const int *in, double *out, int n) {
    extern __shared__ __align__(16) unsigned char raw[];
    int *keys = reinterpret_cast<int *>(raw);
    double *vals = reinterpret_cast<double *>(raw + n);
    int t = threadIdx.x;
    keys[t] = in[t]; __syncthreads();
    vals[t] = in[t] * 0.5; __syncthreads();
    out[t] = vals[keys[t] & 63] + keys[n - 1 - t];
}
__global__ void g_carve(const int *in, double *out, int n) {
    extern __shared__ __align__(16) unsigned char raw[];
    int *keys = reinterpret_cast<int *>(raw);
    double *vals = reinterpret_cast<double *>(raw + n * sizeof(int));
    int t = threadIdx.x;
    keys[t] = in[t]; __syncthreads();
    vals[t] = in[t] * 0.5; __syncthreads();
    out[t] = vals[keys[t] & 63] + keys[n - 1 - t];
}
int main(int argc, char **argv) {
    float *f, *o; double *d; int *k; unsigned char *c;
    MUST(cudaMalloc(&f, 1 << 20)); MUST(cudaMalloc(&o, 1 << 20)); MUST(cudaMalloc(&d, 1 << 20)); MUST(cudaMalloc(&k, 1 << 20)); MUST(cudaMalloc(&c, 1 << 20));
    MUST(cudaMemset(f, 0, 1 << 20)); MUST(cudaMemset(o, 0, 1 << 20)); MUST(cudaMemset(k, 0, 1 << 20)); MUST(cudaMemset(c, 200, 1 << 20));
    if (wanted(argc, argv, "b_halo")) { b_halo<<<8, 128>>>(f, o, 1024); done("b_halo"); }
    if (wanted(argc, argv, "g_halo")) { g_halo<<<8, 128>>>(f, o, 1024); done("g_halo"); }
    if (wanted(argc, argv, "b_taps")) { b_taps<<<4, 64>>>(o); done("b_taps"); }
    if (wanted(argc, argv, "g_taps")) { g_taps<<<4, 64>>>(o); done("g_taps"); }
    if (wanted(argc, argv, "b_devcount")) { b_devcount<<<2, 384>>>(); done("b_devcount"); }
    if (wanted(argc, argv, "g_devcount")) { g_devcount<<<2, 384>>>(); done("g_devcount"); }
    if (wanted(argc, argv, "b_bins")) { b_bins<<<8, 256>>>(c, 2000); done("b_bins"); }
    if (wanted(argc, argv, "g_bins")) { g_bins<<<8, 256>>>(c, 2000); done("g_bins"); }
    if (wanted(argc, argv, "b_row")) { b_row<<<1, dim3(16, 16)>>>(f, o); done("b_row"); }
    if (wanted(argc, argv, "g_row")) { g_row<<<1, dim3(16, 16)>>>(f, o); done("g_row"); }
    if (wanted(argc, argv, "b_partials")) { b_partials<<<4, 1024>>>(f, o); done("b_partials"); }
    if (wanted(argc, argv, "g_partials")) { g_partials<<<4, 1024>>>(f, o); done("g_partials"); }
    if (wanted(argc, argv, "b_topk")) { b_topk<<<1, 64>>>(f, o, 1000); done("b_topk"); }
    if (wanted(argc, argv, "g_topk")) { g_topk<<<1, 64>>>(f, o, 1000); done("g_topk"); }
    if (wanted(argc, argv, "b_dyn")) { b_dyn<<<1, 256, 256 * sizeof(float)>>>(f, o); done("b_dyn"); }
    if (wanted(argc, argv, "g_dyn")) { g_dyn<<<1, 256, 2 * 256 * sizeof(float)>>>(f, o); done("g_dyn"); }
    if (wanted(argc, argv, "b_carve")) { b_carve<<<1, 64, 64 * 12>>>(k, d, 64); done("b_carve"); }
    if (wanted(argc, argv, "g_carve")) { g_carve<<<1, 64, 64 * 12>>>(k, d, 64); done("g_carve"); }
    return 0;
}
