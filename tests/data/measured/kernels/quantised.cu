// Kernels in the manner of quantised inference and point clouds: packed words, structs of words, tiles that several phases share.
#include <cstdint>
#include <cstdio>
#include <vector>
#include <cuda_fp16.h>

template <typename T, int N> struct Vec {
    T elems[N];
    __device__ T &operator[](int i) { return elems[i]; }
    __device__ const T &operator[](int i) const { return elems[i]; }
};
using I4 = Vec<int, 4>;
using F2 = Vec<float, 2>;

__device__ inline int dequant(int q, int lane) { return ((q >> (4 * (lane & 7))) & 15) - 8; }

// Packed weights pass through shared memory as int4 and are read back as structs of words.
template <int STAGES, int THREADS> __global__ void packed_dot(const int4 *__restrict__ w, const int *__restrict__ x, int *out, int tiles) {
    __shared__ int4 stage[STAGES][THREADS];
    int sum = 0;
    const int4 *mine = w + blockIdx.x * tiles * THREADS + threadIdx.x;
    for (int t = 0; t < tiles; t++) {
        stage[t % STAGES][threadIdx.x] = mine[t * THREADS];
        __syncthreads();
        const I4 q = *reinterpret_cast<const I4 *>(&stage[t % STAGES][threadIdx.x ^ 1]);
        const int xv = x[t * 8 + (threadIdx.x & 7)];
#pragma unroll
        for (int j = 0; j < 4; j++) sum += dequant(q[j], threadIdx.x) * xv;
        __syncthreads();
    }
    out[blockIdx.x * THREADS + threadIdx.x] = sum;
}

// Accumulators that only unrolled counters index, reduced through shared memory inside a branch.
template <int M> __global__ void split_reduce(const float *__restrict__ in, float *out, int pitch) {
    extern __shared__ float4 sh[];
    float acc[M][4] = {};
#pragma unroll
    for (int m = 0; m < M; m++)
#pragma unroll
        for (int j = 0; j < 4; j++) acc[m][j] = in[(blockIdx.x * M + m) * pitch + 128 * j + threadIdx.x];
    const int group = threadIdx.x / 32, lane = threadIdx.x % 32;
#pragma unroll
    for (int m = 0; m < M; m++) {
#pragma unroll
        for (int i = 2; i > 0; i /= 2) {
            if (i <= group && group < 2 * i) sh[(group - i) * 32 + lane] = *reinterpret_cast<float4 *>(&acc[m][0]);
            __syncthreads();
            if (group < i) {
                float *other = reinterpret_cast<float *>(&sh[group * 32 + lane]);
#pragma unroll
                for (int k = 0; k < 4; k++) acc[m][k] += other[k];
            }
            __syncthreads();
        }
        if (group == 0) {
#pragma unroll
            for (int k = 0; k < 4; k++) out[(blockIdx.x * M + m) * 128 + 32 * k + lane] = acc[m][k];
        }
    }
}

// Points as three floats, staged in shared memory, the nearest one kept.
__global__ void nearest(const float *__restrict__ a, const float *__restrict__ b, float *best, int *index, int n, int m) {
    __shared__ float tile[3 * 64];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float x = a[3 * i], y = a[3 * i + 1], z = a[3 * i + 2];
    float least = 1e30f;
    int which = 0;
    for (int base = 0; base < m; base += 64) {
        for (int j = threadIdx.x; j < 3 * 64; j += blockDim.x) tile[j] = b[3 * base + j];
        __syncthreads();
        for (int k = 0; k < 64; k++) {
            const float dx = tile[3 * k] - x, dy = tile[3 * k + 1] - y, dz = tile[3 * k + 2] - z;
            const float d = dx * dx + dy * dy + dz * dz;
            if (d < least) {
                least = d;
                which = base + k;
            }
        }
        __syncthreads();
    }
    best[i] = least;
    index[i] = which;
}

// Views with strides per dimension, as accessors of tensors are.
struct Accessor {
    float *data;
    int stride0, stride1;
    struct Row {
        float *data;
        int stride;
        __device__ float &operator[](int c) const { return data[c * stride]; }
    };
    __device__ Row operator[](int r) const { return {data + r * stride0, stride1}; }
};

__global__ void accessor_transpose(Accessor in, Accessor out, int rows, int cols) {
    __shared__ float tile[16][17];
    const int c = blockIdx.x * 16 + threadIdx.x, r = blockIdx.y * 16 + threadIdx.y;
    if (r < rows && c < cols) tile[threadIdx.y][threadIdx.x] = in[r][c];
    __syncthreads();
    const int tc = blockIdx.y * 16 + threadIdx.x, tr = blockIdx.x * 16 + threadIdx.y;
    if (tr < cols && tc < rows) out[tr][tc] = tile[threadIdx.x][threadIdx.y];
}

// Pairs of words with a stride that is not theirs, and half precision rows.
__global__ void pairs(const F2 *__restrict__ in, F2 *out, const __half2 *__restrict__ h, __half *o, int n) {
    __shared__ F2 s[256];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    auto *p = in + 2 * i;
    s[threadIdx.x] = p[0];
    __syncthreads();
    const F2 v = s[(threadIdx.x * 5) & 255];
    F2 r;
    r[0] = v[0] + p[1][1];
    r[1] = v[1];
    out[i] = r;
    const __half2 two = h[i];
    o[2 * i] = __low2half(two);
    o[2 * i + 1] = __high2half(two);
}

// Groups of 128 weights share a scale: the lane's column decides the row, the loop steps by groups.
template <int BITS> __global__ void unpack(const uint32_t *__restrict__ q, const float *__restrict__ scales, float *out, int rows, int cols, int group) {
    constexpr int PER = 32 / BITS;
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    for (int r = blockIdx.y; r < rows / PER; r += gridDim.y) {
        const uint32_t word = q[r * cols + col];
        const float scale = scales[(r * PER / group) * cols + col];
#pragma unroll
        for (int k = 0; k < PER; k++) out[(r * PER + k) * cols + col] = scale * float((word >> (BITS * k)) & ((1u << BITS) - 1));
    }
}

int main() {
    const int n = 1 << 20;
    float *a, *b, *c;
    int *i;
    cudaMalloc(&a, n * 4);
    cudaMalloc(&b, n * 4);
    cudaMalloc(&c, n * 4);
    cudaMalloc(&i, n * 4);
    std::vector<float> host(n);
    for (int k = 0; k < n; k++) host[k] = float(k % 1000 * 7) / 8;
    cudaMemcpy(a, host.data(), n * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(b, host.data(), n * 4, cudaMemcpyHostToDevice);
    cudaMemset(i, 17, n * 4);
    packed_dot<4, 128><<<16, 128>>>((const int4 *)a, i, (int *)c, 12);
    packed_dot<2, 96><<<8, 96>>>((const int4 *)a, i, (int *)c, 5);
    split_reduce<2><<<12, 128, 64 * 16>>>(a, c, 512);
    split_reduce<1><<<5, 128, 64 * 16>>>(a, c, 600);
    nearest<<<6, 128>>>(a, b, c, i, 768, 256);
    nearest<<<3, 64>>>(a, b, c, i, 192, 64);
    accessor_transpose<<<dim3(8, 6), dim3(16, 16)>>>({a, 128, 1}, {c, 96, 1}, 96, 128);
    accessor_transpose<<<dim3(3, 3), dim3(16, 16)>>>({a, 1, 40}, {c, 40, 1}, 40, 40);
    pairs<<<16, 256>>>((const F2 *)a, (F2 *)c, (const __half2 *)b, (__half *)i, 4096);
    unpack<4><<<dim3(4, 8), 128>>>((const uint32_t *)a, b, c, 512, 512, 128);
    unpack<8><<<dim3(2, 4), 256>>>((const uint32_t *)a, b, c, 64, 512, 32);
    cudaError_t e = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(e));
    return e != cudaSuccess;
}
