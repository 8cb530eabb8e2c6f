// origin: issue cases
#include <cuda_runtime.h>
#include <cstdio>
#include <vector>

// The mistakes of slide 1 of Mark Harris: interleaved addressing, divergent
__global__ void reduce0(const float *g_in, float *g_out, unsigned int n) {
  extern __shared__ float sdata[];
  unsigned int tid = threadIdx.x;
  unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  sdata[tid] = (i < n) ? g_in[i] : 0;
  __syncthreads();
  for (unsigned int s = 1; s < blockDim.x; s *= 2) {
    if (tid % (2 * s) == 0)
      sdata[tid] += sdata[tid + s];
    __syncthreads();
  }
  if (tid == 0) g_out[blockIdx.x] = sdata[0];
}

// strided index: bank conflicts
__global__ void reduce1(const float *g_in, float *g_out, unsigned int n) {
  extern __shared__ float sdata[];
  unsigned int tid = threadIdx.x;
  unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  sdata[tid] = (i < n) ? g_in[i] : 0;
  __syncthreads();
  for (unsigned int s = 1; s < blockDim.x; s *= 2) {
    int index = 2 * s * tid;
    if (index < blockDim.x)
      sdata[index] += sdata[index + s];
    __syncthreads();
  }
  if (tid == 0) g_out[blockIdx.x] = sdata[0];
}

// warp shuffles, but the early return strands a barrier, and an old unsynced shuffle
__global__ void reduce2(const float *g_in, float *g_out, unsigned int n) {
  __shared__ float warp_sums[32];
  unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = g_in[i];
  for (int offset = 16; offset > 0; offset >>= 1)
    v += __shfl_down_sync(0xffffffff, v, offset);
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  if (lane == 0) {
    warp_sums[warp] = v;
    __syncthreads();
  }
  if (warp == 0) {
    v = lane < blockDim.x / 32 ? warp_sums[lane] : 0.0;
    for (int offset = 16; offset > 0; offset >>= 1)
      v += __shfl_down_sync(0xffffffff, v, offset);
    if (lane == 0) atomicAdd(g_out, v);
  }
}

// everyone hammers one address
__global__ void reduce_atomic(const float *g_in, float *g_out, unsigned int n) {
  unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(g_out, g_in[i] * 0.5);
}

int main() {
  const unsigned int n = 1 << 24;
  float *in, *out;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&out, (n / 256) * sizeof(float));
  int threads = 256, blocks = (n + threads - 1) / threads;
  reduce0<<<blocks, threads, threads * sizeof(float)>>>(in, out, n);
  reduce1<<<blocks, threads, threads * sizeof(float)>>>(in, out, n);
  reduce2<<<blocks, threads>>>(in, out, n);
  reduce_atomic<<<blocks, threads>>>(in, out, n);
  cudaDeviceSynchronize();
}
