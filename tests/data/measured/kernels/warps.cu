#include <cstdio>
#include <vector>
#include <cuda_fp16.h>
#include <cuda_bf16.h>

__global__ void double_atomics(const double *in, double *sum, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&sum[i % 5], in[i]);
}
__global__ void private_histograms(const int *in, int *bins, int n) {
    __shared__ int local[4][64];
    int warp = threadIdx.x / 32;
    for (int b = threadIdx.x; b < 256; b += blockDim.x) ((int *)local)[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&local[warp][i % 64], in[i]);
    __syncthreads();
    if (threadIdx.x < 64) bins[blockIdx.x * 64 + threadIdx.x] = local[0][threadIdx.x] + local[1][threadIdx.x] + local[2][threadIdx.x] + local[3][threadIdx.x];
}
__device__ float atomic_max_float(float *at, float v) {
    int old = *(int *)at, seen;
    do {
        seen = old;
        old = atomicCAS((int *)at, seen, __float_as_int(fmaxf(v, __int_as_float(seen))));
    } while (old != seen);
    return __int_as_float(old);
}
__global__ void max_cas(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomic_max_float(out + i % 7, in[i]);
}
__global__ void match(const int *keys, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int key = i < n ? keys[i] : -1;
    unsigned same = __match_any_sync(~0u, key);
    if (i < n) out[i] = __popc(same);
}
__global__ void reduce_sync(const int *in, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int s = __reduce_add_sync(~0u, in[i]);
    if (threadIdx.x % 32 == 0) out[i / 32] = s;
}
__global__ void transpose_shuffle(const float *in, float *out) {
    int lane = threadIdx.x;
    float v[4];
    for (int k = 0; k < 4; k++) v[k] = in[blockIdx.x * 128 + k * 32 + lane];
    for (int k = 0; k < 4; k++) v[k] = __shfl_sync(~0u, v[k], (lane + k * 8) % 32);
    for (int k = 0; k < 4; k++) out[blockIdx.x * 128 + lane * 4 + k] = v[k];
}
__global__ void scan_warp(const int *in, int *out, int n) {
    __shared__ int sums[32];
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    int v = i < n ? in[i] : 0;
    for (int d = 1; d < 32; d <<= 1) {
        int o = __shfl_up_sync(~0u, v, d);
        if (lane >= d) v += o;
    }
    if (lane == 31) sums[warp] = v;
    __syncthreads();
    if (warp == 0) {
        int s = lane < blockDim.x / 32 ? sums[lane] : 0;
        for (int d = 1; d < 32; d <<= 1) {
            int o = __shfl_up_sync(~0u, s, d);
            if (lane >= d) s += o;
        }
        sums[lane] = s;
    }
    __syncthreads();
    if (warp > 0) v += sums[warp - 1];
    if (i < n) out[i] = v;
}
__global__ void leader_write(const int *in, int *out, int *cursor, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    bool keep = i < n && in[i] % 3 == 0;
    unsigned mask = __ballot_sync(~0u, keep);
    int base = 0;
    if (lane == 0) base = atomicAdd(cursor, __popc(mask));
    base = __shfl_sync(~0u, base, 0);
    if (keep) out[base + __popc(mask & ((1u << lane) - 1))] = i;
}
__global__ void half_math(const half *a, const half *b, half *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = __hfma(a[i], b[i], __float2half(0.5f));
}
__global__ void half2_math(const half2 *a, const half2 *b, half2 *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = __hadd2(__hmul2(a[i], b[i]), a[n - 1 - i]);
}
__global__ void bf16_sum(const __nv_bfloat162 *in, float *out, int n) {
    float s = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        float2 f = __bfloat1622float2(in[blockIdx.x * n + i]);
        s += f.x + f.y;
    }
    for (int d = 16; d; d >>= 1) s += __shfl_xor_sync(~0u, s, d);
    if (threadIdx.x == 0) out[blockIdx.x] = s;
}
__global__ void quad_reduce(const float *in, float *out, int cols) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 4, q = threadIdx.x % 4;
    float s = 0;
    for (int c = q; c < cols; c += 4) s += in[row * cols + c];
    s += __shfl_xor_sync(~0u, s, 1);
    s += __shfl_xor_sync(~0u, s, 2);
    if (q == 0) out[row] = s;
}
__global__ void gather_rows(const float4 *table, const int *index, float4 *out, int width) {
    int row = index[blockIdx.x];
    for (int c = threadIdx.x; c < width; c += blockDim.x) out[blockIdx.x * width + c] = table[row * width + c];
}
__global__ void scatter_max(const unsigned *keys, unsigned *out, int n) {
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) atomicMax(&out[i & 15], keys[i]);
}
__global__ void unsigned_steps(const float *in, float *out, unsigned n) {
    float s = 0;
    for (unsigned i = threadIdx.x; i < n; i += 64) s += in[blockIdx.x * n + i];
    out[blockIdx.x * blockDim.x + threadIdx.x] = s;
}
__global__ void tile_loop(const float *in, float *out, int n) {
    __shared__ float tile[64];
    float s = 0;
    for (int base = 0; base < n; base += 64) {
        tile[threadIdx.x] = base + threadIdx.x < n ? in[base + threadIdx.x] : 0.f;
        __syncthreads();
        for (int k = 0; k < 64; k += 8) s += tile[(threadIdx.x + k) % 64];
        __syncthreads();
    }
    out[blockIdx.x * 64 + threadIdx.x] = s;
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
    double_atomics<<<3, 96>>>((double *)floats(540), zeros<double>(5), 270);
    private_histograms<<<3, 128>>>(ints<int>(900, 5), zeros<int>(192), 900);
    max_cas<<<3, 96>>>(floats(270), zeros<float>(7), 270);
    match<<<3, 96>>>(ints<int>(270, 9), zeros<int>(270), 270);
    reduce_sync<<<3, 96>>>(ints<int>(288, 9), zeros<int>(9));
    transpose_shuffle<<<3, 32>>>(floats(384), zeros<float>(384));
    scan_warp<<<3, 128>>>(ints<int>(370, 9), zeros<int>(370), 370);
    leader_write<<<3, 96>>>(ints<int>(270, 100), zeros<int>(270), zeros<int>(1), 270);
    half_math<<<3, 96>>>(halves(270), halves(270), zeros<half>(270), 270);
    half2_math<<<3, 96>>>((half2 *)halves(540), (half2 *)halves(540), (half2 *)zeros<half>(540), 270);
    bf16_sum<<<5, 32>>>((__nv_bfloat162 *)halves(1000), zeros<float>(5), 100);
    quad_reduce<<<3, 64>>>(floats(48 * 22), zeros<float>(48), 22);
    gather_rows<<<7, 32>>>((float4 *)floats(40 * 4 * 30), ints<int>(7, 30, 11), (float4 *)zeros<float>(40 * 4 * 7), 40);
    scatter_max<<<2, 96>>>(ints<unsigned>(500, 999), zeros<unsigned>(16), 500);
    unsigned_steps<<<5, 64>>>(floats(700), zeros<float>(320), 100);
    tile_loop<<<3, 64>>>(floats(200), zeros<float>(192), 200);
    return finish("warps");
}
