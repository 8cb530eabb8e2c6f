// origin: issue cases
#include <cuda_runtime.h>
#include <stdint.h>

#define NUM_BINS 256

__global__ void hist_global(const uint8_t *data, size_t n, unsigned int *bins) {
  size_t stride = (size_t)gridDim.x * blockDim.x;
  for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
    atomicAdd(&bins[data[i]], 1u);  // expect: KL208 all updates go to at most 256 addresses | in shared memory
}

// one private histogram per warp, interleaved the wrong way round
__global__ void hist_private(const uint8_t *data, size_t n, unsigned int *bins) {
  __shared__ unsigned int s_bins[8 * NUM_BINS];
  for (int b = threadIdx.x; b < 8 * NUM_BINS; b += blockDim.x) s_bins[b] = 0;
  __syncthreads();
  unsigned int *mine = s_bins + (threadIdx.x / 32) * NUM_BINS;
  for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
    atomicAdd(&mine[data[i]], 1u);
  __syncthreads();
  // merge: each thread one bin, all copies
  for (int b = threadIdx.x; b < NUM_BINS; b += blockDim.x) {
    unsigned int sum = 0;
    for (int w = 0; w < 8; ++w) sum += s_bins[w * NUM_BINS + b];
    atomicAdd(&bins[b], sum);
  }
}

// per-thread byte counters: threadIdx.x * 256 + bin -> classic SDK histogram64 trap
__global__ void hist_per_thread(const uchar4 *data, int n, unsigned int *partial) {
  __shared__ unsigned char counters[64 * 64];
  for (int k = 0; k < 64; k++) counters[threadIdx.x * 64 + k] = 0;  // expect: KL101 16 wavefronts per request instead of 1
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    uchar4 v = data[i];
    counters[threadIdx.x * 64 + (v.x >> 2)]++;
    counters[threadIdx.x * 64 + (v.y >> 2)]++;
    counters[threadIdx.x * 64 + (v.z >> 2)]++;
    counters[threadIdx.x * 64 + (v.w >> 2)]++;
  }
  __syncthreads();
  unsigned int sum = 0;
  for (int t = 0; t < 64; t++) sum += counters[t * 64 + threadIdx.x];
  partial[blockIdx.x * 64 + threadIdx.x] = sum;
}

void run(const uint8_t *data, size_t n, unsigned int *bins, unsigned int *partial) {
  hist_global<<<1024, 256>>>(data, n, bins);
  hist_private<<<1024, 256>>>(data, n, bins);
  hist_per_thread<<<240, 64>>>((const uchar4 *)data, (int)(n / 4), partial);
}
