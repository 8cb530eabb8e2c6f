// Sparse products and hash tables: CSR by vectors and rows, SpMM, ELL, SDDMM, blocked CSR; linear probing.
#include <cuda_runtime.h>
#include <cstdint>

template <int VEC>
__global__ void csr_vector(const int *rowptr, const int *col, const float *val, const float *x, float *y, int rows) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / VEC, lane = threadIdx.x % VEC;
  if (row >= rows) return;
  float s = 0.f;
  for (int j = rowptr[row] + lane; j < rowptr[row + 1]; j += VEC) s += val[j] * x[col[j]];
  for (int o = VEC / 2; o; o /= 2) s += __shfl_down_sync(~0u, s, o, VEC);
  if (lane == 0) y[row] = s;
}

__global__ void spmm_rows(const int *rowptr, const int *col, const float *val, const float4 *b, float4 *c, int rows, int n4) {
  int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= rows) return;
  int lo = rowptr[row], hi = rowptr[row + 1];
  for (int k = threadIdx.x; k < n4; k += blockDim.x) {
    float4 acc = make_float4(0, 0, 0, 0);
    for (int j = lo; j < hi; j++) {
      float v = val[j];
      float4 t = b[(size_t)col[j] * n4 + k];
      acc.x += v * t.x, acc.y += v * t.y, acc.z += v * t.z, acc.w += v * t.w;
    }
    c[(size_t)row * n4 + k] = acc;
  }
}

__global__ void ell_spmv(const int *col, const float *val, const float *x, float *y, int rows, int width, int pitch) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float s = 0.f;
  for (int k = 0; k < width; k++) {
    int c = col[k * pitch + row];
    float v = val[k * pitch + row];
    if (c >= 0) s += v * x[c];
  }
  y[row] = s;
}

__global__ void sddmm_coo(const int *ri, const int *ci, const float *a, const float *b, float *out, int nnz, int k) {
  int e = blockIdx.x * blockDim.y + threadIdx.y;
  if (e >= nnz) return;
  const float *pa = a + ri[e] * k, *pb = b + ci[e] * k;
  float s = 0.f;
  for (int i = threadIdx.x; i < k; i += 32) s += pa[i] * pb[i];
  for (int o = 16; o; o >>= 1) s += __shfl_xor_sync(~0u, s, o);
  if (threadIdx.x == 0) out[e] = s;
}

__global__ void bsr_spmv(const int *rowptr, const int *col, const float *blocks, const float *x, float *y) {
  __shared__ float sx[16], part[16][17];
  int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.x;
  float s = 0.f;
  for (int j = rowptr[row]; j < rowptr[row + 1]; j++) {
    if (ty == 0) sx[tx] = x[col[j] * 16 + tx];
    __syncthreads();
    s += blocks[j * 256 + ty * 16 + tx] * sx[tx];
    __syncthreads();
  }
  part[ty][tx] = s;
  __syncthreads();
  if (tx == 0) {
    float t = 0.f;
    for (int k = 0; k < 16; k++) t += part[ty][k];
    y[row * 16 + ty] = t;
  }
}

struct Slot {
  unsigned key, value;
};
__device__ unsigned mix(unsigned k) {
  k ^= k >> 16, k *= 0x85ebca6b, k ^= k >> 13, k *= 0xc2b2ae35;
  return k ^ (k >> 16);
}
__global__ void table_clear(Slot *t, unsigned n) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) t[i] = Slot{0xffffffffu, 0};
}
__global__ void table_insert(Slot *t, unsigned mask, const unsigned *keys, const unsigned *values, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned k = keys[i], v = values[i], s = mix(k) & mask;
  while (true) {
    unsigned prev = atomicCAS(&t[s].key, 0xffffffffu, k);
    if (prev == 0xffffffffu || prev == k) {
      t[s].value = v;
      return;
    }
    s = (s + 1) & mask;
  }
}
__global__ void table_find(const uint2 *t, unsigned mask, const unsigned *keys, unsigned *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned k = keys[i], s = mix(k) & mask, r = 0;
  for (int probe = 0; probe < 8; probe++) {
    uint2 e = t[s];
    if (e.x == k) {
      r = e.y;
      break;
    }
    s = (s + 1) & mask;
  }
  out[i] = r;
}

__global__ void degree_norm(const int *rowptr, float *inv, int rows) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r < rows) inv[r] = rsqrtf((float)(rowptr[r + 1] - rowptr[r]) + 1.f);
}

int main() {
  const size_t n = 1 << 20;
  float *a, *b, *c;
  int *i, *j;
  cudaMalloc(&a, n * 4), cudaMalloc(&b, n * 4), cudaMalloc(&c, n * 4), cudaMalloc(&i, n * 4), cudaMalloc(&j, n * 4);
  cudaMemset(a, 0, n * 4), cudaMemset(i, 0, n * 4), cudaMemset(j, 0, n * 4);
  csr_vector<8><<<10, 128>>>(i, j, a, b, c, 150);
  spmm_rows<<<20, dim3(32, 4)>>>(i, j, a, (float4 *)b, (float4 *)c, 77, 50);
  ell_spmv<<<5, 128>>>(i, a, b, c, 555, 7, 576);
  sddmm_coo<<<20, dim3(32, 4)>>>(i, j, a, b, c, 78, 70);
  bsr_spmv<<<9, dim3(16, 16)>>>(i, j, a, b, c);
  table_clear<<<3, 256>>>((Slot *)c, 2048);
  table_insert<<<3, 256>>>((Slot *)c, 2047, (unsigned *)i, (unsigned *)j, 700);
  table_find<<<3, 256>>>((uint2 *)c, 2047, (unsigned *)i, (unsigned *)b, 700);
  degree_norm<<<3, 256>>>(i, c, 700);
  return cudaDeviceSynchronize() != cudaSuccess;
}
