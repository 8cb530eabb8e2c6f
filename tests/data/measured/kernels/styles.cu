// Kernels in styles that libraries use: templates, functors, views, vector types, staged pipelines.
#include <cstdio>
#include <vector>
#include <cuda_fp16.h>

template <typename T> struct View2D {
    T *data;
    int rows, cols, pitch;
    __device__ T &operator()(int r, int c) const { return data[r * pitch + c]; }
    __device__ bool inside(int r, int c) const { return r >= 0 && c >= 0 && r < rows && c < cols; }
};

struct AddOp {
    template <typename T> __device__ static T apply(T a, T b) { return a + b; }
};
struct MaxOp {
    template <typename T> __device__ static T apply(T a, T b) { return a > b ? a : b; }
};

template <typename Op, typename T, int N> __device__ T block_reduce(T value, T *scratch) {
    for (int offset = 16; offset > 0; offset >>= 1) value = Op::apply(value, __shfl_down_sync(0xffffffffu, value, offset));
    if (threadIdx.x % 32 == 0) scratch[threadIdx.x / 32] = value;
    __syncthreads();
    if (threadIdx.x < 32) {
        value = scratch[threadIdx.x % (N / 32)];
        for (int offset = N / 64; offset > 0; offset >>= 1) value = Op::apply(value, __shfl_down_sync(0xffffffffu, value, offset));
    }
    return value;
}

template <typename Op, typename T, int N> __global__ void reduce_rows(View2D<const T> in, T *out) {
    __shared__ T scratch[N / 32];
    const int r = blockIdx.x;
    T value = in(r, threadIdx.x);
    for (int c = threadIdx.x + N; c < in.cols; c += N) value = Op::apply(value, in(r, c));
    value = block_reduce<Op, T, N>(value, scratch);
    if (threadIdx.x == 0) out[r] = value;
}

template <int BM, int BN, int BK> __global__ void gemm_tiles(View2D<const float> a, View2D<const float> b, View2D<float> c) {
    __shared__ float as[BK][BM + 4];
    __shared__ float bs[BK][BN];
    float acc[4][4] = {};
    const int tx = threadIdx.x % (BN / 4), ty = threadIdx.x / (BN / 4);
    const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
    for (int k0 = 0; k0 < a.cols; k0 += BK) {
        for (int i = threadIdx.x; i < BM * BK; i += blockDim.x) as[i % BK][i / BK] = a(row0 + i / BK, k0 + i % BK);
        for (int i = threadIdx.x; i < BK * BN; i += blockDim.x) bs[i / BN][i % BN] = b(k0 + i / BN, col0 + i % BN);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < BK; ++k) {
            const float4 av = *reinterpret_cast<const float4 *>(&as[k][ty * 4]);
            const float4 bv = *reinterpret_cast<const float4 *>(&bs[k][tx * 4]);
            const float ar[4] = {av.x, av.y, av.z, av.w}, br[4] = {bv.x, bv.y, bv.z, bv.w};
#pragma unroll
            for (int i = 0; i < 4; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j) acc[i][j] += ar[i] * br[j];
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 4; ++i)
        *reinterpret_cast<float4 *>(&c(row0 + ty * 4 + i, col0 + tx * 4)) = make_float4(acc[i][0], acc[i][1], acc[i][2], acc[i][3]);
}

__global__ void half_axpy(const __half2 *__restrict__ x, __half2 *__restrict__ y, float alpha, int n) {
    const __half2 a = __float2half2_rn(alpha);
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = __hfma2(a, x[i], y[i]);
}

template <class F> __global__ void for_each_cell(int nx, int ny, F f) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < nx && y < ny) f(x, y);
}

struct Scale {
    float *field;
    int nx;
    float factor;
    __device__ void operator()(int x, int y) const { field[y * nx + x] *= factor; }
};

__constant__ float taps[9];

template <int R> __global__ void conv_rows(const float *__restrict__ in, float *__restrict__ out, int w) {
    __shared__ float line[128 + 2 * R];
    const int y = blockIdx.y, x0 = blockIdx.x * 128;
    const float *row = in + y * w;
    for (int i = threadIdx.x; i < 128 + 2 * R; i += 128) {
        const int x = min(max(x0 + i - R, 0), w - 1);
        line[i] = row[x];
    }
    __syncthreads();
    float sum = 0;
#pragma unroll
    for (int k = -R; k <= R; ++k) sum += taps[k + R] * line[threadIdx.x + R + k];
    out[y * w + x0 + threadIdx.x] = sum;
}

__global__ void double_buffered(const float *__restrict__ in, float *__restrict__ out, int steps) {
    __shared__ float stage[2][256];
    const float *source = in + blockIdx.x * 256 * steps;
    float next = source[threadIdx.x], total = 0;
    for (int s = 0; s < steps; ++s) {
        stage[s & 1][threadIdx.x] = next;
        if (s + 1 < steps) next = source[(s + 1) * 256 + threadIdx.x];
        __syncthreads();
        total += stage[s & 1][255 - threadIdx.x];
    }
    out[blockIdx.x * 256 + threadIdx.x] = total;
}

struct __align__(16) Cell { float density; float3 velocity; };

__global__ void cells(const Cell *__restrict__ in, Cell *__restrict__ out, float dt, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Cell c = in[i];
    c.velocity.x *= 1 - dt;
    c.velocity.y *= 1 - dt;
    c.velocity.z -= dt;
    c.density = fmaxf(c.density, 0.f);
    out[i] = c;
}

__global__ void bins_by_switch(const int *kind, int *a, int *b, int *c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    switch (i % 3) {
    case 0: a[i] = kind[i]; break;
    case 1: b[i] = kind[i] * 2; break;
    default: c[i] = -kind[i];
    }
}

__device__ __forceinline__ void swap_if(int &a, int &b, bool up) {
    if ((a > b) == up) {
        const int t = a;
        a = b;
        b = t;
    }
}

template <int N> __global__ void bitonic_block(int *data) {
    __shared__ int s[N];
    s[threadIdx.x] = data[blockIdx.x * N + threadIdx.x];
    s[threadIdx.x + N / 2] = data[blockIdx.x * N + threadIdx.x + N / 2];
    for (int size = 2; size <= N; size <<= 1) {
        for (int stride = size / 2; stride > 0; stride >>= 1) {
            __syncthreads();
            const int at = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
            swap_if(s[at], s[at + stride], (threadIdx.x & (size / 2)) == 0);
        }
    }
    __syncthreads();
    data[blockIdx.x * N + threadIdx.x] = s[threadIdx.x];
    data[blockIdx.x * N + threadIdx.x + N / 2] = s[threadIdx.x + N / 2];
}

__global__ void volume_blur(const float *in, float *out, int nx, int ny, int nz) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x == 0 || y == 0 || z == 0 || x >= nx - 1 || y >= ny - 1 || z >= nz - 1) return;
    const size_t at = ((size_t)z * ny + y) * nx + x;
    out[at] = (in[at - 1] + in[at + 1] + in[at - nx] + in[at + nx] + in[at - (size_t)nx * ny] + in[at + (size_t)nx * ny]) / 6;
}

__global__ void triangular(float *m, int n) {
    const int r = blockIdx.x;
    for (int c = threadIdx.x; c <= r; c += blockDim.x) m[r * n + c] = m[c * n + r];
}

__global__ void column_sums(const float *__restrict__ m, float *__restrict__ sums, int rows, int cols) {
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
#pragma unroll 4
    for (int r = 0; r < rows; ++r) s += __ldg(&m[r * cols + c]);
    sums[c] = s;
}

__global__ void row_sums(const float *m, float *sums, int rows, int cols) {
    const int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < rows) {
        float s = 0;
        for (int c = 0; c < cols; ++c) s += m[r * cols + c];
        sums[r] = s;
    }
}

__global__ void partitioned(const float *in, float *out) {
    extern __shared__ char arena[];
    float *values = reinterpret_cast<float *>(arena);
    int *order = reinterpret_cast<int *>(arena + blockDim.x * sizeof(float));
    values[threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
    order[threadIdx.x] = (threadIdx.x * 5) % blockDim.x;
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = values[(threadIdx.x * 5) % blockDim.x] + order[threadIdx.x ^ 1];
}

__global__ void ring(float *state, int n, int turns) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = state[i];
    int t = turns;
    while (t-- > 0) {
        v = 0.5f * (v + __shfl_sync(0xffffffffu, v, (threadIdx.x + 1) & 31));
        if ((t & 3) == 0) state[(i + t * 32) % n] = v;
    }
}

int main() {
    const size_t bytes = 16 << 20;
    std::vector<float> values(bytes / 4);
    for (size_t i = 0; i < values.size(); i++) values[i] = 0.25f + (i * 11 % 17) * 0.125f;
    float *p[4];
    for (auto &one : p) {
        cudaMalloc(&one, bytes);
        cudaMemcpy(one, values.data(), bytes, cudaMemcpyHostToDevice);
    }
    std::vector<int> numbers(bytes / 4);
    for (size_t i = 0; i < numbers.size(); i++) numbers[i] = (int)(i * 37 % 1021);
    int *q[4];
    for (auto &one : q) {
        cudaMalloc(&one, bytes);
        cudaMemcpy(one, numbers.data(), bytes, cudaMemcpyHostToDevice);
    }
    reduce_rows<AddOp, float, 128><<<64, 128>>>(View2D<const float>{p[0], 64, 512, 512}, p[1]);
    reduce_rows<MaxOp, float, 256><<<64, 256>>>(View2D<const float>{p[0], 64, 500, 516}, p[1]);
    gemm_tiles<64, 64, 16><<<dim3(4, 4), 256>>>(View2D<const float>{p[0], 256, 128, 128}, View2D<const float>{p[1], 128, 256, 256}, View2D<float>{p[2], 256, 256, 256});
    half_axpy<<<16, 256>>>(reinterpret_cast<__half2 *>(p[0]), reinterpret_cast<__half2 *>(p[1]), 0.5f, 20000);
    for_each_cell<<<dim3(5, 25), dim3(32, 4)>>>(150, 100, Scale{p[3], 150, 1.5f});
    conv_rows<4><<<dim3(4, 16), 128>>>(p[0], p[1], 512);
    double_buffered<<<16, 256>>>(p[0], p[1], 8);
    cells<<<20, 128>>>(reinterpret_cast<Cell *>(p[0]), reinterpret_cast<Cell *>(p[1]), 0.01f, 2500);
    bins_by_switch<<<16, 128>>>(q[0], q[1], q[2], q[3], 2000);
    bitonic_block<256><<<8, 128>>>(q[0]);
    volume_blur<<<dim3(2, 8, 8), dim3(32, 4, 2)>>>(p[0], p[1], 64, 32, 16);
    triangular<<<100, 64>>>(p[2], 100);
    column_sums<<<4, 128>>>(p[0], p[1], 64, 512);
    row_sums<<<4, 128>>>(p[0], p[1], 500, 40);
    partitioned<<<16, 128, 1024>>>(p[0], p[1]);
    ring<<<8, 128>>>(p[3], 4096, 10);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    return 0;
}
