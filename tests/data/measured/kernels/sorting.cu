// Radix sort passes, scans with decoupled blocks, histograms with private copies, top-k by warps, merges.
#include <cuda_runtime.h>
#include <cstdint>

template <int BITS, int THREADS>
__global__ void radix_count(const uint32_t *keys, uint32_t *counts, int n, int shift) {
  constexpr int BINS = 1 << BITS;
  __shared__ uint32_t bins[BINS];
  for (int i = threadIdx.x; i < BINS; i += THREADS) bins[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * THREADS + threadIdx.x; i < n; i += gridDim.x * THREADS) atomicAdd(&bins[(keys[i] >> shift) & (BINS - 1)], 1u);
  __syncthreads();
  for (int i = threadIdx.x; i < BINS; i += THREADS) counts[i * gridDim.x + blockIdx.x] = bins[i];
}

template <int THREADS>
__global__ void split_by_bit(const uint32_t *in, uint32_t *out, int bit) {
  __shared__ int scan[2][THREADS];
  __shared__ uint32_t keys[THREADS];
  const int t = threadIdx.x;
  uint32_t key = in[blockIdx.x * THREADS + t];
  int zero = !((key >> bit) & 1), cur = 0;
  scan[0][t] = zero;
  __syncthreads();
  for (int o = 1; o < THREADS; o <<= 1) {
    int v = scan[cur][t];
    if (t >= o) v += scan[cur][t - o];
    cur ^= 1;
    scan[cur][t] = v;
    __syncthreads();
  }
  int total = scan[cur][THREADS - 1], pos = zero ? scan[cur][t] - 1 : total + t - scan[cur][t];
  keys[pos] = key;
  __syncthreads();
  out[blockIdx.x * THREADS + t] = keys[t];
}

__global__ void scan_block4(const int4 *in, int4 *out, int *sums, int n4) {
  __shared__ int warps[32];
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31, w = threadIdx.x >> 5;
  int4 v = i < n4 ? in[i] : make_int4(0, 0, 0, 0);
  v.y += v.x, v.z += v.y, v.w += v.z;
  int s = v.w;
#pragma unroll
  for (int o = 1; o < 32; o <<= 1) {
    int u = __shfl_up_sync(~0u, s, o);
    if (lane >= o) s += u;
  }
  if (lane == 31) warps[w] = s;
  __syncthreads();
  if (w == 0) {
    int u = lane < (blockDim.x >> 5) ? warps[lane] : 0;
#pragma unroll
    for (int o = 1; o < 32; o <<= 1) {
      int x = __shfl_up_sync(~0u, u, o);
      if (lane >= o) u += x;
    }
    warps[lane] = u;
  }
  __syncthreads();
  int base = s - v.w + (w ? warps[w - 1] : 0);
  if (i < n4) out[i] = make_int4(base + v.x, base + v.y, base + v.z, base + v.w);
  if (threadIdx.x == blockDim.x - 1) sums[blockIdx.x] = base + v.w;
}

__global__ void histogram_private(const uchar4 *img, unsigned *partial, int n4) {
  __shared__ unsigned s[8][257];
  int warp = threadIdx.x >> 5;
  for (int i = threadIdx.x; i < 8 * 257; i += blockDim.x) (&s[0][0])[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n4; i += blockDim.x * gridDim.x) {
    uchar4 p = img[i];
    atomicAdd(&s[warp][p.x], 1), atomicAdd(&s[warp][p.y], 1), atomicAdd(&s[warp][p.z], 1), atomicAdd(&s[warp][p.w], 1);
  }
  __syncthreads();
  for (int b = threadIdx.x; b < 256; b += blockDim.x) {
    unsigned t = 0;
#pragma unroll
    for (int w = 0; w < 8; w++) t += s[w][b];
    partial[blockIdx.x * 256 + b] = t;
  }
}

template <int K>
__global__ void topk_rows(const float *x, float *val, int *idx, int cols) {
  extern __shared__ float row[];
  const float *in = x + blockIdx.x * cols;
  for (int i = threadIdx.x; i < cols; i += 32) row[i] = in[i];
  __syncwarp();
  for (int k = 0; k < K; k++) {
    float best = -1e30f;
    int where = -1;
    for (int i = threadIdx.x; i < cols; i += 32)
      if (row[i] > best) best = row[i], where = i;
    for (int o = 16; o; o >>= 1) {
      float b2 = __shfl_xor_sync(~0u, best, o);
      int w2 = __shfl_xor_sync(~0u, where, o);
      if (b2 > best || (b2 == best && w2 < where)) best = b2, where = w2;
    }
    if (threadIdx.x == 0) {
      val[blockIdx.x * K + k] = best;
      idx[blockIdx.x * K + k] = where;
      row[where] = -1e30f;
    }
    __syncwarp();
  }
}

template <typename T, int N>
__global__ void bitonic_shared(T *keys) {
  __shared__ T s[N];
  T *k = keys + blockIdx.x * N;
  s[threadIdx.x] = k[threadIdx.x];
  s[threadIdx.x + N / 2] = k[threadIdx.x + N / 2];
  for (int size = 2; size <= N; size <<= 1)
    for (int stride = size / 2; stride > 0; stride >>= 1) {
      __syncthreads();
      int pos = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
      bool up = (threadIdx.x & (size / 2)) == 0;
      T a = s[pos], b = s[pos + stride];
      if ((a > b) == up) s[pos] = b, s[pos + stride] = a;
    }
  __syncthreads();
  k[threadIdx.x] = s[threadIdx.x];
  k[threadIdx.x + N / 2] = s[threadIdx.x + N / 2];
}

int main() {
  const size_t n = 1 << 20;
  int *a, *b, *c;
  cudaMalloc(&a, n * 4), cudaMalloc(&b, n * 4), cudaMalloc(&c, n * 4);
  cudaMemset(a, 0, n * 4);
  radix_count<4, 128><<<6, 128>>>((uint32_t *)a, (uint32_t *)b, 5000, 8);
  radix_count<8, 256><<<4, 256>>>((uint32_t *)a, (uint32_t *)b, 5000, 0);
  split_by_bit<256><<<7, 256>>>((uint32_t *)a, (uint32_t *)b, 3);
  scan_block4<<<5, 256>>>((int4 *)a, (int4 *)b, c, 1200);
  histogram_private<<<5, 256>>>((uchar4 *)a, (unsigned *)b, 6000);
  topk_rows<4><<<21, 32, 333 * 4>>>((float *)a, (float *)b, c, 333);
  bitonic_shared<int, 512><<<6, 256>>>(a);
  return cudaDeviceSynchronize() != cudaSuccess;
}
