// origin: issue cases
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math.h>
struct P { float x, y, z, w, m; };
__global__ void nbody(P *p, const P *q, int n, float dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float ax = 0, ay = 0;
  for (int j = 0; j < n; j++) {
    float dx = q[j].x - q[i].x, dy = q[j].y - q[i].y;
    float r2 = dx * dx + dy * dy + 1e-9;
    float inv = 1.0 / sqrt(r2);
    float inv3 = pow(inv, 3.0);
    ax += q[j].m * dx * inv3; ay += q[j].m * dy * inv3;
  }
  p[i].x += ax * dt * 0.5; p[i].y += ay * dt * 0.5;
}
__constant__ float coef[1024];
__global__ void cst(float *o, int w) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0, tmp[16];
  for (int k = 0; k < 16; k++) tmp[k] = coef[(threadIdx.x * 7 + k) & 1023];
  for (int k = 0; k < 64; k++) s += tmp[(i + k) % w];
  o[i + 1] = s;
}
__device__ int lock;
__global__ void spin(int *c) {
  while (atomicCAS(&lock, 0, 1)) ;
  (*c)++;
  atomicExch(&lock, 0);
}
__global__ void vec(const double *a, double2 *b, half *h, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) { b[i].x = a[2 * i]; b[i].y = a[2 * i + 1]; }
  __shared__ int flag[256];
  flag[threadIdx.x % 4] = 1;
  for (int i = threadIdx.x; i < n; i += blockDim.x) { if (i > 10) __syncthreads(); }
}
int main() {
  P *p, *q; float *o; int *c; double *a; double2 *b;
  cudaMalloc(&p, 1 << 20); 
  nbody<<<64, 256>>>(p, q, 16384, .1f);
  cst<<<64, 100>>>(o, 16);
  spin<<<64, 256>>>(c);
  vec<<<1, 256>>>(a, b, nullptr, 10000);
  cudaDeviceSynchronize();
}
