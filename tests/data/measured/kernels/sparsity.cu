// Matrix-vector products in several formats, batched LU of small tiles, int8 GEMM with dp4a.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#define CK(x)                                                                   \
    do {                                                                        \
        cudaError_t rc = (x);                                                   \
        if (rc != cudaSuccess) {                                                \
            printf("%s failed at %d: %s\n", #x, __LINE__, cudaGetErrorString(rc)); \
            std::exit(1);                                                       \
        }                                                                       \
    } while (false)

__global__ void setup_dense(__half* A, __half* x, int8_t* qa, int8_t* qb, float* lu, int nA, int nx, int nq, int nlu) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < nA; i += gridDim.x * blockDim.x) {
        A[i] = __float2half((i % 127) * 0.01f - 0.6f);
        if (i < nx) x[i] = __float2half((i % 31) * 0.02f);
        if (i < nq) {
            qa[i] = (int8_t)((i * 7) % 255 - 127);
            qb[i] = (int8_t)((i * 11) % 255 - 127);
        }
        if (i < nlu) {
            int e = i % 256;
            lu[i] = (e / 16 == e % 16) ? 20.f + (i % 5) : ((i * 13) % 17) * 0.1f;
        }
    }
}

// One thread per row.
__global__ void spmv_csr_thread(int rows, const int* __restrict__ ptr, const int* __restrict__ col,
                                const float* __restrict__ val, const float* __restrict__ x, float* __restrict__ y) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float sum = 0.f;
    for (int k = ptr[r]; k < ptr[r + 1]; ++k) sum += val[k] * x[col[k]];
    y[r] = sum;
}

// A group of LANES threads per row.
template <int LANES>
__global__ void spmv_csr_vector(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    const int gid = blockIdx.x * blockDim.x + threadIdx.x;
    const int lane = gid % LANES;
    const int row = gid / LANES;
    float s = 0.f;
    if (row < rows) {
        const int end = ptr[row + 1];
        for (int k = ptr[row] + lane; k < end; k += LANES) s += val[k] * x[col[k]];
    }
    for (int o = LANES / 2; o > 0; o >>= 1) s += __shfl_down_sync(0xffffffff, s, o, LANES);
    if (lane == 0 && row < rows) y[row] = s;
}

// ELLPACK, column major; a negative column ends the row.
__global__ void spmv_ell(int rows, int width, int pitch, const int* __restrict__ col, const float* __restrict__ val,
                         const float* __restrict__ x, float* __restrict__ y) {
    for (int r = blockIdx.x * blockDim.x + threadIdx.x; r < rows; r += blockDim.x * gridDim.x) {
        float acc = 0.f;
        for (int j = 0; j < width; ++j) {
            const int c = col[j * pitch + r];
            if (c < 0) break;
            acc = fmaf(val[j * pitch + r], x[c], acc);
        }
        y[r] = acc;
    }
}

// y = A x, half storage and float accumulation, one warp per row, x staged in shared memory.
__global__ void gemv_half2(const __half2* __restrict__ A, const __half2* __restrict__ x, float* __restrict__ y, int rows) {
    constexpr int C2 = 512;             // half2 per row
    __shared__ __half2 xs[C2];
    for (int i = threadIdx.x; i < C2; i += blockDim.x) xs[i] = x[i];
    __syncthreads();

    const int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
    const int row = blockIdx.x * (blockDim.x >> 5) + warp;
    if (row >= rows) return;

    float s0 = 0.f, s1 = 0.f;
#pragma unroll 4
    for (int c = lane; c < C2; c += 32) {
        const float2 a = __half22float2(A[row * C2 + c]);
        const float2 b = __half22float2(xs[c]);
        s0 += a.x * b.x;
        s1 += a.y * b.y;
    }
    s0 += s1;
    for (int m = 16; m > 0; m >>= 1) s0 += __shfl_xor_sync(0xffffffff, s0, m);
    if (lane == 0) y[row] = s0;
}

// In place LU without pivoting, one 16x16 matrix per block.
__global__ void lu_tile16(float* mats) {
    constexpr int N = 16;
    __shared__ float a[N][N];
    const int c = threadIdx.x;
    const int r = threadIdx.y;
    float* m = mats + blockIdx.x * N * N;

    a[r][c] = m[r * N + c];
    __syncthreads();
    for (int k = 0; k < N - 1; ++k) {
        if (c == k && r > k) a[r][k] /= a[k][k];
        __syncthreads();
        if (r > k && c > k) a[r][c] -= a[r][k] * a[k][c];
        __syncthreads();
    }
    m[r * N + c] = a[r][c];
}

// C = A * B^T for int8 operands packed four to an int; 32x32 tile, 2x2 per thread.
__global__ void igemm_dp4a(const int* __restrict__ A, const int* __restrict__ B, int* __restrict__ C, int n, int kw) {
    constexpr int KW = 16;
    __shared__ int as[32][KW + 1];
    __shared__ int bs[32][KW + 1];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int r0 = blockIdx.y * 32, c0 = blockIdx.x * 32;

    int acc[2][2] = {{0, 0}, {0, 0}};
    for (int k0 = 0; k0 < kw; k0 += KW) {
        as[ty][tx] = A[(r0 + ty) * kw + k0 + tx];
        as[ty + 16][tx] = A[(r0 + ty + 16) * kw + k0 + tx];
        bs[ty][tx] = B[(c0 + ty) * kw + k0 + tx];
        bs[ty + 16][tx] = B[(c0 + ty + 16) * kw + k0 + tx];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < KW; ++k) {
#pragma unroll
            for (int i = 0; i < 2; ++i)
#pragma unroll
                for (int j = 0; j < 2; ++j)
                    acc[i][j] = __dp4a(as[ty + 16 * i][k], bs[tx + 16 * j][k], acc[i][j]);
        }
        __syncthreads();
    }
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) C[(r0 + ty + 16 * i) * n + c0 + tx + 16 * j] = acc[i][j];
}

int main() {
    constexpr int ROWS = 20000;
    constexpr int ELL_W = 12;
    constexpr int ELL_PITCH = 20032;
    constexpr int DM = 1000, DK = 1024;
    constexpr int QN = 512, QK = 1024;
    constexpr int LU_COUNT = 600;

    std::vector<int> ptr(ROWS + 1), col, ecol(ELL_W * ELL_PITCH, -1);
    std::vector<float> val, eval(ELL_W * ELL_PITCH, 0.f), hx(ROWS);
    ptr[0] = 0;
    for (int r = 0; r < ROWS; ++r) {
        int len = (r * 7) % 33;
        for (int k = 0; k < len; ++k) {
            col.push_back((r + k * k * 13) % ROWS);
            val.push_back(0.5f + 0.01f * k);
        }
        ptr[r + 1] = (int)col.size();
        int elen = 4 + (r * 5) % (ELL_W - 3);
        for (int k = 0; k < elen; ++k) {
            int c = r + k - elen / 2;
            ecol[k * ELL_PITCH + r] = c < 0 ? 0 : (c >= ROWS ? ROWS - 1 : c);
            eval[k * ELL_PITCH + r] = 1.0f / (k + 1);
        }
        hx[r] = 0.001f * (r % 1000);
    }
    const size_t nnz = col.size();

    int *dptr, *dcol, *decol, *dC;
    float *dval, *deval, *dx, *dy, *dlu;
    __half *dA, *dhx;
    int8_t *dqa, *dqb;
    CK(cudaMalloc(&dptr, (ROWS + 1) * sizeof(int)));
    CK(cudaMalloc(&dcol, nnz * sizeof(int)));
    CK(cudaMalloc(&dval, nnz * sizeof(float)));
    CK(cudaMalloc(&decol, ecol.size() * sizeof(int)));
    CK(cudaMalloc(&deval, eval.size() * sizeof(float)));
    CK(cudaMalloc(&dx, ROWS * sizeof(float)));
    CK(cudaMalloc(&dy, ROWS * sizeof(float)));
    CK(cudaMalloc(&dA, DM * DK * sizeof(__half)));
    CK(cudaMalloc(&dhx, DK * sizeof(__half)));
    CK(cudaMalloc(&dqa, QN * QK));
    CK(cudaMalloc(&dqb, QN * QK));
    CK(cudaMalloc(&dC, QN * QN * sizeof(int)));
    CK(cudaMalloc(&dlu, LU_COUNT * 256 * sizeof(float)));
    CK(cudaMemcpy(dptr, ptr.data(), (ROWS + 1) * sizeof(int), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dcol, col.data(), nnz * sizeof(int), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dval, val.data(), nnz * sizeof(float), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(decol, ecol.data(), ecol.size() * sizeof(int), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(deval, eval.data(), eval.size() * sizeof(float), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dx, hx.data(), ROWS * sizeof(float), cudaMemcpyHostToDevice));

    setup_dense<<<256, 256>>>(dA, dhx, dqa, dqb, dlu, DM * DK, DK, QN * QK, LU_COUNT * 256);
    CK(cudaGetLastError());

    spmv_csr_thread<<<(ROWS + 127) / 128, 128>>>(ROWS, dptr, dcol, dval, dx, dy);
    CK(cudaGetLastError());
    spmv_csr_vector<32><<<(ROWS * 32 + 255) / 256, 256>>>(ROWS, dptr, dcol, dval, dx, dy);
    CK(cudaGetLastError());
    spmv_csr_vector<8><<<(ROWS * 8 + 255) / 256, 256>>>(ROWS, dptr, dcol, dval, dx, dy);
    CK(cudaGetLastError());
    spmv_ell<<<40, 256>>>(ROWS, ELL_W, ELL_PITCH, decol, deval, dx, dy);
    CK(cudaGetLastError());
    gemv_half2<<<(DM + 7) / 8, 256>>>((const __half2*)dA, (const __half2*)dhx, dy, DM);
    CK(cudaGetLastError());
    lu_tile16<<<LU_COUNT, dim3(16, 16)>>>(dlu);
    CK(cudaGetLastError());
    igemm_dp4a<<<dim3(QN / 32, QN / 32), dim3(16, 16)>>>((const int*)dqa, (const int*)dqb, dC, QN, QK / 4);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    for (void* p : {(void*)dptr, (void*)dcol, (void*)dval, (void*)decol, (void*)deval, (void*)dx, (void*)dy, (void*)dA,
                    (void*)dhx, (void*)dqa, (void*)dqb, (void*)dC, (void*)dlu})
        CK(cudaFree(p));
    printf("sparse_dense ok, nnz=%zu\n", nnz);
    return 0;
}
