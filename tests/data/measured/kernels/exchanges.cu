// Shared memory permutation heavy kernels: transposes, bitonic sort, FFT, byte histogram.
#include <cstdio>
#include <cuda_runtime.h>

typedef unsigned int uint;

static int failed(const char* w) {
    cudaError_t e = cudaGetLastError();
    if (e == cudaSuccess) return 0;
    fprintf(stderr, "%s -> %s\n", w, cudaGetErrorString(e));
    return 1;
}

__global__ void fill_words(uint* w, float2* z, int nw, int nz) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    uint r = (uint)i * 1664525u + 1013904223u;
    r ^= r << 13;
    r ^= r >> 17;
    r ^= r << 5;
    if (i < nw) w[i] = r;
    if (i < nz) z[i] = make_float2((r & 1023) / 1024.f, ((r >> 10) & 1023) / 1024.f);
}

__global__ void transpose_naive(const float* in, float* out, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) out[x * h + y] = in[y * w + x];
}

// Classic 32x32 tile with 32x8 threads; PAD = 0 shows the bank conflict, PAD = 1 removes it.
template <int PAD>
__global__ void transpose_tile(const float* __restrict__ in, float* __restrict__ out, int w, int h) {
    constexpr int T = 32;
    constexpr int R = 8;
    __shared__ float tile[T][T + PAD];

    int x = blockIdx.x * T + threadIdx.x;
    int y = blockIdx.y * T + threadIdx.y;
#pragma unroll
    for (int j = 0; j < T; j += R)
        if (x < w && y + j < h) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * w + x];
    __syncthreads();

    x = blockIdx.y * T + threadIdx.x;
    y = blockIdx.x * T + threadIdx.y;
#pragma unroll
    for (int j = 0; j < T; j += R)
        if (x < h && y + j < w) out[(y + j) * h + x] = tile[threadIdx.x][threadIdx.y + j];
}

// 32x32 float2 tile with XOR swizzle instead of padding; 1D block of 256.
__global__ void transpose_swizzle(const float2* in, float2* out, int n) {
    __shared__ float2 s[32 * 32];
    const int lane = threadIdx.x & 31;
    const int row = threadIdx.x >> 5;
    const int bx = blockIdx.x * 32, by = blockIdx.y * 32;
    for (int r = row; r < 32; r += 8)
        s[r * 32 + (lane ^ r)] = in[(by + r) * n + bx + lane];
    __syncthreads();
    for (int r = row; r < 32; r += 8)
        out[(bx + r) * n + by + lane] = s[lane * 32 + (r ^ lane)];
}

// Sort 1024 (key, value) pairs per block, ascending.
constexpr int SORT_N = 1024;

__global__ void bitonic_sort_kv(const uint* keys_in, uint* keys_out, uint* vals_out) {
    __shared__ uint key[SORT_N];
    __shared__ uint val[SORT_N];
    const uint t = threadIdx.x;
    const uint base = blockIdx.x * SORT_N;

    key[t] = keys_in[base + t];
    val[t] = base + t;
    key[t + SORT_N / 2] = keys_in[base + t + SORT_N / 2];
    val[t + SORT_N / 2] = base + t + SORT_N / 2;

    for (uint size = 2; size <= SORT_N; size <<= 1) {
        for (uint stride = size / 2; stride > 0; stride >>= 1) {
            __syncthreads();
            uint pos = 2 * t - (t & (stride - 1));
            bool up = (pos & size) == 0;
            uint ka = key[pos], kb = key[pos + stride];
            if ((ka > kb) == up) {
                key[pos] = kb;
                key[pos + stride] = ka;
                uint tmp = val[pos];
                val[pos] = val[pos + stride];
                val[pos + stride] = tmp;
            }
        }
    }
    __syncthreads();
    keys_out[base + t] = key[t];
    vals_out[base + t] = val[t];
    keys_out[base + t + SORT_N / 2] = key[t + SORT_N / 2];
    vals_out[base + t + SORT_N / 2] = val[t + SORT_N / 2];
}

// Radix-2 decimation in time, one transform per block.
template <int LOG2N>
__global__ void fft_radix2(float2* data) {
    constexpr int N = 1 << LOG2N;
    __shared__ float re[N];
    __shared__ float im[N];
    const int t = threadIdx.x;          // N / 2 threads
    float2* z = data + blockIdx.x * N;

    for (int i = t; i < N; i += N / 2) {
        const float2 v = z[i];
        const int j = __brev(i) >> (32 - LOG2N);
        re[j] = v.x;
        im[j] = v.y;
    }
    __syncthreads();

    for (int s = 0; s < LOG2N; ++s) {
        const int half = 1 << s;
        const int k = t & (half - 1);
        const int a = ((t >> s) << (s + 1)) + k;
        const int b = a + half;
        float sn, cs;
        sincospif(-(float)k / half, &sn, &cs);
        const float tr = re[b] * cs - im[b] * sn;
        const float ti = re[b] * sn + im[b] * cs;
        const float ur = re[a], ui = im[a];
        re[a] = ur + tr;
        im[a] = ui + ti;
        re[b] = ur - tr;
        im[b] = ui - ti;
        __syncthreads();
    }

    for (int i = t; i < N; i += N / 2) z[i] = make_float2(re[i], im[i]);
}

// 256-bin byte histogram, one private copy per warp.
#define WARPS 8
__global__ void histogram_bytes(const uint* words, int n, uint* hist) {
    __shared__ uint priv[WARPS][256];
    uint* mine = priv[threadIdx.x / 32];
    for (int i = threadIdx.x; i < WARPS * 256; i += blockDim.x) (&priv[0][0])[i] = 0;
    __syncthreads();

    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        uint w = words[i];
        atomicAdd(mine + (w & 0xff), 1);
        atomicAdd(mine + ((w >> 8) & 0xff), 1);
        atomicAdd(mine + ((w >> 16) & 0xff), 1);
        atomicAdd(mine + (w >> 24), 1);
    }
    __syncthreads();

    uint sum = 0;
    for (int c = 0; c < WARPS; ++c) sum += priv[c][threadIdx.x];
    atomicAdd(&hist[threadIdx.x], sum);
}

int main() {
    const int W = 1000, H = 700;
    constexpr int SQ = 512;
    constexpr int WORDS = 1 << 20;
    constexpr int FFT_LOG = 9;
    constexpr int FFTS = 512;
    static_assert(FFTS << FFT_LOG == SQ * SQ, "buffers are shared");

    uint *words, *keys, *vals, *hist;
    float2 *z, *zt;
    cudaMalloc(&words, WORDS * sizeof(uint));
    cudaMalloc(&keys, WORDS * sizeof(uint));
    cudaMalloc(&vals, WORDS * sizeof(uint));
    cudaMalloc(&hist, 256 * sizeof(uint));
    cudaMalloc(&z, SQ * SQ * sizeof(float2));
    cudaMalloc(&zt, SQ * SQ * sizeof(float2));
    cudaMemset(hist, 0, 256 * sizeof(uint));
    if (failed("alloc")) return 1;

    fill_words<<<WORDS / 256, 256>>>(words, z, WORDS, SQ * SQ);
    if (failed("fill_words")) return 1;

    // bit patterns do not matter for a transpose
    const float* tin = reinterpret_cast<const float*>(words);
    float* tout = reinterpret_cast<float*>(vals);
    transpose_naive<<<dim3((W + 31) / 32, (H + 7) / 8), dim3(32, 8)>>>(tin, tout, W, H);
    if (failed("transpose_naive")) return 1;
    transpose_tile<0><<<dim3((W + 31) / 32, (H + 31) / 32), dim3(32, 8)>>>(tin, tout, W, H);
    if (failed("transpose_tile<0>")) return 1;
    transpose_tile<1><<<dim3((W + 31) / 32, (H + 31) / 32), dim3(32, 8)>>>(tin, tout, W, H);
    if (failed("transpose_tile<1>")) return 1;
    transpose_swizzle<<<dim3(SQ / 32, SQ / 32), 256>>>(z, zt, SQ);
    if (failed("transpose_swizzle")) return 1;
    bitonic_sort_kv<<<256, SORT_N / 2>>>(words, keys, vals);
    if (failed("bitonic_sort_kv")) return 1;
    fft_radix2<FFT_LOG><<<FFTS, 1 << (FFT_LOG - 1)>>>(z);
    if (failed("fft_radix2")) return 1;
    histogram_bytes<<<132, WARPS * 32>>>(words, WORDS, hist);
    if (failed("histogram_bytes")) return 1;
    cudaDeviceSynchronize();
    if (failed("sync")) return 1;

    uint h0 = 0;
    cudaMemcpy(&h0, hist, sizeof(uint), cudaMemcpyDeviceToHost);
    printf("bin 0: %u\n", h0);

    cudaFree(words);
    cudaFree(keys);
    cudaFree(vals);
    cudaFree(hist);
    cudaFree(z);
    cudaFree(zt);
    return 0;
}
