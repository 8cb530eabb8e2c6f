// SGEMM step by step: coalescing, block tiles, thread tiles, vector loads, double buffering.
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <vector>

#define CUDA_OR_EXIT(e) if (auto r = (e); r != cudaSuccess) { std::printf("%s\n", cudaGetErrorString(r)); std::exit(1); }

using uint = unsigned int;

template <const uint BLOCKSIZE>
__global__ void sgemm_coalesce(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  const int cRow = blockIdx.x * BLOCKSIZE + (threadIdx.x / BLOCKSIZE);
  const int cCol = blockIdx.y * BLOCKSIZE + (threadIdx.x % BLOCKSIZE);

  if (cRow < M && cCol < N) {
    float tmp = 0.0;
    for (int i = 0; i < K; ++i) {
      tmp += A[cRow * K + i] * B[i * N + cCol];
    }
    C[cRow * N + cCol] = alpha * tmp + beta * C[cRow * N + cCol];
  }
}

template <const int BM, const int BN, const int BK, const int TM>
__global__ void sgemm1DBlocktiling(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  const uint cRow = blockIdx.y;
  const uint cCol = blockIdx.x;
  const int threadCol = threadIdx.x % BN;
  const int threadRow = threadIdx.x / BN;

  __shared__ float As[BM * BK];
  __shared__ float Bs[BK * BN];

  A += cRow * BM * K;
  B += cCol * BN;
  C += cRow * BM * N + cCol * BN;

  const uint innerColA = threadIdx.x % BK;
  const uint innerRowA = threadIdx.x / BK;
  const uint innerColB = threadIdx.x % BN;
  const uint innerRowB = threadIdx.x / BN;

  float threadResults[TM] = {0.0};

  for (uint bkIdx = 0; bkIdx < K; bkIdx += BK) {
    As[innerRowA * BK + innerColA] = A[innerRowA * K + innerColA];
    Bs[innerRowB * BN + innerColB] = B[innerRowB * N + innerColB];
    __syncthreads();

    A += BK;
    B += BK * N;

    for (uint dotIdx = 0; dotIdx < BK; ++dotIdx) {
      float tmpB = Bs[dotIdx * BN + threadCol];
      for (uint resIdx = 0; resIdx < TM; ++resIdx) {
        threadResults[resIdx] += As[(threadRow * TM + resIdx) * BK + dotIdx] * tmpB;
      }
    }
    __syncthreads();
  }

  for (uint resIdx = 0; resIdx < TM; ++resIdx) {
    C[(threadRow * TM + resIdx) * N + threadCol] =
        alpha * threadResults[resIdx] + beta * C[(threadRow * TM + resIdx) * N + threadCol];
  }
}

// A is transposed on its way to shared memory, everything moves as float4.
template <const int BM, const int BN, const int BK, const int TM, const int TN>
__global__ void sgemmVectorize(int M, int N, int K, const float *A, const float *B, float *C) {
  const uint cRow = blockIdx.y;
  const uint cCol = blockIdx.x;
  const int threadCol = threadIdx.x % (BN / TN);
  const int threadRow = threadIdx.x / (BN / TN);

  __shared__ float As[BM * BK];
  __shared__ float Bs[BK * BN];

  A += cRow * BM * K;
  B += cCol * BN;
  C += cRow * BM * N + cCol * BN;

  const uint innerRowA = threadIdx.x / (BK / 4);
  const uint innerColA = threadIdx.x % (BK / 4);
  const uint innerRowB = threadIdx.x / (BN / 4);
  const uint innerColB = threadIdx.x % (BN / 4);

  float threadResults[TM * TN] = {0.0};
  float regM[TM] = {0.0};
  float regN[TN] = {0.0};

  for (uint bkIdx = 0; bkIdx < K; bkIdx += BK) {
    float4 tmp = reinterpret_cast<const float4 *>(&A[innerRowA * K + innerColA * 4])[0];
    As[(innerColA * 4 + 0) * BM + innerRowA] = tmp.x;
    As[(innerColA * 4 + 1) * BM + innerRowA] = tmp.y;
    As[(innerColA * 4 + 2) * BM + innerRowA] = tmp.z;
    As[(innerColA * 4 + 3) * BM + innerRowA] = tmp.w;

    reinterpret_cast<float4 *>(&Bs[innerRowB * BN + innerColB * 4])[0] =
        reinterpret_cast<const float4 *>(&B[innerRowB * N + innerColB * 4])[0];
    __syncthreads();

    A += BK;
    B += BK * N;

    for (uint dotIdx = 0; dotIdx < BK; ++dotIdx) {
      for (uint i = 0; i < TM; ++i) {
        regM[i] = As[dotIdx * BM + threadRow * TM + i];
      }
      for (uint i = 0; i < TN; ++i) {
        regN[i] = Bs[dotIdx * BN + threadCol * TN + i];
      }
      for (uint m = 0; m < TM; ++m) {
        for (uint n = 0; n < TN; ++n) {
          threadResults[m * TN + n] += regM[m] * regN[n];
        }
      }
    }
    __syncthreads();
  }

  for (uint m = 0; m < TM; m += 1) {
    for (uint n = 0; n < TN; n += 4) {
      float4 out;
      out.x = threadResults[m * TN + n];
      out.y = threadResults[m * TN + n + 1];
      out.z = threadResults[m * TN + n + 2];
      out.w = threadResults[m * TN + n + 3];
      reinterpret_cast<float4 *>(&C[(threadRow * TM + m) * N + threadCol * TN + n])[0] = out;
    }
  }
}

// Double-buffered 16x16 tiles with one padding column.
__global__ void sgemmDouble(const float *__restrict__ A, const float *__restrict__ B, float *__restrict__ C, int N, int K) {
  __shared__ float a[2][16][17], b[2][16][17];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
  a[0][ty][tx] = A[row * K + tx];
  b[0][ty][tx] = B[ty * N + col];
  __syncthreads();
  float acc = 0.f;
  int cur = 0;
  for (int k0 = 0; k0 < K; k0 += 16) {
    float na = 0.f, nb = 0.f;
    if (k0 + 16 < K) {
      na = A[row * K + k0 + 16 + tx];
      nb = B[(k0 + 16 + ty) * N + col];
    }
#pragma unroll
    for (int k = 0; k < 16; ++k) acc = fmaf(a[cur][ty][k], b[cur][k][tx], acc);
    if (k0 + 16 < K) {
      a[cur ^ 1][ty][tx] = na;
      b[cur ^ 1][ty][tx] = nb;
    }
    __syncthreads();
    cur ^= 1;
  }
  C[row * N + col] = acc;
}

int main() {
  constexpr int M = 256, N = 192, K = 128;
  std::mt19937 gen(7);
  std::uniform_int_distribution<int> pick(-3, 3);
  std::vector<float> A(M * K), B(K * N), C(M * N), ref(M * N);
  for (auto &v : A) v = pick(gen);
  for (auto &v : B) v = pick(gen);
  for (int m = 0; m < M; ++m)
    for (int n = 0; n < N; ++n)
      for (int k = 0; k < K; ++k) ref[m * N + n] += A[m * K + k] * B[k * N + n];
  float *dA, *dB, *dC;
  CUDA_OR_EXIT(cudaMalloc(&dA, sizeof(float) * A.size()));
  CUDA_OR_EXIT(cudaMalloc(&dB, sizeof(float) * B.size()));
  CUDA_OR_EXIT(cudaMalloc(&dC, sizeof(float) * C.size()));
  CUDA_OR_EXIT(cudaMemcpy(dA, A.data(), sizeof(float) * A.size(), cudaMemcpyHostToDevice));
  CUDA_OR_EXIT(cudaMemcpy(dB, B.data(), sizeof(float) * B.size(), cudaMemcpyHostToDevice));
  int bad = 0;
  auto judge = [&](const char *name) {
    CUDA_OR_EXIT(cudaGetLastError());
    CUDA_OR_EXIT(cudaMemcpy(C.data(), dC, sizeof(float) * C.size(), cudaMemcpyDeviceToHost));
    CUDA_OR_EXIT(cudaMemset(dC, 0, sizeof(float) * C.size()));
    bool same = C == ref;
    std::printf("%s: %s\n", name, same ? "correct" : "WRONG");
    bad += !same;
  };
  CUDA_OR_EXIT(cudaMemset(dC, 0, sizeof(float) * C.size()));
  {
    dim3 gridDim((M + 31) / 32, (N + 31) / 32);
    dim3 blockDim(32 * 32);
    sgemm_coalesce<32><<<gridDim, blockDim>>>(M, N, K, 1.0f, dA, dB, 0.0f, dC);
    judge("coalesce 32");
  }
  sgemm_coalesce<16><<<dim3(M / 16, N / 16), 256>>>(M, N, K, 1.0f, dA, dB, 0.0f, dC);
  judge("coalesce 16");
  {
    const uint BM = 64, BN = 64, BK = 8, TM = 8;
    dim3 gridDim(N / BN, M / BM);
    dim3 blockDim((BM * BN) / TM);
    sgemm1DBlocktiling<BM, BN, BK, TM><<<gridDim, blockDim>>>(M, N, K, 1.0f, dA, dB, 0.0f, dC);
    judge("1d tiles");
  }
  {
    const uint BM = 64, BN = 64, BK = 16, TM = 4, TN = 4;
    dim3 gridDim(N / BN, M / BM);
    sgemmVectorize<BM, BN, BK, TM, TN><<<gridDim, (BM * BN) / (TM * TN)>>>(M, N, K, dA, dB, dC);
    judge("vectorize");
  }
  sgemmDouble<<<dim3(N / 16, M / 16), dim3(16, 16)>>>(dA, dB, dC, N, K);
  judge("double buffered");
  std::puts(bad ? "FAIL" : "OK");
  return bad;
}
