// Stencils and solvers: register queues, temporal blocking, lattice Boltzmann, tridiagonal systems, several dynamic arrays, launch bounds.
#include <cuda_runtime.h>

template <int R>
__global__ void __launch_bounds__(256, 2) stencil_queue(const float *__restrict__ in, float *__restrict__ out, const float *c, int nx, int ny, int nz) {
  __shared__ float s[8 + 2 * R][32 + 2 * R];
  const int tx = threadIdx.x + R, ty = threadIdx.y + R;
  const int ix = blockIdx.x * 32 + threadIdx.x + R, iy = blockIdx.y * 8 + threadIdx.y + R;
  const int plane = nx * ny;
  int at = iy * nx + ix;
  float back[R], front[R + 1];
#pragma unroll
  for (int k = R - 1; k >= 0; k--, at += plane) back[k] = in[at];
#pragma unroll
  for (int k = 0; k < R; k++, at += plane) front[k + 1] = in[at];
  at -= (R - 1) * plane + plane;
  for (int z = R; z < nz - R; z++, at += plane) {
    front[0] = front[1];
#pragma unroll
    for (int k = 1; k < R; k++) front[k] = front[k + 1];
    front[R] = in[at + R * plane];
    __syncthreads();
    s[ty][tx] = front[0];
    if (threadIdx.x < R) s[ty][threadIdx.x] = in[at - R], s[ty][tx + 32] = in[at + 32];
    if (threadIdx.y < R) s[threadIdx.y][tx] = in[at - R * nx], s[ty + 8][tx] = in[at + 8 * nx];
    __syncthreads();
    float v = c[0] * front[0];
#pragma unroll
    for (int k = 1; k <= R; k++) v += c[k] * (front[k] + back[k - 1] + s[ty][tx - k] + s[ty][tx + k] + s[ty - k][tx] + s[ty + k][tx]);
    out[at] = v;
#pragma unroll
    for (int k = R - 1; k > 0; k--) back[k] = back[k - 1];
    back[0] = front[0];
  }
}

__global__ void heat_two_steps(const float *in, float *out, int w, int h) {
  __shared__ float a[20][36], b[20][36];
  int gx = blockIdx.x * 32, gy = blockIdx.y * 16, t = threadIdx.y * 32 + threadIdx.x;
  for (int i = t; i < 20 * 36; i += 256) {
    int x = min(max(gx + i % 36 - 2, 0), w - 1), y = min(max(gy + i / 36 - 2, 0), h - 1);
    a[i / 36][i % 36] = in[y * w + x];
  }
  __syncthreads();
  for (int i = t; i < 18 * 34; i += 256) {
    int x = i % 34 + 1, y = i / 34 + 1;
    b[y][x] = 0.25f * (a[y][x - 1] + a[y][x + 1] + a[y - 1][x] + a[y + 1][x]);
  }
  __syncthreads();
  for (int y = threadIdx.y; y < 16; y += 8) {
    int X = gx + threadIdx.x, Y = gy + y;
    if (X < w && Y < h) out[Y * w + X] = 0.25f * (b[y + 2][threadIdx.x + 1] + b[y + 2][threadIdx.x + 3] + b[y + 1][threadIdx.x + 2] + b[y + 3][threadIdx.x + 2]);
  }
}

__constant__ int ex[9], ey[9];
__global__ void lbm_pull(const float *f, float *g, int w, int h, float omega) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x >= w) return;
  float p[9], rho = 0, ux = 0, uy = 0;
  const int cx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, cy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
#pragma unroll
  for (int k = 0; k < 9; k++) {
    int sx = (x - cx[k] + w) % w, sy = (y - cy[k] + h) % h;
    p[k] = f[k * w * h + sy * w + sx];
    rho += p[k], ux += cx[k] * p[k], uy += cy[k] * p[k];
  }
  ux /= rho, uy /= rho;
#pragma unroll
  for (int k = 0; k < 9; k++) {
    float wt = k == 0 ? 4.f / 9 : k < 5 ? 1.f / 9 : 1.f / 36, cu = 3 * (cx[k] * ux + cy[k] * uy);
    float eq = wt * rho * (1 + cu + 0.5f * cu * cu - 1.5f * (ux * ux + uy * uy));
    g[k * w * h + y * w + x] = p[k] + omega * (eq - p[k]);
  }
}

__global__ void cyclic_reduction(float *a, float *b, float *c, float *d, float *x, int n) {
  extern __shared__ char mem[];
  float *sa = (float *)mem, *sb = sa + n, *sc = sb + n, *sd = sc + n, *sx = sd + n;
  int t = threadIdx.x, base = blockIdx.x * n;
  for (int i = t; i < n; i += blockDim.x) sa[i] = a[base + i], sb[i] = b[base + i], sc[i] = c[base + i], sd[i] = d[base + i];
  __syncthreads();
  int stride = 1;
  for (int active = n / 2; active > 1; active /= 2) {
    stride *= 2;
    if (t < active) {
      int i = stride * t + stride - 1, l = i - stride / 2, r = min(i + stride / 2, n - 1);
      float k1 = sa[i] / sb[l], k2 = sc[i] / sb[r];
      sb[i] -= sc[l] * k1 + sa[r] * k2;
      sd[i] -= sd[l] * k1 + sd[r] * k2;
      sa[i] = -sa[l] * k1;
      sc[i] = -sc[r] * k2;
    }
    __syncthreads();
  }
  if (t < 2) {
    int i = stride - 1, j = 2 * stride - 1;
    float det = sb[i] * sb[j] - sc[i] * sa[j];
    sx[t ? j : i] = (t ? sb[i] * sd[j] - sd[i] * sa[j] : sb[j] * sd[i] - sc[i] * sd[j]) / det;
  }
  for (int active = 2; active < n; active *= 2) {
    __syncthreads();
    if (t < active) {
      int i = stride * t + stride / 2 - 1;
      sx[i] = (sd[i] - (i >= stride / 2 ? sa[i] * sx[max(i - stride / 2, 0)] : 0.f) - sc[i] * sx[i + stride / 2]) / sb[i];
    }
    stride /= 2;
  }
  __syncthreads();
  for (int i = t; i < n; i += blockDim.x) x[base + i] = sx[i];
}

__global__ void mixed_shared(const double *in, double *out, int n, int m) {
  extern __shared__ double buf[];
  double *d = buf;
  float *f = (float *)(d + n);
  unsigned char *u = (unsigned char *)(f + m);
  for (int i = threadIdx.x; i < n; i += blockDim.x) d[i] = in[blockIdx.x * n + i];
  for (int i = threadIdx.x; i < m; i += blockDim.x) f[i] = (float)i, u[i] = i & 7;
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) out[blockIdx.x * n + i] = d[n - 1 - i] * f[(3 * i) % m] + u[(i * 4) % m];
}

__global__ void sor_red_black(float *u, const float *rhs, int n, int colour) {
  int i = blockIdx.y * blockDim.y + threadIdx.y + 1, j = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + 1 + ((i + colour) & 1);
  if (i < n - 1 && j < n - 1) u[i * n + j] = 0.25f * (u[(i - 1) * n + j] + u[(i + 1) * n + j] + u[i * n + j - 1] + u[i * n + j + 1] - rhs[i * n + j]);
}

int main() {
  const size_t n = 1 << 20;
  float *a, *b, *c, *d, *e;
  cudaMalloc(&a, n * 4), cudaMalloc(&b, n * 4), cudaMalloc(&c, n * 4), cudaMalloc(&d, n * 4), cudaMalloc(&e, n * 4);
  cudaMemset(a, 0, n * 4), cudaMemset(b, 0, n * 4);
  stencil_queue<2><<<dim3(2, 3), dim3(32, 8)>>>(a, b, c, 68, 28, 12);
  stencil_queue<4><<<dim3(1, 2), dim3(32, 8)>>>(a, b, c, 40, 24, 16);
  heat_two_steps<<<dim3(4, 5), dim3(32, 8)>>>(a, b, 120, 77);
  lbm_pull<<<dim3(2, 30), 64>>>(a, b, 100, 30, 0.6f);
  cyclic_reduction<<<5, 128, 5 * 256 * 4>>>(a, b, c, d, e, 256);
  mixed_shared<<<4, 96, 200 * 8 + 150 * 4 + 150>>>((double *)a, (double *)b, 200, 150);
  sor_red_black<<<dim3(2, 12), dim3(32, 8)>>>(a, b, 98, 0);
  return cudaDeviceSynchronize() != cudaSuccess;
}
