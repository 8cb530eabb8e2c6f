#include <cstdio>
#include <vector>
#include <cuda_fp16.h>
#include <cuda_bf16.h>

__global__ void axpy(int n, float a, const float *x, float *y) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        y[i] = a * x[i] + y[i];
}
__global__ void axpy4(int n4, float a, const float4 *__restrict__ x, float4 *__restrict__ y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n4) {
        float4 u = x[i], v = y[i];
        v.x += a * u.x;
        v.y += a * u.y;
        v.z += a * u.z;
        v.w += a * u.w;
        y[i] = v;
    }
}
template <int BLOCK> __global__ void dot(int n, const float *x, const float *y, float *partial) {
    __shared__ float sums[BLOCK];
    float s = 0;
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK) s += x[i] * y[i];
    sums[threadIdx.x] = s;
    __syncthreads();
#pragma unroll
    for (int half = BLOCK / 2; half > 32; half /= 2) {
        if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x < 32) {
        s = sums[threadIdx.x] + sums[threadIdx.x + 32];
        for (int d = 16; d; d /= 2) s += __shfl_down_sync(0xffffffffu, s, d);
        if (threadIdx.x == 0) partial[blockIdx.x] = s;
    }
}
__global__ void gemv_rows(int m, int n, const float *A, const float *x, float *y) {
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (warp >= m) return;
    const float *row = A + (size_t)warp * n;
    float s = 0;
    for (int j = lane; j < n; j += 32) s += row[j] * x[j];
    for (int d = 16; d > 0; d >>= 1) s += __shfl_xor_sync(~0u, s, d);
    if (lane == 0) y[warp] = s;
}
__global__ void gemv_cols(int m, int n, const float *A, const float *x, float *y) {
    extern __shared__ float xs[];
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
    for (int base = 0; base < n; base += blockDim.x) {
        if (base + threadIdx.x < n) xs[threadIdx.x] = x[base + threadIdx.x];
        __syncthreads();
        int len = min((int)blockDim.x, n - base);
        if (row < m)
            for (int j = 0; j < len; j++) s += A[(base + j) * m + row] * xs[j];
        __syncthreads();
    }
    if (row < m) y[row] = s;
}
__global__ void ger(int m, int n, float alpha, const float *x, const float *y, float *A, int lda) {
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < m && j < n) A[i * lda + j] += alpha * x[i] * y[j];
}
struct Mat4 { float m[4][4]; };
__global__ void mat4_mul(const Mat4 *a, const Mat4 *b, Mat4 *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Mat4 r;
    for (int p = 0; p < 4; p++)
        for (int q = 0; q < 4; q++) {
            float s = 0;
            for (int k = 0; k < 4; k++) s += a[i].m[p][k] * b[i].m[k][q];
            r.m[p][q] = s;
        }
    c[i] = r;
}
template <int BM, int BN, int BK, int TM, int TN>
__global__ void sgemm_tile(int M, int N, int K, const float *__restrict__ A, const float *__restrict__ B, float *__restrict__ C) {
    __shared__ float As[BK][BM];
    __shared__ float Bs[BK][BN];
    constexpr int threads = (BM / TM) * (BN / TN);
    int tid = threadIdx.x, tx = tid % (BN / TN), ty = tid / (BN / TN);
    float acc[TM][TN] = {};
    for (int k0 = 0; k0 < K; k0 += BK) {
        for (int e = tid; e < BM * BK; e += threads) {
            int r = e / BK, c = e % BK;
            As[c][r] = A[(blockIdx.y * BM + r) * K + k0 + c];
        }
        for (int e = tid; e < BK * BN; e += threads) {
            int r = e / BN, c = e % BN;
            Bs[r][c] = B[(k0 + r) * N + blockIdx.x * BN + c];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < BK; k++) {
            float a[TM], b[TN];
            for (int i = 0; i < TM; i++) a[i] = As[k][ty * TM + i];
            for (int j = 0; j < TN; j++) b[j] = Bs[k][tx * TN + j];
            for (int i = 0; i < TM; i++)
                for (int j = 0; j < TN; j++) acc[i][j] += a[i] * b[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < TM; i++)
        for (int j = 0; j < TN; j++) C[(blockIdx.y * BM + ty * TM + i) * N + blockIdx.x * BN + tx * TN + j] = acc[i][j];
}
__global__ void dgemm_naive(int n, const double *A, const double *B, double *C) {
    int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= n || col >= n) return;
    double s = 0;
    for (int k = 0; k < n; ++k) s += A[row * n + k] * B[k * n + col];
    C[row * n + col] = s;
}
__global__ void trsv_block(const float *L, float *b, int lda) {
    __shared__ float x[64];
    int t = threadIdx.x;
    x[t] = b[blockIdx.x * 64 + t];
    __syncthreads();
    for (int k = 0; k < 63; k++) {
        if (t > k) x[t] -= L[t * lda + k] * x[k];
        __syncthreads();
    }
    b[blockIdx.x * 64 + t] = x[t];
}
__global__ void transpose_pad(const double *in, double *out, int w, int h) {
    __shared__ double tile[16][17];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    if (x < w && y < h) tile[threadIdx.y][threadIdx.x] = in[y * w + x];
    __syncthreads();
    x = blockIdx.y * 16 + threadIdx.x;
    y = blockIdx.x * 16 + threadIdx.y;
    if (x < h && y < w) out[y * h + x] = tile[threadIdx.x][threadIdx.y];
}
__global__ void iamax(const float *x, int n, int *result) {
    __shared__ float best[8];
    __shared__ int where[8];
    float m = -1.f;
    int at = -1;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        float v = fabsf(x[i]);
        if (v > m) { m = v; at = i; }
    }
    for (int d = 16; d; d >>= 1) {
        float om = __shfl_down_sync(~0u, m, d);
        int oa = __shfl_down_sync(~0u, at, d);
        if (om > m) { m = om; at = oa; }
    }
    if (threadIdx.x % 32 == 0) { best[threadIdx.x / 32] = m; where[threadIdx.x / 32] = at; }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < blockDim.x / 32; w++)
            if (best[w] > best[0]) { best[0] = best[w]; where[0] = where[w]; }
        *result = where[0];
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
    axpy<<<5, 96>>>(1501, 2.f, floats(1501), floats(1501));
    axpy4<<<4, 128>>>(450, 2.f, (float4 *)floats(1800), (float4 *)floats(1800));
    dot<128><<<6, 128>>>(2100, floats(2100), floats(2100), zeros<float>(6));
    gemv_rows<<<5, 128>>>(18, 200, floats(3600), floats(200), zeros<float>(18));
    gemv_cols<<<3, 96, 96 * 4>>>(270, 150, floats(270 * 150), floats(150), zeros<float>(270));
    ger<<<dim3(3, 5), dim3(32, 8)>>>(37, 90, 0.5f, floats(37), floats(90), floats(37 * 92), 92);
    mat4_mul<<<3, 64>>>((Mat4 *)floats(16 * 170), (Mat4 *)floats(16 * 170), (Mat4 *)zeros<float>(16 * 170), 170);
    sgemm_tile<32, 32, 8, 4, 4><<<dim3(2, 3), 64>>>(96, 64, 40, floats(96 * 40), floats(40 * 64), zeros<float>(96 * 64));
    sgemm_tile<64, 16, 16, 4, 2><<<dim3(3, 2), 128>>>(128, 48, 32, floats(128 * 32), floats(32 * 48), zeros<float>(128 * 48));
    dgemm_naive<<<dim3(3, 3), dim3(16, 16)>>>(40, (double *)floats(3200), (double *)floats(3200), zeros<double>(1600));
    trsv_block<<<3, 64>>>(floats(64 * 66), floats(192), 66);
    transpose_pad<<<dim3(4, 3), dim3(16, 16)>>>((double *)floats(2 * 55 * 40), zeros<double>(55 * 40), 55, 40);
    iamax<<<1, 256>>>(floats(3000), 3000, zeros<int>(1));
    return finish("blas");
}
