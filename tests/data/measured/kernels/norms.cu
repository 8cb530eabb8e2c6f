// Softmax, layer norm and RMS norm with vector loads, as inference engines write them.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

template <int WIDTH>
__device__ __forceinline__ float warp_sum(float v) {
#pragma unroll
  for (int m = WIDTH / 2; m > 0; m >>= 1) v += __shfl_xor_sync(0xffffffff, v, m, WIDTH);
  return v;
}

template <int THREADS>
__device__ float block_sum(float v) {
  __shared__ float shared[THREADS / 32];
  __shared__ float total;
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  v = warp_sum<32>(v);
  if (lane == 0) shared[warp] = v;
  __syncthreads();
  if (warp == 0) {
    v = lane < THREADS / 32 ? shared[lane] : 0.f;
    v = warp_sum<32>(v);
    if (lane == 0) total = v;
  }
  __syncthreads();
  return total;
}

template <typename T, int N>
struct alignas(sizeof(T) * N) Pack {
  T v[N];
};

template <int THREADS>
__global__ void __launch_bounds__(THREADS) rmsnorm_vec(const half *__restrict__ x, const half *__restrict__ w, half *__restrict__ y, int d, float eps) {
  using P = Pack<half, 8>;
  const P *row = reinterpret_cast<const P *>(x + (size_t)blockIdx.x * d);
  float ss = 0.f;
  for (int i = threadIdx.x; i < d / 8; i += THREADS) {
    P p = row[i];
#pragma unroll
    for (int k = 0; k < 8; k++) {
      float f = __half2float(p.v[k]);
      ss += f * f;
    }
  }
  float scale = rsqrtf(block_sum<THREADS>(ss) / d + eps);
  const P *wp = reinterpret_cast<const P *>(w);
  P *out = reinterpret_cast<P *>(y + (size_t)blockIdx.x * d);
  for (int i = threadIdx.x; i < d / 8; i += THREADS) {
    P p = row[i], g = wp[i], r;
#pragma unroll
    for (int k = 0; k < 8; k++) r.v[k] = __float2half(__half2float(p.v[k]) * scale * __half2float(g.v[k]));
    out[i] = r;
  }
}

template <int THREADS, int PER>
__global__ void layernorm_registers(const float *x, const float *gamma, const float *beta, float *y, int d) {
  float4 v[PER];
  const float4 *row = (const float4 *)(x + blockIdx.x * d);
  float s = 0.f;
#pragma unroll
  for (int k = 0; k < PER; k++) {
    int i = threadIdx.x + k * THREADS;
    v[k] = i * 4 < d ? row[i] : make_float4(0, 0, 0, 0);
    s += v[k].x + v[k].y + v[k].z + v[k].w;
  }
  float mean = block_sum<THREADS>(s) / d;
  float q = 0.f;
#pragma unroll
  for (int k = 0; k < PER; k++) {
    int i = threadIdx.x + k * THREADS;
    if (i * 4 < d) {
      float a = v[k].x - mean, b = v[k].y - mean, c = v[k].z - mean, e = v[k].w - mean;
      q += a * a + b * b + c * c + e * e;
    }
  }
  float inv = rsqrtf(block_sum<THREADS>(q) / d + 1e-5f);
#pragma unroll
  for (int k = 0; k < PER; k++) {
    int i = threadIdx.x + k * THREADS;
    if (i * 4 < d) {
      float4 g = ((const float4 *)gamma)[i], b = ((const float4 *)beta)[i], r;
      r.x = (v[k].x - mean) * inv * g.x + b.x;
      r.y = (v[k].y - mean) * inv * g.y + b.y;
      r.z = (v[k].z - mean) * inv * g.z + b.z;
      r.w = (v[k].w - mean) * inv * g.w + b.w;
      ((float4 *)(y + blockIdx.x * d))[i] = r;
    }
  }
}

__global__ void softmax_warp_rows(const float *in, float *out, int rows, int cols) {
  int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= rows) return;
  in += row * cols;
  out += row * cols;
  float m = -INFINITY;
  for (int c = threadIdx.x; c < cols; c += 32) m = fmaxf(m, in[c]);
  for (int o = 16; o; o >>= 1) m = fmaxf(m, __shfl_xor_sync(~0u, m, o));
  float s = 0.f;
  for (int c = threadIdx.x; c < cols; c += 32) s += __expf(in[c] - m);
  s = warp_sum<32>(s);
  for (int c = threadIdx.x; c < cols; c += 32) out[c] = __expf(in[c] - m) / s;
}

__global__ void softmax_online_half2(const half2 *in, half2 *out, int cols2) {
  extern __shared__ float2 stage[];
  const half2 *row = in + blockIdx.x * cols2;
  float m = -65504.f, s = 0.f;
  for (int c = threadIdx.x; c < cols2; c += blockDim.x) {
    float2 f = __half22float2(row[c]);
    stage[c] = f;
    float nm = fmaxf(m, fmaxf(f.x, f.y));
    s = s * __expf(m - nm) + __expf(f.x - nm) + __expf(f.y - nm);
    m = nm;
  }
  __shared__ float sm[32], ss[32];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int o = 16; o; o >>= 1) {
    float m2 = __shfl_down_sync(~0u, m, o), s2 = __shfl_down_sync(~0u, s, o), nm = fmaxf(m, m2);
    s = s * __expf(m - nm) + s2 * __expf(m2 - nm);
    m = nm;
  }
  if (lane == 0) sm[warp] = m, ss[warp] = s;
  __syncthreads();
  m = sm[0];
  s = ss[0];
  for (int w = 1; w < blockDim.x / 32; w++) {
    float nm = fmaxf(m, sm[w]);
    s = s * __expf(m - nm) + ss[w] * __expf(sm[w] - nm);
    m = nm;
  }
  for (int c = threadIdx.x; c < cols2; c += blockDim.x) {
    float2 f = stage[c];
    out[blockIdx.x * cols2 + c] = __floats2half2_rn(__expf(f.x - m) / s, __expf(f.y - m) / s);
  }
}

int main() {
  float *a, *b, *c, *d;
  half *h, *g;
  const size_t n = 1 << 20;
  cudaMalloc(&a, n * 4), cudaMalloc(&b, n * 4), cudaMalloc(&c, n * 4), cudaMalloc(&d, n * 4);
  cudaMalloc(&h, n * 2), cudaMalloc(&g, n * 2);
  cudaMemset(a, 0, n * 4), cudaMemset(h, 0, n * 2);
  rmsnorm_vec<128><<<33, 128>>>(h, g, h + n / 2, 1000, 1e-6f);
  rmsnorm_vec<256><<<17, 256>>>(h, g, h + n / 2, 4096, 1e-6f);
  layernorm_registers<128, 2><<<21, 128>>>(a, b, c, d, 900);
  layernorm_registers<64, 4><<<21, 64>>>(a, b, c, d, 1024);
  softmax_warp_rows<<<12, dim3(32, 4)>>>(a, b, 45, 203);
  softmax_online_half2<<<19, 128, 300 * sizeof(float2)>>>((half2 *)h, (half2 *)g, 300);
  return cudaDeviceSynchronize() != cudaSuccess;
}
