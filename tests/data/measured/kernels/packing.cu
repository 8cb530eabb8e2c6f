// Quantisation: int4 and int8 packing, dequantising matrix-vector products, group scales, bit planes.
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <cstdint>

struct block_q4 {
  half d;
  uint8_t qs[16];
};
struct block_q8 {
  float d;
  int8_t qs[32];
};

__global__ void quantise_q4(const float *x, block_q4 *y, int blocks) {
  int b = blockIdx.x * blockDim.x + threadIdx.x;
  if (b >= blocks) return;
  float amax = 0.f;
  for (int i = 0; i < 32; i++) amax = fmaxf(amax, fabsf(x[b * 32 + i]));
  float d = amax / 7.f, id = d ? 1.f / d : 0.f;
  y[b].d = __float2half(d);
  for (int i = 0; i < 16; i++) {
    int lo = (int)(x[b * 32 + i] * id + 8.5f), hi = (int)(x[b * 32 + 16 + i] * id + 8.5f);
    y[b].qs[i] = min(15, lo) | (min(15, hi) << 4);
  }
}

__global__ void dequantise_q4(const block_q4 *x, float *y, int blocks) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, b = i / 16, j = i % 16;
  if (b >= blocks) return;
  float d = __half2float(x[b].d);
  uint8_t q = x[b].qs[j];
  y[b * 32 + j] = ((q & 15) - 8) * d;
  y[b * 32 + j + 16] = ((q >> 4) - 8) * d;
}

__global__ void quantise_q8_warp(const float *x, block_q8 *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i], m = fabsf(v);
  for (int o = 16; o; o >>= 1) m = fmaxf(m, __shfl_xor_sync(~0u, m, o));
  float d = m / 127.f;
  y[i / 32].qs[i % 32] = m == 0.f ? 0 : (int8_t)roundf(v / d);
  if (i % 32 == 0) y[i / 32].d = d;
}

__global__ void gemv_q4(const uint32_t *w, const half *scales, const half *x, float *y, int rows, int cols, int group) {
  int row = blockIdx.x * blockDim.y + threadIdx.y;
  const uint4 *wr = reinterpret_cast<const uint4 *>(w + row * (cols / 8));
  float acc = 0.f;
  for (int v = threadIdx.x; v < cols / 32; v += 32) {
    uint4 p = wr[v];
    float s = __half2float(scales[row * (cols / group) + v * 32 / group]);
    const half *xs = x + v * 32;
    uint32_t words[4] = {p.x, p.y, p.z, p.w};
#pragma unroll
    for (int k = 0; k < 4; k++)
#pragma unroll
      for (int n = 0; n < 8; n++) acc += s * ((int)((words[k] >> (4 * n)) & 15) - 8) * __half2float(xs[k * 8 + n]);
  }
  for (int o = 16; o; o >>= 1) acc += __shfl_xor_sync(~0u, acc, o);
  if (threadIdx.x == 0) y[row] = acc;
}

__global__ void pack_bits(const float *x, uint32_t *bits, int cols, int words) {
  int row = blockIdx.y, c = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned m = __ballot_sync(~0u, c < cols && x[row * cols + c] > 0.f);
  if ((threadIdx.x & 31) == 0 && c / 32 < words) bits[row * words + c / 32] = m;
}

__global__ void xnor_gemm(const uint32_t *a, const uint32_t *b, int *c, int m, int n, int words) {
  __shared__ uint32_t sa[8][33], sb[32][33];
  int row = blockIdx.y * 8 + threadIdx.y, col = blockIdx.x * 32 + threadIdx.x, s = 0;
  for (int w0 = 0; w0 < words; w0 += 32) {
    sa[threadIdx.y][threadIdx.x] = w0 + threadIdx.x < words && row < m ? a[row * words + w0 + threadIdx.x] : 0;
    for (int j = threadIdx.y; j < 32; j += 8) {
      int bc = blockIdx.x * 32 + j;
      sb[j][threadIdx.x] = w0 + threadIdx.x < words && bc < n ? b[bc * words + w0 + threadIdx.x] : 0;
    }
    __syncthreads();
    for (int k = 0; k < 32; k++) s += __popc(sa[threadIdx.y][k] ^ sb[threadIdx.x][k]);
    __syncthreads();
  }
  if (row < m && col < n) c[row * n + col] = words * 32 - 2 * s;
}

__global__ void unpack_int4x8(const int *packed, const half *scale, const int *zeros, half *out, int k8, int n, int group) {
  int col = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y;
  if (col >= n) return;
  int q = packed[r * n + col], g = r * 8 / group;
  half s = scale[g * n + col];
  int z = (zeros[g * (n / 8) + col / 8] >> (4 * (col % 8))) & 15;
#pragma unroll
  for (int i = 0; i < 8; i++) out[(r * 8 + i) * n + col] = __hmul(s, __int2half_rn(((q >> (4 * i)) & 15) - z - 1));
}

int main() {
  const size_t n = 1 << 20;
  float *a, *b;
  cudaMalloc(&a, n * 4), cudaMalloc(&b, n * 4);
  cudaMemset(a, 0, n * 4), cudaMemset(b, 0, n * 4);
  quantise_q4<<<3, 128>>>(a, (block_q4 *)b, 300);
  dequantise_q4<<<25, 192>>>((block_q4 *)a, b, 300);
  quantise_q8_warp<<<10, 256>>>(a, (block_q8 *)b);
  gemv_q4<<<12, dim3(32, 4)>>>((uint32_t *)a, (half *)b, (half *)b + 100000, b + 200000, 48, 4096, 128);
  pack_bits<<<dim3(3, 9), 128>>>(a, (uint32_t *)b, 300, 10);
  xnor_gemm<<<dim3(2, 5), dim3(32, 8)>>>((uint32_t *)a, (uint32_t *)b, (int *)b + 500000, 37, 50, 40);
  unpack_int4x8<<<dim3(3, 16), 128>>>((int *)a, (half *)b, (int *)b + 10000, (half *)b + 500000, 16, 328, 64);
  return cudaDeviceSynchronize() != cudaSuccess;
}
