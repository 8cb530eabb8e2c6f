// Single-precision GEMM with shared-memory blocking and 1-D / 2-D register tiles.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define CHECK(x) do { cudaError_t e = (x); if (e != cudaSuccess) { printf("%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e)); exit(1); } } while (0)

template <int BM, int BN, int BK, int TM>
__global__ void gemm1d(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C)
{
    __shared__ float As[BM * BK];
    __shared__ float Bs[BK * BN];
    const int threadCol = threadIdx.x % BN;
    const int threadRow = threadIdx.x / BN;
    A += blockIdx.y * BM * K;
    B += blockIdx.x * BN;
    C += blockIdx.y * BM * N + blockIdx.x * BN;
    const int innerColA = threadIdx.x % BK;
    const int innerRowA = threadIdx.x / BK;
    const int innerColB = threadIdx.x % BN;
    const int innerRowB = threadIdx.x / BN;
    float threadResults[TM] = {0.0f};
    for (int bkIdx = 0; bkIdx < K; bkIdx += BK) {
        As[innerRowA * BK + innerColA] = A[innerRowA * K + innerColA];
        Bs[innerRowB * BN + innerColB] = B[innerRowB * N + innerColB];
        __syncthreads();
        A += BK;
        B += BK * N;
        for (int dotIdx = 0; dotIdx < BK; ++dotIdx) {
            float tmpB = Bs[dotIdx * BN + threadCol];
            for (int resIdx = 0; resIdx < TM; ++resIdx)
                threadResults[resIdx] += As[(threadRow * TM + resIdx) * BK + dotIdx] * tmpB;
        }
        __syncthreads();
    }
    for (int resIdx = 0; resIdx < TM; ++resIdx)
        C[(threadRow * TM + resIdx) * N + threadCol] = alpha * threadResults[resIdx] + beta * C[(threadRow * TM + resIdx) * N + threadCol];
}

template <int BM, int BN, int BK, int TM, int TN>
__global__ void __launch_bounds__((BM * BN) / (TM * TN)) gemm2d(int M, int N, int K, const float *__restrict__ A, const float *__restrict__ B, float *__restrict__ C)
{
    __shared__ float As[BK][BM];
    __shared__ float Bs[BK][BN];
    const int tid = threadIdx.x;
    const int tx = tid % (BN / TN), ty = tid / (BN / TN);
    const int rowA = tid / (BK / 4), colA = tid % (BK / 4);
    const int rowB = tid / (BN / 4), colB = tid % (BN / 4);
    constexpr int threads = (BM * BN) / (TM * TN);
    constexpr int strideA = threads / (BK / 4), strideB = threads / (BN / 4);
    float acc[TM][TN] = {};
    float regM[TM], regN[TN];
    for (int k0 = 0; k0 < K; k0 += BK) {
#pragma unroll
        for (int o = 0; o < BM; o += strideA) {
            float4 v = reinterpret_cast<const float4 *>(&A[(blockIdx.y * BM + rowA + o) * K + k0 + colA * 4])[0];
            As[colA * 4 + 0][rowA + o] = v.x;
            As[colA * 4 + 1][rowA + o] = v.y;
            As[colA * 4 + 2][rowA + o] = v.z;
            As[colA * 4 + 3][rowA + o] = v.w;
        }
#pragma unroll
        for (int o = 0; o < BK; o += strideB)
            reinterpret_cast<float4 *>(&Bs[rowB + o][colB * 4])[0] =
                reinterpret_cast<const float4 *>(&B[(k0 + rowB + o) * N + blockIdx.x * BN + colB * 4])[0];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < BK; ++k) {
#pragma unroll
            for (int i = 0; i < TM; ++i) regM[i] = As[k][ty * TM + i];
#pragma unroll
            for (int j = 0; j < TN; ++j) regN[j] = Bs[k][tx * TN + j];
#pragma unroll
            for (int i = 0; i < TM; ++i)
#pragma unroll
                for (int j = 0; j < TN; ++j) acc[i][j] += regM[i] * regN[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < TM; ++i)
        for (int j = 0; j < TN; j += 4) {
            float4 v = make_float4(acc[i][j], acc[i][j + 1], acc[i][j + 2], acc[i][j + 3]);
            *reinterpret_cast<float4 *>(&C[(blockIdx.y * BM + ty * TM + i) * N + blockIdx.x * BN + tx * TN + j]) = v;
        }
}

int main()
{
    const int M = 512, N = 512, K = 256;
    float *a, *b, *c;
    CHECK(cudaMalloc(&a, M * K * sizeof(float)));
    CHECK(cudaMalloc(&b, K * N * sizeof(float)));
    CHECK(cudaMalloc(&c, M * N * sizeof(float)));
    CHECK(cudaMemset(a, 0, M * K * 4));
    CHECK(cudaMemset(b, 0, K * N * 4));
    CHECK(cudaMemset(c, 0, M * N * 4));
    {
        dim3 grid(N / 64, M / 64);
        gemm1d<64, 64, 8, 8><<<grid, (64 * 64) / 8>>>(M, N, K, 1.0f, a, b, 0.5f, c);
    }
    {
        dim3 grid(N / 128, M / 128);
        gemm2d<128, 128, 8, 8, 8><<<grid, 256>>>(M, N, K, a, b, c);
    }
    {
        dim3 grid(N / 64, M / 64);
        gemm2d<64, 64, 16, 4, 4><<<grid, 256>>>(M, N, K, a, b, c);
    }
    CHECK(cudaDeviceSynchronize());
    return 0;
}
