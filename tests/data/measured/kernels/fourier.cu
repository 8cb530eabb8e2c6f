// FFT steps: radix-2 in shared memory, radix-4 Stockham passes, a 16-point transform in registers, bit reversal.
#include <cuda_runtime.h>

__device__ __forceinline__ float2 cmul(float2 a, float2 b) { return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }
__device__ __forceinline__ float2 cadd(float2 a, float2 b) { return make_float2(a.x + b.x, a.y + b.y); }
__device__ __forceinline__ float2 csub(float2 a, float2 b) { return make_float2(a.x - b.x, a.y - b.y); }

template <int LOG>
__global__ void fft_shared(const float2 *in, float2 *out) {
  constexpr int N = 1 << LOG;
  __shared__ float2 s[N];
  int t = threadIdx.x;
  const float2 *src = in + blockIdx.x * N;
  s[__brev(t) >> (32 - LOG)] = src[t];
  s[__brev(t + N / 2) >> (32 - LOG)] = src[t + N / 2];
  __syncthreads();
  for (int len = 1; len < N; len *= 2) {
    int j = t & (len - 1), base = (t / len) * len * 2 + j;
    float sn, cs;
    sincospif(-(float)j / len, &sn, &cs);
    float2 u = s[base], v = cmul(s[base + len], make_float2(cs, sn));
    s[base] = cadd(u, v);
    s[base + len] = csub(u, v);
    __syncthreads();
  }
  out[blockIdx.x * N + t] = s[t];
  out[blockIdx.x * N + t + N / 2] = s[t + N / 2];
}

__global__ void stockham4(const float2 *x, float2 *y, int n, int stride) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, quarter = n / 4;
  if (i >= quarter) return;
  int k = i & (stride - 1);
  float2 a = x[i], b = x[i + quarter], c = x[i + 2 * quarter], d = x[i + 3 * quarter];
  float ang = -6.2831853f * k / (4 * stride);
  float2 w1 = make_float2(__cosf(ang), __sinf(ang)), w2 = cmul(w1, w1), w3 = cmul(w1, w2);
  b = cmul(b, w1), c = cmul(c, w2), d = cmul(d, w3);
  float2 e = cadd(a, c), f = csub(a, c), g = cadd(b, d), h = csub(b, d);
  h = make_float2(h.y, -h.x);
  int o = ((i - k) << 2) + k;
  y[o] = cadd(e, g);
  y[o + stride] = cadd(f, h);
  y[o + 2 * stride] = csub(e, g);
  y[o + 3 * stride] = csub(f, h);
}

__global__ void fft8_columns(float *re, float *im, int pitch, int batch) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= batch) return;
  float r[8], m[8];
#pragma unroll
  for (int k = 0; k < 8; k++) r[k] = re[k * pitch + c], m[k] = im[k * pitch + c];
#pragma unroll
  for (int half = 4; half; half >>= 1)
#pragma unroll
    for (int k = 0; k < 8; k++)
      if (!(k & half)) {
        float ar = r[k], ai = m[k], br = r[k | half], bi = m[k | half];
        r[k] = ar + br, m[k] = ai + bi, r[k | half] = ar - br, m[k | half] = ai - bi;
      }
#pragma unroll
  for (int k = 0; k < 8; k++) {
    int rev = ((k & 1) << 2) | (k & 2) | (k >> 2);
    re[rev * pitch + c] = r[k], im[rev * pitch + c] = m[k];
  }
}

__global__ void bit_reverse(const float *in, float *out, int bits) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  out[__brev(i) >> (32 - bits)] = in[i];
}

__global__ void transpose_twiddle(const float2 *in, float2 *out, int rows, int cols) {
  __shared__ float2 tile[16][17];
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  if (x < cols && y < rows) {
    float s, c;
    __sincosf(-6.2831853f * x * y / (rows * cols), &s, &c);
    tile[threadIdx.y][threadIdx.x] = cmul(in[y * cols + x], make_float2(c, s));
  }
  __syncthreads();
  x = blockIdx.y * 16 + threadIdx.x, y = blockIdx.x * 16 + threadIdx.y;
  if (x < rows && y < cols) out[y * rows + x] = tile[threadIdx.x][threadIdx.y];
}

int main() {
  const size_t n = 1 << 20;
  float2 *a, *b;
  cudaMalloc(&a, n * 8), cudaMalloc(&b, n * 8);
  cudaMemset(a, 0, n * 8);
  fft_shared<8><<<11, 128>>>(a, b);
  fft_shared<10><<<5, 512>>>(a, b);
  stockham4<<<4, 256>>>(a, b, 4096, 1);
  stockham4<<<4, 256>>>(b, a, 4096, 16);
  fft8_columns<<<4, 96>>>((float *)a, (float *)b, 400, 333);
  bit_reverse<<<8, 128>>>((float *)a, (float *)b, 10);
  transpose_twiddle<<<dim3(5, 4), dim3(16, 16)>>>(a, b, 50, 70);
  return cudaDeviceSynchronize() != cudaSuccess;
}
