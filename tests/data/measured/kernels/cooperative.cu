// Reductions and scans with cooperative groups, as sample collections write them.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_runtime.h>
#include <cstdio>
namespace cg = cooperative_groups;

template <typename T, unsigned BLOCK>
__global__ void reduce_tiles(const T *in, T *out, unsigned n) {
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<32> tile = cg::tiled_partition<32>(block);
  __shared__ T partial[BLOCK / 32];
  T sum = 0;
  for (unsigned i = blockIdx.x * BLOCK * 2 + threadIdx.x; i < n; i += BLOCK * 2 * gridDim.x) {
    sum += in[i];
    if (i + BLOCK < n) sum += in[i + BLOCK];
  }
  for (int offset = tile.size() / 2; offset > 0; offset >>= 1) sum += tile.shfl_down(sum, offset);
  if (tile.thread_rank() == 0) partial[tile.meta_group_rank()] = sum;
  cg::sync(block);
  if (tile.meta_group_rank() == 0) {
    T v = tile.thread_rank() < tile.meta_group_size() ? partial[tile.thread_rank()] : T(0);
    for (int offset = tile.size() / 2; offset > 0; offset >>= 1) v += tile.shfl_down(v, offset);
    if (tile.thread_rank() == 0) out[blockIdx.x] = v;
  }
}

__global__ void reduce_halving(const int *in, int *out, int n) {
  extern __shared__ int temp[];
  cg::thread_block g = cg::this_thread_block();
  int lane = g.thread_rank();
  int v = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 4; i += blockDim.x * gridDim.x) {
    int4 q = reinterpret_cast<const int4 *>(in)[i];
    v += q.x + q.y + q.z + q.w;
  }
  for (int half = g.size() / 2; half > 0; half /= 2) {
    temp[lane] = v;
    g.sync();
    if (lane < half) v += temp[lane + half];
    g.sync();
  }
  if (lane == 0) atomicAdd(out, v);
}

template <int TILE>
__global__ void segmented_sum(const float *in, float *out, int rows, int cols) {
  auto tile = cg::tiled_partition<TILE>(cg::this_thread_block());
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / TILE;
  if (row >= rows) return;
  float s = 0.f;
  for (int c = tile.thread_rank(); c < cols; c += TILE) s += in[row * cols + c];
  for (int o = TILE / 2; o; o /= 2) s += tile.shfl_xor(s, o);
  if (tile.thread_rank() == 0) out[row] = s;
}

__global__ void filter_positive(const int *in, int *out, int *count, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (in[i] > 0) {
    cg::coalesced_group active = cg::coalesced_threads();
    int base = 0;
    if (active.thread_rank() == 0) base = atomicAdd(count, active.size());
    base = active.shfl(base, 0);
    out[base + active.thread_rank()] = in[i];
  }
}

int main() {
  const int n = 100000;
  float *a, *b;
  int *i, *o;
  cudaMalloc(&a, n * sizeof(float));
  cudaMalloc(&b, n * sizeof(float));
  cudaMalloc(&i, n * sizeof(int));
  cudaMalloc(&o, n * sizeof(int));
  cudaMemset(a, 0, n * sizeof(float));
  cudaMemset(i, 0, n * sizeof(int));
  reduce_tiles<float, 256><<<24, 256>>>(a, b, n);
  reduce_tiles<int, 128><<<7, 128>>>(i, o, 5000);
  reduce_halving<<<6, 256, 256 * sizeof(int)>>>(i, o, 40000);
  segmented_sum<8><<<20, 128>>>(a, b, 300, 45);
  segmented_sum<32><<<20, 128>>>(a, b, 77, 130);
  filter_positive<<<10, 256>>>(i, o, o + 5000, 2500);
  return cudaDeviceSynchronize() != cudaSuccess;
}
