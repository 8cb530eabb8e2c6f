#include <cstdio>
#include <vector>
#include <cuda_runtime.h>
#include <stdint.h>
#define TILE 16
__global__ void floyd(int *dist, int n, int k) {
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && j < n) {
    int via = dist[i * n + k] + dist[k * n + j];
    if (via < dist[i * n + j])
      dist[i * n + j] = via;
  }
}
__global__ void naive_gemm_accumulate(const float *__restrict__ A, const float *__restrict__ B, float *__restrict__ C, int n) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n || col >= n) return;
  C[row * n + col] = 0.f;
  for (int k = 0; k < n; k++)
    C[row * n + col] += A[row * n + k] * B[k * n + col];
}
__global__ void naive_gemm_plain(float *A, float *B, float *C, int n) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n || col >= n) return;
  C[row * n + col] = 0.f;
  for (int k = 0; k < n; k++)
    C[row * n + col] += A[row * n + k] * B[k * n + col];
}
__global__ void life(const unsigned char *in, unsigned char *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  int left = (x + w - 1) % w, right = (x + 1) % w;
  int up = (y + h - 1) % h, down = (y + 1) % h;
  int alive = in[up * w + left] + in[up * w + x] + in[up * w + right]
            + in[y * w + left] + in[y * w + right]
            + in[down * w + left] + in[down * w + x] + in[down * w + right];
  out[y * w + x] = alive == 3 || (alive == 2 && in[y * w + x]);
}
__global__ void kmeans_assign(const float *points, const float *centres, int *label, int n, int k, int d) {
  extern __shared__ float c[];
  for (int i = threadIdx.x; i < k * d; i += blockDim.x)
    c[i] = centres[i];
  __syncthreads();
  int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= n) return;
  float best = 1e30f;
  int which = 0;
  for (int j = 0; j < k; j++) {
    float s = 0;
    for (int f = 0; f < d; f++) {
      float t = points[f * n + p] - c[j * d + f];
      s += t * t;
    }
    if (s < best) {
      best = s;
      which = j;
    }
  }
  label[p] = which;
}
__global__ void fft_stage(float2 *x, int n, int half) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n / 2) return;
  int k = t & (half - 1);
  int i = ((t - k) << 1) + k;
  float s, c;
  __sincosf(-3.14159265f * k / half, &s, &c);
  float2 a = x[i];
  float2 b = x[i + half];
  float2 t2 = make_float2(b.x * c - b.y * s, b.x * s + b.y * c);
  x[i] = make_float2(a.x + t2.x, a.y + t2.y);
  x[i + half] = make_float2(a.x - t2.x, a.y - t2.y);
}
__global__ void lu_step(float *a, int n, int k) {
  __shared__ float pivot[TILE], row[TILE];
  int i = blockIdx.y * TILE + threadIdx.y + k + 1;
  int j = blockIdx.x * TILE + threadIdx.x + k + 1;
  if (threadIdx.y == 0 && j < n) row[threadIdx.x] = a[k * n + j];
  if (threadIdx.x == 0 && i < n) pivot[threadIdx.y] = a[i * n + k] / a[k * n + k];
  __syncthreads();
  if (i < n && j < n)
    a[i * n + j] -= pivot[threadIdx.y] * row[threadIdx.x];
}
__global__ void nbody(const float4 *__restrict__ p, float4 *__restrict__ v, int n, float dt) {
  __shared__ float4 tile[128];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 me = p[i];
  float ax = 0, ay = 0, az = 0;
  for (int b = 0; b < n; b += 128) {
    tile[threadIdx.x] = p[b + threadIdx.x];
    __syncthreads();
#pragma unroll 8
    for (int j = 0; j < 128; j++) {
      float dx = tile[j].x - me.x, dy = tile[j].y - me.y, dz = tile[j].z - me.z;
      float r = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-6f);
      float f = tile[j].w * r * r * r;
      ax += dx * f;
      ay += dy * f;
      az += dz * f;
    }
    __syncthreads();
  }
  v[i].x += ax * dt;
  v[i].y += ay * dt;
  v[i].z += az * dt;
}
__global__ void layernorm(const float *x, const float *gamma, const float *beta, float *y, int d) {
  __shared__ float part[32];
  __shared__ float mean, rstd;
  const float *row = x + (size_t)blockIdx.x * d;
  float s = 0;
  for (int i = threadIdx.x; i < d; i += blockDim.x) s += row[i];
  for (int o = 16; o; o >>= 1) s += __shfl_xor_sync(~0u, s, o);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = s;
  __syncthreads();
  if (threadIdx.x < 32) {
    s = threadIdx.x < blockDim.x / 32 ? part[threadIdx.x] : 0;
    for (int o = 16; o; o >>= 1) s += __shfl_xor_sync(~0u, s, o);
    if (threadIdx.x == 0) mean = s / d;
  }
  __syncthreads();
  float q = 0;
  for (int i = threadIdx.x; i < d; i += blockDim.x) {
    float t = row[i] - mean;
    q += t * t;
  }
  for (int o = 16; o; o >>= 1) q += __shfl_xor_sync(~0u, q, o);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = q;
  __syncthreads();
  if (threadIdx.x < 32) {
    q = threadIdx.x < blockDim.x / 32 ? part[threadIdx.x] : 0;
    for (int o = 16; o; o >>= 1) q += __shfl_xor_sync(~0u, q, o);
    if (threadIdx.x == 0) rstd = rsqrtf(q / d + 1e-5f);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < d; i += blockDim.x)
    y[(size_t)blockIdx.x * d + i] = (row[i] - mean) * rstd * gamma[i] + beta[i];
}
__global__ void bilateral(const float *in, float *out, int w, int h, float sigma) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 2 || y < 2 || x >= w - 2 || y >= h - 2) return;
  float c = in[y * w + x], sum = 0, norm = 0;
  for (int dy = -2; dy <= 2; dy++)
    for (int dx = -2; dx <= 2; dx++) {
      float v = in[(y + dy) * w + x + dx];
      float g = __expf(-(v - c) * (v - c) * sigma);
      sum += v * g;
      norm += g;
    }
  out[y * w + x] = sum / norm;
}
__global__ void histogram_private(const uint8_t *data, unsigned *hist, int n) {
  __shared__ unsigned local[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) local[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&local[data[i]], 1u);
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x)
    if (local[i]) atomicAdd(&hist[i], local[i]);
}
__global__ void rgb2gray(const uchar3 *rgb, unsigned char *gray, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    uchar3 p = rgb[i];
    gray[i] = (p.x * 77 + p.y * 150 + p.z * 29) >> 8;
  }
}
__global__ void spmv_ell(const int *__restrict__ col, const float *__restrict__ val, const float *__restrict__ x, float *__restrict__ y, int rows, int width) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float s = 0;
  for (int k = 0; k < width; k++) {
    int c = col[k * rows + r];
    if (c >= 0) s += val[k * rows + r] * x[c];
  }
  y[r] = s;
}
__global__ void scan_hillis(const int *in, int *out, int n) {
  extern __shared__ int temp[];
  int t = threadIdx.x, pout = 0, pin = 1;
  temp[t] = t > 0 ? in[t - 1] : 0;
  __syncthreads();
  for (int offset = 1; offset < n; offset *= 2) {
    pout = 1 - pout;
    pin = 1 - pout;
    if (t >= offset)
      temp[pout * n + t] = temp[pin * n + t] + temp[pin * n + t - offset];
    else
      temp[pout * n + t] = temp[pin * n + t];
    __syncthreads();
  }
  out[t] = temp[pout * n + t];
}
__global__ void jacobi_res(const double *u, const double *f, double *unew, double *res, int n) {
  __shared__ double r[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
  double v = 0.5 * (u[i - 1] + u[i + 1] + f[i]);
  unew[i] = v;
  r[threadIdx.x] = fabs(v - u[i]);
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s >>= 1) {
    if (threadIdx.x < s) r[threadIdx.x] = fmax(r[threadIdx.x], r[threadIdx.x + s]);
    __syncthreads();
  }
  if (!threadIdx.x) res[blockIdx.x] = r[0];
}
__global__ void transpose_xor(const float *in, float *out, int n) {
  __shared__ float t[32][32];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    t[threadIdx.y + j][threadIdx.x ^ (threadIdx.y + j)] = in[(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    out[(y + j) * n + x] = t[threadIdx.x][threadIdx.x ^ (threadIdx.y + j)];
}
struct Particle { float x, y, z, vx, vy, vz; int alive; };
__global__ void advance(Particle *p, int n, float dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || !p[i].alive) return;
  p[i].x += p[i].vx * dt;
  p[i].y += p[i].vy * dt;
  p[i].z += p[i].vz * dt;
  if (p[i].y < 0) {
    p[i].y = -p[i].y;
    p[i].vy = -p[i].vy * 0.5f;
  }
}
__global__ void matvec_warp(const float *__restrict__ A, const float *__restrict__ x, float *__restrict__ y, int rows, int cols) {
  int warp = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, lane = threadIdx.x & 31;
  if (warp >= rows) return;
  float s = 0;
  for (int j = lane; j < cols; j += 32) s += A[warp * cols + j] * x[j];
#pragma unroll
  for (int o = 16; o > 0; o /= 2) s += __shfl_down_sync(0xffffffff, s, o);
  if (lane == 0) y[warp] = s;
}
__global__ void odd_even(int *a, int n) {
  __shared__ int s[256];
  int t = threadIdx.x;
  s[t] = a[blockIdx.x * 256 + t];
  s[t + 128] = a[blockIdx.x * 256 + t + 128];
  __syncthreads();
  for (int k = 0; k < 256; k++) {
    int i = 2 * t + (k & 1);
    if (i + 1 < 256 && s[i] > s[i + 1]) {
      int m = s[i];
      s[i] = s[i + 1];
      s[i + 1] = m;
    }
    __syncthreads();
  }
  a[blockIdx.x * 256 + t] = s[t];
  a[blockIdx.x * 256 + t + 128] = s[t + 128];
}
__global__ void wave2d(const float *__restrict__ prev, const float *__restrict__ cur, float *__restrict__ next, int nx, int ny, float c2) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i <= 0 || j <= 0 || i >= nx - 1 || j >= ny - 1) return;
  int at = j * nx + i;
  float lap = cur[at - 1] + cur[at + 1] + cur[at - nx] + cur[at + nx] - 4 * cur[at];
  next[at] = 2 * cur[at] - prev[at] + c2 * lap;
}
__global__ void adam(float *w, const float *g, float *m, float *v, int n, float lr, float b1, float b2, float eps) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
    m[i] = b1 * m[i] + (1 - b1) * g[i];
    v[i] = b2 * v[i] + (1 - b2) * g[i] * g[i];
    w[i] -= lr * m[i] / (sqrtf(v[i]) + eps);
  }
}
__global__ void embedding_grad(const int *idx, const float *grad, float *table, int n, int d) {
  int row = blockIdx.x;
  for (int c = threadIdx.x; c < d; c += blockDim.x)
    atomicAdd(&table[idx[row] * d + c], grad[row * d + c]);
}
__global__ void rms_fused(float *x, const float *r, const float *w, int d) {
  extern __shared__ float buf[];
  __shared__ float total;
  float s = 0;
  for (int i = threadIdx.x; i < d; i += blockDim.x) {
    float v = x[blockIdx.x * d + i] + r[blockIdx.x * d + i];
    buf[i] = v;
    s += v * v;
  }
  if (threadIdx.x == 0) total = 0;
  __syncthreads();
  for (int o = 16; o > 0; o >>= 1) s += __shfl_xor_sync(0xffffffffu, s, o);
  if ((threadIdx.x & 31) == 0) atomicAdd(&total, s);
  __syncthreads();
  float scale = rsqrtf(total / d + 1e-6f);
  for (int i = threadIdx.x; i < d; i += blockDim.x)
    x[blockIdx.x * d + i] = buf[i] * scale * w[i];
}
int main() {
 const size_t bytes = 16 << 20;
 float *p[4]; int *q, *idx;
 std::vector<float> ones(bytes / 4, 1.0f);
 for (size_t i = 0; i < ones.size(); i++) ones[i] = 0.5f + (i * 7 % 13) * 0.125f;
 for (auto &one : p) { cudaMalloc(&one, bytes); cudaMemcpy(one, ones.data(), bytes, cudaMemcpyHostToDevice); }
 std::vector<int> numbers(bytes / 4);
 for (size_t i = 0; i < numbers.size(); i++) numbers[i] = (int)(i * 37 % 64);
 cudaMalloc(&q, bytes); cudaMalloc(&idx, bytes);
 cudaMemcpy(q, numbers.data(), bytes, cudaMemcpyHostToDevice);
 cudaMemcpy(idx, numbers.data(), bytes, cudaMemcpyHostToDevice);
 double *d[4]; for (auto &one : d) { cudaMalloc(&one, bytes); cudaMemset(one, 0, bytes); }
 float4 *body, *speed; cudaMalloc(&body, bytes); cudaMalloc(&speed, bytes); cudaMemcpy(body, ones.data(), bytes, cudaMemcpyHostToDevice); cudaMemset(speed, 0, bytes);
 float2 *signal; cudaMalloc(&signal, bytes); cudaMemset(signal, 0, bytes);
 Particle *crowd; cudaMalloc(&crowd, bytes); cudaMemcpy(crowd, ones.data(), bytes, cudaMemcpyHostToDevice);
 unsigned char *pixels, *grey; cudaMalloc(&pixels, bytes); cudaMalloc(&grey, bytes); cudaMemset(pixels, 1, bytes);
 floyd<<<dim3(8,32), dim3(32,8)>>>(q, 256, 3);
 naive_gemm_accumulate<<<dim3(16,16), dim3(16,16)>>>(p[0],p[1],p[2],256);
 naive_gemm_plain<<<dim3(16,16), dim3(16,16)>>>(p[0],p[1],p[2],256);
 life<<<dim3(8,32), dim3(32,8)>>>(pixels,grey,256,256);
 kmeans_assign<<<16,128,4096>>>(p[0],p[1],q,2048,16,8);
 fft_stage<<<8,128>>>(signal,2048,64);
 lu_step<<<dim3(8,8),dim3(16,16)>>>(p[3],144,10);
 nbody<<<8,128>>>(body,speed,1024,0.1f);
 layernorm<<<64,128>>>(p[0],p[1],p[2],p[3],512);
 bilateral<<<dim3(8,32), dim3(32,8)>>>(p[0],p[1],256,256,1.f);
 histogram_private<<<32,128>>>(pixels,(unsigned*)q,65536);
 rgb2gray<<<64,256>>>((uchar3*)pixels,grey,16384);
 spmv_ell<<<16,128>>>(idx,p[0],p[1],p[2],2048,8);
 scan_hillis<<<1,256,2048>>>(idx,q,256);
 jacobi_res<<<16,256>>>(d[0],d[1],d[2],d[3],4098);
 transpose_xor<<<dim3(8,8),dim3(32,8)>>>(p[0],p[1],256);
 advance<<<8,128>>>(crowd,1024,0.1f);
 matvec_warp<<<32,128>>>(p[0],p[1],p[2],128,256);
 odd_even<<<8,128>>>(q,2048);
 wave2d<<<dim3(8,32), dim3(32,8)>>>(p[0],p[1],p[2],256,256,0.5f);
 adam<<<32,128>>>(p[0],p[1],p[2],p[3],16384,0.1f,0.9f,0.99f,1e-8f);
 embedding_grad<<<64,128>>>(idx,p[0],p[1],64,256);
 rms_fused<<<64,128,2048>>>(p[0],p[1],p[2],512);
 cudaDeviceSynchronize();
 printf("%s\n", cudaGetErrorString(cudaGetLastError()));
 return 0;
}
