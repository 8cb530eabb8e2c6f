// Depthwise, transposed and winograd-style convolutions, im2col and pooling with templates.
#include <cuda_runtime.h>

struct Shape {
  int n, c, h, w, oh, ow;
};

template <int K, int STRIDE, int PAD>
__global__ void depthwise(const float *__restrict__ x, const float *__restrict__ f, float *__restrict__ y, Shape s) {
  const int ow = blockIdx.x * blockDim.x + threadIdx.x;
  const int oh = blockIdx.y * blockDim.y + threadIdx.y;
  const int nc = blockIdx.z, c = nc % s.c;
  __shared__ float k[K * K];
  const int t = threadIdx.y * blockDim.x + threadIdx.x;
  if (t < K * K) k[t] = f[c * K * K + t];
  __syncthreads();
  if (ow >= s.ow || oh >= s.oh) return;
  const float *in = x + nc * s.h * s.w;
  float acc = 0.f;
#pragma unroll
  for (int i = 0; i < K; i++)
#pragma unroll
    for (int j = 0; j < K; j++) {
      const int yy = oh * STRIDE + i - PAD, xx = ow * STRIDE + j - PAD;
      if (yy >= 0 && yy < s.h && xx >= 0 && xx < s.w) acc += in[yy * s.w + xx] * k[i * K + j];
    }
  y[(nc * s.oh + oh) * s.ow + ow] = acc;
}

template <int TX, int TY, int R>
__global__ void tile_conv(const float *in, const float *weight, float *out, int w, int h) {
  __shared__ float tile[TY + 2 * R][TX + 2 * R];
  const int x0 = blockIdx.x * TX - R, y0 = blockIdx.y * TY - R;
  for (int i = threadIdx.y * TX + threadIdx.x; i < (TX + 2 * R) * (TY + 2 * R); i += TX * TY) {
    const int ly = i / (TX + 2 * R), lx = i % (TX + 2 * R);
    const int gx = min(max(x0 + lx, 0), w - 1), gy = min(max(y0 + ly, 0), h - 1);
    tile[ly][lx] = in[gy * w + gx];
  }
  __syncthreads();
  const int x = blockIdx.x * TX + threadIdx.x, y = blockIdx.y * TY + threadIdx.y;
  if (x < w && y < h) {
    float s = 0.f;
#pragma unroll
    for (int j = 0; j <= 2 * R; j++)
#pragma unroll
      for (int i = 0; i <= 2 * R; i++) s += tile[threadIdx.y + j][threadIdx.x + i] * __ldg(&weight[j * (2 * R + 1) + i]);
    out[y * w + x] = s;
  }
}

__global__ void im2col_nchw(int n, const float *im, int height, int width, int k, int pad, int stride, int oh, int ow, float *col) {
  for (int index = blockIdx.x * blockDim.x + threadIdx.x; index < n; index += blockDim.x * gridDim.x) {
    const int w_out = index % ow, h_index = index / ow, h_out = h_index % oh, c_in = h_index / oh;
    const int c_out = c_in * k * k, h_in = h_out * stride - pad, w_in = w_out * stride - pad;
    float *p = col + (c_out * oh + h_out) * ow + w_out;
    const float *q = im + (c_in * height + h_in) * width + w_in;
    for (int i = 0; i < k; ++i)
      for (int j = 0; j < k; ++j) {
        const int h = h_in + i, w = w_in + j;
        *p = (h >= 0 && w >= 0 && h < height && w < width) ? q[i * width + j] : 0.f;
        p += oh * ow;
      }
  }
}

template <bool MAX>
__global__ void pool_nhwc(const float4 *in, float4 *out, int h, int w, int c4, int k, int s, int oh, int ow) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= oh * ow * c4) return;
  int c = i % c4, x = (i / c4) % ow, y = i / (c4 * ow);
  float4 r = MAX ? make_float4(-1e30f, -1e30f, -1e30f, -1e30f) : make_float4(0, 0, 0, 0);
  for (int dy = 0; dy < k; dy++)
    for (int dx = 0; dx < k; dx++) {
      int yy = y * s + dy, xx = x * s + dx;
      if (yy >= h || xx >= w) continue;
      float4 v = in[(yy * w + xx) * c4 + c];
      if (MAX) {
        r.x = fmaxf(r.x, v.x), r.y = fmaxf(r.y, v.y), r.z = fmaxf(r.z, v.z), r.w = fmaxf(r.w, v.w);
      } else {
        r.x += v.x, r.y += v.y, r.z += v.z, r.w += v.w;
      }
    }
  out[i] = r;
}

__global__ void conv1d_shift(const float *__restrict__ x, const float *__restrict__ w, float *y, int channels, int len) {
  int c = blockIdx.y, t = blockIdx.x * blockDim.x + threadIdx.x;
  float k0 = w[c * 4], k1 = w[c * 4 + 1], k2 = w[c * 4 + 2], k3 = w[c * 4 + 3];
  const float *row = x + c * len;
  if (t < len) {
    float s = k3 * row[t];
    if (t >= 1) s += k2 * row[t - 1];
    if (t >= 2) s += k1 * row[t - 2];
    if (t >= 3) s += k0 * row[t - 3];
    y[c * len + t] = s;
  }
}

int main() {
  const size_t n = 1 << 21;
  float *a, *b, *c;
  cudaMalloc(&a, n * 4), cudaMalloc(&b, n * 4), cudaMalloc(&c, n * 4);
  cudaMemset(a, 0, n * 4);
  depthwise<3, 1, 1><<<dim3(2, 4, 10), dim3(32, 8)>>>(a, b, c, Shape{2, 5, 30, 45, 30, 45});
  depthwise<5, 2, 2><<<dim3(1, 2, 10), dim3(32, 8)>>>(a, b, c, Shape{2, 5, 30, 45, 15, 23});
  tile_conv<32, 8, 2><<<dim3(4, 9), dim3(32, 8)>>>(a, b, c, 100, 70);
  tile_conv<16, 16, 3><<<dim3(7, 5), dim3(16, 16)>>>(a, b, c, 100, 70);
  im2col_nchw<<<9, 256>>>(4 * 20 * 26, a, 20, 26, 3, 1, 1, 20, 26, c);
  pool_nhwc<true><<<20, 128>>>((float4 *)a, (float4 *)c, 21, 25, 16, 3, 2, 11, 13);
  pool_nhwc<false><<<20, 128>>>((float4 *)a, (float4 *)c, 20, 24, 16, 2, 2, 10, 12);
  conv1d_shift<<<dim3(3, 7), 128>>>(a, b, c, 7, 333);
  return cudaDeviceSynchronize() != cudaSuccess;
}
