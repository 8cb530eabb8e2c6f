// Image filters: bilateral, separable Gaussian with constant weights, Sobel, median, resize, colour conversion, dilation.
#include <cuda_runtime.h>
#include <cstdint>

#define RADIUS 4
__constant__ float gauss[2 * RADIUS + 1];
__constant__ float spatial[64];

__global__ void gauss_rows(const float *in, float *out, int w, int h) {
  __shared__ float s[8][32 + 2 * RADIUS];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  int yc = min(y, h - 1);
  s[threadIdx.y][threadIdx.x + RADIUS] = in[yc * w + min(x, w - 1)];
  if (threadIdx.x < RADIUS) {
    s[threadIdx.y][threadIdx.x] = in[yc * w + max(x - RADIUS, 0)];
    s[threadIdx.y][threadIdx.x + 32 + RADIUS] = in[yc * w + min(x + 32, w - 1)];
  }
  __syncthreads();
  if (x < w && y < h) {
    float v = 0.f;
#pragma unroll
    for (int k = -RADIUS; k <= RADIUS; k++) v += gauss[k + RADIUS] * s[threadIdx.y][threadIdx.x + RADIUS + k];
    out[y * w + x] = v;
  }
}

__global__ void gauss_columns(const float *in, float *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  float v = 0.f;
  for (int k = -RADIUS; k <= RADIUS; k++) {
    int yy = y + k;
    if (yy < 0) yy = -yy;
    if (yy >= h) yy = 2 * h - 2 - yy;
    v += gauss[k + RADIUS] * in[yy * w + x];
  }
  out[y * w + x] = v;
}

__global__ void bilateral(const uchar4 *in, uchar4 *out, int w, int h, float inv2) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  uchar4 c = in[y * w + x];
  float sr = 0, sg = 0, sb = 0, sw = 0;
#pragma unroll
  for (int dy = -2; dy <= 2; dy++)
#pragma unroll
    for (int dx = -2; dx <= 2; dx++) {
      int xx = min(max(x + dx, 0), w - 1), yy = min(max(y + dy, 0), h - 1);
      uchar4 p = in[yy * w + xx];
      float r = p.x - c.x, g = p.y - c.y, b = p.z - c.z;
      float wgt = spatial[(dy + 2) * 5 + dx + 2] * __expf(-(r * r + g * g + b * b) * inv2);
      sr += wgt * p.x, sg += wgt * p.y, sb += wgt * p.z, sw += wgt;
    }
  out[y * w + x] = make_uchar4(sr / sw, sg / sw, sb / sw, c.w);
}

template <int TX, int TY>
__global__ void sobel_tile(const uint8_t *in, uint8_t *out, int w, int h, int pitch) {
  __shared__ uint8_t t[TY + 2][TX + 2];
  int bx = blockIdx.x * TX, by = blockIdx.y * TY;
  for (int j = threadIdx.y; j < TY + 2; j += TY)
    for (int i = threadIdx.x; i < TX + 2; i += TX) {
      int x = bx + i - 1, y = by + j - 1;
      t[j][i] = (x >= 0 && x < w && y >= 0 && y < h) ? in[y * pitch + x] : 0;
    }
  __syncthreads();
  int x = bx + threadIdx.x, y = by + threadIdx.y, i = threadIdx.x + 1, j = threadIdx.y + 1;
  if (x >= w || y >= h) return;
  int gx = t[j - 1][i + 1] + 2 * t[j][i + 1] + t[j + 1][i + 1] - t[j - 1][i - 1] - 2 * t[j][i - 1] - t[j + 1][i - 1];
  int gy = t[j + 1][i - 1] + 2 * t[j + 1][i] + t[j + 1][i + 1] - t[j - 1][i - 1] - 2 * t[j - 1][i] - t[j - 1][i + 1];
  out[y * pitch + x] = min(abs(gx) + abs(gy), 255);
}

__device__ __forceinline__ void order(uint8_t &a, uint8_t &b) {
  uint8_t lo = min(a, b);
  b = max(a, b), a = lo;
}
__global__ void median3(const uint8_t *in, uint8_t *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
  if (x >= w - 1 || y >= h - 1) return;
  uint8_t v[9];
#pragma unroll
  for (int k = 0; k < 9; k++) v[k] = in[(y + k / 3 - 1) * w + x + k % 3 - 1];
#pragma unroll
  for (int i = 0; i < 5; i++)
#pragma unroll
    for (int j = 8; j > 0; j--)
      if (j > i) order(v[j - 1], v[j]);
  out[y * w + x] = v[4];
}

__global__ void rgb_planes(const uchar3 *rgb, float *planes, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uchar3 p = rgb[i];
  planes[i] = p.x / 255.f;
  planes[i + n] = p.y / 255.f;
  planes[i + 2 * n] = p.z / 255.f;
}

__global__ void nv12_to_rgb(const uint8_t *y_plane, const uchar2 *uv, uchar3 *out, int w, int h) {
  int x = (blockIdx.x * blockDim.x + threadIdx.x) * 2, y = (blockIdx.y * blockDim.y + threadIdx.y) * 2;
  if (x >= w || y >= h) return;
  uchar2 c = uv[(y / 2) * (w / 2) + x / 2];
  float u = c.x - 128.f, v = c.y - 128.f;
  for (int j = 0; j < 2; j++)
    for (int i = 0; i < 2; i++) {
      float l = y_plane[(y + j) * w + x + i];
      out[(y + j) * w + x + i] = make_uchar3(l + 1.4f * v, l - 0.34f * u - 0.7f * v, l + 1.77f * u);
    }
}

__global__ void resize_half(const float *in, float *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w / 2 || y >= h / 2) return;
  const float2 *r0 = (const float2 *)(in + 2 * y * w), *r1 = (const float2 *)(in + (2 * y + 1) * w);
  float2 a = r0[x], b = r1[x];
  out[y * (w / 2) + x] = 0.25f * (a.x + a.y + b.x + b.y);
}

int main() {
  const size_t n = 1 << 20;
  float *a, *b;
  cudaMalloc(&a, n * 4), cudaMalloc(&b, n * 4);
  cudaMemset(a, 0, n * 4);
  float g[2 * RADIUS + 1] = {}, s[64] = {};
  cudaMemcpyToSymbol(gauss, g, sizeof(g));
  cudaMemcpyToSymbol(spatial, s, sizeof(s));
  gauss_rows<<<dim3(5, 9), dim3(32, 8)>>>(a, b, 150, 70);
  gauss_columns<<<dim3(5, 9), dim3(32, 8)>>>(a, b, 150, 70);
  bilateral<<<dim3(10, 5), dim3(16, 16)>>>((uchar4 *)a, (uchar4 *)b, 150, 70, 0.01f);
  sobel_tile<32, 8><<<dim3(5, 9), dim3(32, 8)>>>((uint8_t *)a, (uint8_t *)b, 150, 70, 160);
  sobel_tile<64, 4><<<dim3(3, 18), dim3(64, 4)>>>((uint8_t *)a, (uint8_t *)b, 150, 70, 160);
  median3<<<dim3(10, 5), dim3(16, 16)>>>((uint8_t *)a, (uint8_t *)b, 150, 70);
  rgb_planes<<<9, 128>>>((uchar3 *)a, b, 1050);
  nv12_to_rgb<<<dim3(3, 5), dim3(32, 8)>>>((uint8_t *)a, (uchar2 *)a + 40000, (uchar3 *)b, 150, 70);
  resize_half<<<dim3(3, 5), dim3(32, 8)>>>(a, b, 150, 70);
  return cudaDeviceSynchronize() != cudaSuccess;
}
