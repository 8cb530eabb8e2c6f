#include <cstdio>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
namespace keep_array {
struct P3 { float x, y, z; }; struct alignas(16) Body { float x, y, z, m; }; struct alignas(8) Half { float a, b; };
struct alignas(8) Mixed { int a; float b; }; struct V { float v[4]; }; struct N { float4 pos; float4 vel; }; struct D : P3 { float w; };
struct A { float x, y, z; float *d; }; struct M { P3 p; float m; };
__global__ void k(V *p, V *q, float *o, int k, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = q[i].v[0]; //@ g.ld4
  p[i].v[1] = 1; //@ g.st4
  float y = q[i].v[0]; //@ g.ld4
  o[i] = x * x + y; //@ g.st4
}
}
namespace keep_inner_other {
struct P3 { float x, y, z; }; struct alignas(16) Body { float x, y, z, m; }; struct alignas(8) Half { float a, b; };
struct alignas(8) Mixed { int a; float b; }; struct V { float v[4]; }; struct N { float4 pos; float4 vel; }; struct D : P3 { float w; };
struct A { float x, y, z; float *d; }; struct M { P3 p; float m; };
__global__ void k(float4 *p, N *q, float *o, int k, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = q[i].pos.x; //@ g.ld4
  p[i].y = 1; //@ g.st4
  float y = q[i].pos.x; //@ g.ld4
  o[i] = x * x + y; //@ g.st4
}
}
namespace keep_inside {
struct P3 { float x, y, z; }; struct alignas(16) Body { float x, y, z, m; }; struct alignas(8) Half { float a, b; };
struct alignas(8) Mixed { int a; float b; }; struct V { float v[4]; }; struct N { float4 pos; float4 vel; }; struct D : P3 { float w; };
struct A { float x, y, z; float *d; }; struct M { P3 p; float m; };
__global__ void k(M *p, M *q, float *o, int k, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = q[i].p.x; //@ g.ld4
  p[i].m = 1; //@ g.st4
  float y = q[i].p.x; //@ g.ld4
  o[i] = x * x + y; //@ g.st4
}
}
namespace keep_cast_away {
struct P3 { float x, y, z; }; struct alignas(16) Body { float x, y, z, m; }; struct alignas(8) Half { float a, b; };
struct alignas(8) Mixed { int a; float b; }; struct V { float v[4]; }; struct N { float4 pos; float4 vel; }; struct D : P3 { float w; };
struct A { float x, y, z; float *d; }; struct M { P3 p; float m; };
__global__ void k(float *p, float4 *q, float *o, int k, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = q[i].x; //@ g.ld4
  ((float *)&p[i])[1] = 1; //@ g.st4
  float y = q[i].x; //@ g.ld4
  o[i] = x * x + y; //@ g.st4
}
}
namespace keep_beside_pointer {
struct P3 { float x, y, z; }; struct alignas(16) Body { float x, y, z, m; }; struct alignas(8) Half { float a, b; };
struct alignas(8) Mixed { int a; float b; }; struct V { float v[4]; }; struct N { float4 pos; float4 vel; }; struct D : P3 { float w; };
struct A { float x, y, z; float *d; }; struct M { P3 p; float m; };
__global__ void k(A *p, A *q, float *o, int k, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = q[i].x; //@ g.ld4
  p[i].d = 0; //@ g.st8
  float y = q[i].x; //@ g.ld4
  o[i] = x * x + y; //@ g.st4
}
}
namespace keep_other_member {
struct P3 { float x, y, z; }; struct alignas(16) Body { float x, y, z, m; }; struct alignas(8) Half { float a, b; };
struct alignas(8) Mixed { int a; float b; }; struct V { float v[4]; }; struct N { float4 pos; float4 vel; }; struct D : P3 { float w; };
struct A { float x, y, z; float *d; }; struct M { P3 p; float m; };
__global__ void k(float4 *p, float4 *q, float *o, int k, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = q[i].x; //@ g.ld4
  p[i].y = 1; //@ g.st4
  float y = q[i].x; //@ g.ld4
  o[i] = x * x + y; //@ g.st4
}
}
namespace keep_shared_members {
struct P3 { float x, y, z; }; struct alignas(16) Body { float x, y, z, m; }; struct alignas(8) Half { float a, b; };
struct alignas(8) Mixed { int a; float b; }; struct V { float v[4]; }; struct N { float4 pos; float4 vel; }; struct D : P3 { float w; };
struct A { float x, y, z; float *d; }; struct M { P3 p; float m; };
__global__ void k(float *p, float *o, int k, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float4 sh[256]; __shared__ float s2[64][2], s3[1024], s4[256]; __shared__ Half sp[256];
  sh[threadIdx.x ^ 3] = make_float4(1, n, 3, k); s2[threadIdx.x ^ 3][k] = n; s3[threadIdx.x ^ 7] = n; s4[threadIdx.x ^ 7] = n; sp[threadIdx.x ^ 7].a = n;
  __syncthreads();
  float x = sh[i].x; //@ s.ld4
  sh[i + k].y = 1; //@ s.st4
  float y = sh[i].x; //@ s.ld4
  o[i] = x * x + y; //@ g.st4
  __syncthreads();
  o[i + n] = sh[threadIdx.x ^ 1].y + sh[threadIdx.x ^ 1].x + s2[threadIdx.x ^ 9][1] + s3[threadIdx.x ^ 9] + s4[threadIdx.x ^ 9] + sp[threadIdx.x ^ 9].b;
}
}
namespace keep_shared_other_array {
struct P3 { float x, y, z; }; struct alignas(16) Body { float x, y, z, m; }; struct alignas(8) Half { float a, b; };
struct alignas(8) Mixed { int a; float b; }; struct V { float v[4]; }; struct N { float4 pos; float4 vel; }; struct D : P3 { float w; };
struct A { float x, y, z; float *d; }; struct M { P3 p; float m; };
__global__ void k(float *p, float *o, int k, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float4 sh[256]; __shared__ float s2[64][2], s3[1024], s4[256]; __shared__ Half sp[256];
  sh[threadIdx.x ^ 3] = make_float4(1, n, 3, k); s2[threadIdx.x ^ 3][k] = n; s3[threadIdx.x ^ 7] = n; s4[threadIdx.x ^ 7] = n; sp[threadIdx.x ^ 7].a = n;
  __syncthreads();
  float x = s3[i]; //@ s.ld4
  s4[i ^ 1] = 1; //@ s.st4
  float y = s3[i]; //@ s.ld4
  o[i] = x * x + y; //@ g.st4
  __syncthreads();
  o[i + n] = sh[threadIdx.x ^ 1].y + sh[threadIdx.x ^ 1].x + s2[threadIdx.x ^ 9][1] + s3[threadIdx.x ^ 9] + s4[threadIdx.x ^ 9] + sp[threadIdx.x ^ 9].b;
}
}
namespace keep_shared_constant {
struct P3 { float x, y, z; }; struct alignas(16) Body { float x, y, z, m; }; struct alignas(8) Half { float a, b; };
struct alignas(8) Mixed { int a; float b; }; struct V { float v[4]; }; struct N { float4 pos; float4 vel; }; struct D : P3 { float w; };
struct A { float x, y, z; float *d; }; struct M { P3 p; float m; };
__global__ void k(float *p, float *o, int k, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float4 sh[256]; __shared__ float s2[64][2], s3[1024], s4[256]; __shared__ Half sp[256];
  sh[threadIdx.x ^ 3] = make_float4(1, n, 3, k); s2[threadIdx.x ^ 3][k] = n; s3[threadIdx.x ^ 7] = n; s4[threadIdx.x ^ 7] = n; sp[threadIdx.x ^ 7].a = n;
  __syncthreads();
  float x = s3[3]; //@ s.ld4
  s3[i + 4] = 1; //@ s.st4
  float y = s3[3]; //@ s.ld4
  o[i] = x * x + y; //@ g.st4
  __syncthreads();
  o[i + n] = sh[threadIdx.x ^ 1].y + sh[threadIdx.x ^ 1].x + s2[threadIdx.x ^ 9][1] + s3[threadIdx.x ^ 9] + s4[threadIdx.x ^ 9] + sp[threadIdx.x ^ 9].b;
}
}
namespace keep_shared_flipped {
struct P3 { float x, y, z; }; struct alignas(16) Body { float x, y, z, m; }; struct alignas(8) Half { float a, b; };
struct alignas(8) Mixed { int a; float b; }; struct V { float v[4]; }; struct N { float4 pos; float4 vel; }; struct D : P3 { float w; };
struct A { float x, y, z; float *d; }; struct M { P3 p; float m; };
__global__ void k(float *p, float *o, int k, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float4 sh[256]; __shared__ float s2[64][2], s3[1024], s4[256]; __shared__ Half sp[256];
  sh[threadIdx.x ^ 3] = make_float4(1, n, 3, k); s2[threadIdx.x ^ 3][k] = n; s3[threadIdx.x ^ 7] = n; s4[threadIdx.x ^ 7] = n; sp[threadIdx.x ^ 7].a = n;
  __syncthreads();
  float x = s2[n][threadIdx.x]; //@ s.ld4
  s2[n ^ 1][threadIdx.x] = 1; //@ s.st4
  float y = s2[n][threadIdx.x]; //@ s.ld4
  o[i] = x * x + y; //@ g.st4
  __syncthreads();
  o[i + n] = sh[threadIdx.x ^ 1].y + sh[threadIdx.x ^ 1].x + s2[threadIdx.x ^ 9][1] + s3[threadIdx.x ^ 9] + s4[threadIdx.x ^ 9] + sp[threadIdx.x ^ 9].b;
}
}
namespace keep_shared_padded_far {
struct P3 { float x, y, z; }; struct alignas(16) Body { float x, y, z, m; }; struct alignas(8) Half { float a, b; };
struct alignas(8) Mixed { int a; float b; }; struct V { float v[4]; }; struct N { float4 pos; float4 vel; }; struct D : P3 { float w; };
struct A { float x, y, z; float *d; }; struct M { P3 p; float m; };
__global__ void k(float *p, float *o, int k, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float4 sh[256]; __shared__ float s2[64][2], s3[1024], s4[256]; __shared__ Half sp[256];
  sh[threadIdx.x ^ 3] = make_float4(1, n, 3, k); s2[threadIdx.x ^ 3][k] = n; s3[threadIdx.x ^ 7] = n; s4[threadIdx.x ^ 7] = n; sp[threadIdx.x ^ 7].a = n;
  __syncthreads();
  float x = s3[i + (i >> 5)]; //@ s.ld4
  s3[i + 32 + ((i + 32) >> 5)] = 1; //@ s.st4
  float y = s3[i + (i >> 5)]; //@ s.ld4
  o[i] = x * x + y; //@ g.st4
  __syncthreads();
  o[i + n] = sh[threadIdx.x ^ 1].y + sh[threadIdx.x ^ 1].x + s2[threadIdx.x ^ 9][1] + s3[threadIdx.x ^ 9] + s4[threadIdx.x ^ 9] + sp[threadIdx.x ^ 9].b;
}
}
namespace update_float4_three {
struct P3 { float x, y, z; }; struct alignas(16) Body { float x, y, z, m; }; struct alignas(8) Half { float a, b; };
struct alignas(8) Mixed { int a; float b; }; struct V { float v[4]; }; struct N { float4 pos; float4 vel; }; struct D : P3 { float w; };
struct A { float x, y, z; float *d; }; struct M { P3 p; float m; };
__global__ void k(float4 *p, float *o, int k, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  p[i].x += k; //@ g.ld4 g.st4
  p[i].y += 2 * k; //@ g.ld4 g.st4
  p[i].z += 3 * k; //@ g.ld4 g.st4
}
}
namespace update_float4_far {
struct P3 { float x, y, z; }; struct alignas(16) Body { float x, y, z, m; }; struct alignas(8) Half { float a, b; };
struct alignas(8) Mixed { int a; float b; }; struct V { float v[4]; }; struct N { float4 pos; float4 vel; }; struct D : P3 { float w; };
struct A { float x, y, z; float *d; }; struct M { P3 p; float m; };
__global__ void k(float4 *p, float *o, int k, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  p[i].x += k; //@ g.ld4 g.st4
  p[i].w += 2 * k; //@ g.ld4 g.st4
}
}
namespace update_int2 {
struct P3 { float x, y, z; }; struct alignas(16) Body { float x, y, z, m; }; struct alignas(8) Half { float a, b; };
struct alignas(8) Mixed { int a; float b; }; struct V { float v[4]; }; struct N { float4 pos; float4 vel; }; struct D : P3 { float w; };
struct A { float x, y, z; float *d; }; struct M { P3 p; float m; };
__global__ void k(int2 *p, float *o, int k, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  p[i].x += k; //@ g.ld4 g.st4
  p[i].y ^= n; //@ g.ld4 g.st4
}
}
namespace update_body {
struct P3 { float x, y, z; }; struct alignas(16) Body { float x, y, z, m; }; struct alignas(8) Half { float a, b; };
struct alignas(8) Mixed { int a; float b; }; struct V { float v[4]; }; struct N { float4 pos; float4 vel; }; struct D : P3 { float w; };
struct A { float x, y, z; float *d; }; struct M { P3 p; float m; };
__global__ void k(Body *p, float *o, int k, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  p[i].x += k; //@ g.ld4 g.st4
  p[i].y += k; //@ g.ld4 g.st4
  p[i].z += k; //@ g.ld4 g.st4
}
}
namespace update_mixed {
struct P3 { float x, y, z; }; struct alignas(16) Body { float x, y, z, m; }; struct alignas(8) Half { float a, b; };
struct alignas(8) Mixed { int a; float b; }; struct V { float v[4]; }; struct N { float4 pos; float4 vel; }; struct D : P3 { float w; };
struct A { float x, y, z; float *d; }; struct M { P3 p; float m; };
__global__ void k(Mixed *p, float *o, int k, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  p[i].a += k; //@ g.ld4 g.st4
  p[i].b += k; //@ g.ld4 g.st4
}
}
namespace update_uchar4 {
struct P3 { float x, y, z; }; struct alignas(16) Body { float x, y, z, m; }; struct alignas(8) Half { float a, b; };
struct alignas(8) Mixed { int a; float b; }; struct V { float v[4]; }; struct N { float4 pos; float4 vel; }; struct D : P3 { float w; };
struct A { float x, y, z; float *d; }; struct M { P3 p; float m; };
__global__ void k(uchar4 *p, float *o, int k, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  p[i].x = 255 - p[i].x; //@ g.ld1 g.st1
  p[i].y = 255 - p[i].y; //@ g.ld1 g.st1
  p[i].z = 255 - p[i].z; //@ g.ld1 g.st1
}
}
namespace update_floats {
struct P3 { float x, y, z; }; struct alignas(16) Body { float x, y, z, m; }; struct alignas(8) Half { float a, b; };
struct alignas(8) Mixed { int a; float b; }; struct V { float v[4]; }; struct N { float4 pos; float4 vel; }; struct D : P3 { float w; };
struct A { float x, y, z; float *d; }; struct M { P3 p; float m; };
__global__ void k(float *p, float *o, int k, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  p[2 * i] += k; //@ g.ld4 g.st4
  p[2 * i + 1] += k; //@ g.ld4 g.st4
}
}
namespace update_shared_floats {
struct P3 { float x, y, z; }; struct alignas(16) Body { float x, y, z, m; }; struct alignas(8) Half { float a, b; };
struct alignas(8) Mixed { int a; float b; }; struct V { float v[4]; }; struct N { float4 pos; float4 vel; }; struct D : P3 { float w; };
struct A { float x, y, z; float *d; }; struct M { P3 p; float m; };
__global__ void k(float *p, float *o, int k, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float4 sh[256]; __shared__ float s2[64][2], s3[1024], s4[256]; __shared__ Half sp[256];
  sh[threadIdx.x ^ 3] = make_float4(1, n, 3, k); s2[threadIdx.x ^ 3][k] = n; s3[threadIdx.x ^ 7] = n; s4[threadIdx.x ^ 7] = n; sp[threadIdx.x ^ 7].a = n;
  __syncthreads();
  s3[2 * threadIdx.x] += k; //@ s.ld4 s.st4
  s3[2 * threadIdx.x + 1] += k; //@ s.ld4 s.st4
  __syncthreads();
  o[i + n] = sh[threadIdx.x ^ 1].y + sh[threadIdx.x ^ 1].x + s2[threadIdx.x ^ 9][1] + s3[threadIdx.x ^ 9] + s4[threadIdx.x ^ 9] + sp[threadIdx.x ^ 9].b;
}
}
namespace join_load_same {
struct P3 { float x, y, z; }; struct alignas(16) Body { float x, y, z, m; }; struct alignas(8) Half { float a, b; };
struct alignas(8) Mixed { int a; float b; }; struct V { float v[4]; }; struct N { float4 pos; float4 vel; }; struct D : P3 { float w; };
struct A { float x, y, z; float *d; }; struct M { P3 p; float m; };
__global__ void k(float4 *p, float4 *q, float *o, int k, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = q[i].x; //@ g.ld4
  q[i + k].x = 1; //@ g.st4
  float y = q[i].y; //@ g.ld4
  o[i + 100] = x * y; //@ g.st4
}
}
namespace join_load_load {
struct P3 { float x, y, z; }; struct alignas(16) Body { float x, y, z, m; }; struct alignas(8) Half { float a, b; };
struct alignas(8) Mixed { int a; float b; }; struct V { float v[4]; }; struct N { float4 pos; float4 vel; }; struct D : P3 { float w; };
struct A { float x, y, z; float *d; }; struct M { P3 p; float m; };
__global__ void k(float4 *p, float4 *q, float *o, int k, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = q[i].x; //@ g.ld4
  float l = o[i]; o[i + 7] = l; //@ g.ld4 g.st4
  float y = q[i].y; //@ g.ld4
  o[i + 100] = x * y; //@ g.st4
}
}
namespace join_load_pointer_same {
struct P3 { float x, y, z; }; struct alignas(16) Body { float x, y, z, m; }; struct alignas(8) Half { float a, b; };
struct alignas(8) Mixed { int a; float b; }; struct V { float v[4]; }; struct N { float4 pos; float4 vel; }; struct D : P3 { float w; };
struct A { float x, y, z; float *d; }; struct M { P3 p; float m; };
__global__ void k(float4 *p, float4 *q, float *o, int k, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = q[i].x; //@ g.ld4
  p[i].x = 1; //@ g.st4
  float y = q[i].y; //@ g.ld4
  o[i + 100] = x * y; //@ g.st4
}
}
namespace join_store_same {
struct P3 { float x, y, z; }; struct alignas(16) Body { float x, y, z, m; }; struct alignas(8) Half { float a, b; };
struct alignas(8) Mixed { int a; float b; }; struct V { float v[4]; }; struct N { float4 pos; float4 vel; }; struct D : P3 { float w; };
struct A { float x, y, z; float *d; }; struct M { P3 p; float m; };
__global__ void k(float4 *p, float4 *q, float *o, int k, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  q[i].x = k; //@ g.st4
  q[i + k].x = 1; //@ g.st4
  q[i].y = n; //@ g.st4
  
}
}
namespace join_store_load {
struct P3 { float x, y, z; }; struct alignas(16) Body { float x, y, z, m; }; struct alignas(8) Half { float a, b; };
struct alignas(8) Mixed { int a; float b; }; struct V { float v[4]; }; struct N { float4 pos; float4 vel; }; struct D : P3 { float w; };
struct A { float x, y, z; float *d; }; struct M { P3 p; float m; };
__global__ void k(float4 *p, float4 *q, float *o, int k, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  q[i].x = k; //@ g.st4
  float l = o[i]; o[i + 7] = l; //@ g.ld4 g.st4
  q[i].y = n; //@ g.st4
  
}
}
namespace join_store_pointer_same {
struct P3 { float x, y, z; }; struct alignas(16) Body { float x, y, z, m; }; struct alignas(8) Half { float a, b; };
struct alignas(8) Mixed { int a; float b; }; struct V { float v[4]; }; struct N { float4 pos; float4 vel; }; struct D : P3 { float w; };
struct A { float x, y, z; float *d; }; struct M { P3 p; float m; };
__global__ void k(float4 *p, float4 *q, float *o, int k, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  q[i].x = k; //@ g.st4
  p[i].x = 1; //@ g.st4
  q[i].y = n; //@ g.st4
  
}
}
namespace join_swap {
struct P3 { float x, y, z; }; struct alignas(16) Body { float x, y, z, m; }; struct alignas(8) Half { float a, b; };
struct alignas(8) Mixed { int a; float b; }; struct V { float v[4]; }; struct N { float4 pos; float4 vel; }; struct D : P3 { float w; };
struct A { float x, y, z; float *d; }; struct M { P3 p; float m; };
__global__ void k(int2 *p, float *o, int k, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int t = p[i].x; //@ g.ld4
  p[i].x = p[i].y; //@ g.ld4 g.st4
  p[i].y = t; //@ g.st4
}
}
namespace twice_shared_nothing {
__global__ void k(float *a, float *b, float *o, int n, int m, const float *__restrict__ r) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[256], q[256];
  s[t ^ 2] = b[i]; //@ g.ld4 s.st4
  q[t ^ 2] = b[i + n]; //@ g.ld4 s.st4
  __syncthreads();
  float x = s[t]; //@ s.ld4
  
  float y = s[t]; //@ s.ld4
  o[i + n] = x * x + y; //@ g.st4
  o[i] = q[t ^ 1] + s[t ^ 1]; //@ s.ld4 s.ld4 g.st4
}
}
namespace forward_global_nothing {
__global__ void k(float *a, float *b, float *o, int n, int m, const float *__restrict__ r) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[256], q[256];
  s[t ^ 2] = b[i]; //@ g.ld4 s.st4
  q[t ^ 2] = b[i + n]; //@ g.ld4 s.st4
  __syncthreads();
  a[i] = n; //@ g.st4
  
  float y = a[i]; //@ g.ld4
  o[i + n] = y; //@ g.st4
  o[i] = q[t ^ 1] + s[t ^ 1]; //@ s.ld4 s.ld4 g.st4
}
}
namespace forward_shared_barrier {
__global__ void k(float *a, float *b, float *o, int n, int m, const float *__restrict__ r) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[256], q[256];
  s[t ^ 2] = b[i]; //@ g.ld4 s.st4
  q[t ^ 2] = b[i + n]; //@ g.ld4 s.st4
  __syncthreads();
  s[t] = n; //@ s.st4
  __syncthreads();
  float y = s[t]; //@ s.ld4
  o[i + n] = y; //@ g.st4
  o[i] = q[t ^ 1] + s[t ^ 1]; //@ s.ld4 s.ld4 g.st4
}
}
namespace dead_global_barrier {
__global__ void k(float *a, float *b, float *o, int n, int m, const float *__restrict__ r) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[256], q[256];
  s[t ^ 2] = b[i]; //@ g.ld4 s.st4
  q[t ^ 2] = b[i + n]; //@ g.ld4 s.st4
  __syncthreads();
  a[i] = n; //@ g.st4
  __syncthreads();
  a[i] = m; //@ g.st4
  o[i] = q[t ^ 1] + s[t ^ 1]; //@ s.ld4 s.ld4 g.st4
}
}
namespace dead_shared_syncwarp {
__global__ void k(float *a, float *b, float *o, int n, int m, const float *__restrict__ r) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[256], q[256];
  s[t ^ 2] = b[i]; //@ g.ld4 s.st4
  q[t ^ 2] = b[i + n]; //@ g.ld4 s.st4
  __syncthreads();
  s[t] = n; //@ s.st4
  __syncwarp();
  s[t] = m; //@ s.st4
  o[i] = q[t ^ 1] + s[t ^ 1]; //@ s.ld4 s.ld4 g.st4
}
}
namespace twice_restrict_syncwarp {
__global__ void k(float *a, float *b, float *o, int n, int m, const float *__restrict__ r) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[256], q[256];
  s[t ^ 2] = b[i]; //@ g.ld4 s.st4
  q[t ^ 2] = b[i + n]; //@ g.ld4 s.st4
  __syncthreads();
  float x = r[i]; //@ g.ld4
  __syncwarp();
  float y = r[i]; //@ g.ld4
  o[i + n] = x * x + y; //@ g.st4
  o[i] = q[t ^ 1] + s[t ^ 1]; //@ s.ld4 s.ld4 g.st4
}
}
namespace twice_global_fence {
__global__ void k(float *a, float *b, float *o, int n, int m, const float *__restrict__ r) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[256], q[256];
  s[t ^ 2] = b[i]; //@ g.ld4 s.st4
  q[t ^ 2] = b[i + n]; //@ g.ld4 s.st4
  __syncthreads();
  float x = a[i]; //@ g.ld4
  __threadfence();
  float y = a[i]; //@ g.ld4
  o[i + n] = x * x + y; //@ g.st4
  o[i] = q[t ^ 1] + s[t ^ 1]; //@ s.ld4 s.ld4 g.st4
}
}
namespace twice_shared_fence_block {
__global__ void k(float *a, float *b, float *o, int n, int m, const float *__restrict__ r) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[256], q[256];
  s[t ^ 2] = b[i]; //@ g.ld4 s.st4
  q[t ^ 2] = b[i + n]; //@ g.ld4 s.st4
  __syncthreads();
  float x = s[t]; //@ s.ld4
  __threadfence_block();
  float y = s[t]; //@ s.ld4
  o[i + n] = x * x + y; //@ g.st4
  o[i] = q[t ^ 1] + s[t ^ 1]; //@ s.ld4 s.ld4 g.st4
}
}
namespace forward_global_fence_block {
__global__ void k(float *a, float *b, float *o, int n, int m, const float *__restrict__ r) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[256], q[256];
  s[t ^ 2] = b[i]; //@ g.ld4 s.st4
  q[t ^ 2] = b[i + n]; //@ g.ld4 s.st4
  __syncthreads();
  a[i] = n; //@ g.st4
  __threadfence_block();
  float y = a[i]; //@ g.ld4
  o[i + n] = y; //@ g.st4
  o[i] = q[t ^ 1] + s[t ^ 1]; //@ s.ld4 s.ld4 g.st4
}
}
namespace forward_shared_shared_other {
__global__ void k(float *a, float *b, float *o, int n, int m, const float *__restrict__ r) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[256], q[256];
  s[t ^ 2] = b[i]; //@ g.ld4 s.st4
  q[t ^ 2] = b[i + n]; //@ g.ld4 s.st4
  __syncthreads();
  s[t] = n; //@ s.st4
  q[t ^ 3] = n; //@ s.st4
  float y = s[t]; //@ s.ld4
  o[i + n] = y; //@ g.st4
  o[i] = q[t ^ 1] + s[t ^ 1]; //@ s.ld4 s.ld4 g.st4
}
}
namespace dead_global_shared_other {
__global__ void k(float *a, float *b, float *o, int n, int m, const float *__restrict__ r) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[256], q[256];
  s[t ^ 2] = b[i]; //@ g.ld4 s.st4
  q[t ^ 2] = b[i + n]; //@ g.ld4 s.st4
  __syncthreads();
  a[i] = n; //@ g.st4
  q[t ^ 3] = n; //@ s.st4
  a[i] = m; //@ g.st4
  o[i] = q[t ^ 1] + s[t ^ 1]; //@ s.ld4 s.ld4 g.st4
}
}
namespace dead_shared_shared_same {
__global__ void k(float *a, float *b, float *o, int n, int m, const float *__restrict__ r) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[256], q[256];
  s[t ^ 2] = b[i]; //@ g.ld4 s.st4
  q[t ^ 2] = b[i + n]; //@ g.ld4 s.st4
  __syncthreads();
  s[t] = n; //@ s.st4
  s[t ^ 3] = n; //@ s.st4
  s[t] = m; //@ s.st4
  o[i] = q[t ^ 1] + s[t ^ 1]; //@ s.ld4 s.ld4 g.st4
}
}
namespace twice_restrict_shared_same {
__global__ void k(float *a, float *b, float *o, int n, int m, const float *__restrict__ r) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[256], q[256];
  s[t ^ 2] = b[i]; //@ g.ld4 s.st4
  q[t ^ 2] = b[i + n]; //@ g.ld4 s.st4
  __syncthreads();
  float x = r[i]; //@ g.ld4
  s[t ^ 3] = n; //@ s.st4
  float y = r[i]; //@ g.ld4
  o[i + n] = x * x + y; //@ g.st4
  o[i] = q[t ^ 1] + s[t ^ 1]; //@ s.ld4 s.ld4 g.st4
}
}
namespace twice_global_global_other {
__global__ void k(float *a, float *b, float *o, int n, int m, const float *__restrict__ r) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[256], q[256];
  s[t ^ 2] = b[i]; //@ g.ld4 s.st4
  q[t ^ 2] = b[i + n]; //@ g.ld4 s.st4
  __syncthreads();
  float x = a[i]; //@ g.ld4
  b[i] = n; //@ g.st4
  float y = a[i]; //@ g.ld4
  o[i + n] = x * x + y; //@ g.st4
  o[i] = q[t ^ 1] + s[t ^ 1]; //@ s.ld4 s.ld4 g.st4
}
}
int main()
{
    char *buffer[6];
    for (int i = 0; i < 6; ++i) {
        cudaMalloc(&buffer[i], 16777216);
        cudaMemset(buffer[i], 0, 16777216);
    }
    keep_array::k<<<2, 64, 8192>>>((keep_array::V *)(buffer[0] + 8388608), (keep_array::V *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 1, 2);
    keep_inner_other::k<<<2, 64, 8192>>>((float4 *)(buffer[0] + 8388608), (keep_inner_other::N *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 1, 2);
    keep_inside::k<<<2, 64, 8192>>>((keep_inside::M *)(buffer[0] + 8388608), (keep_inside::M *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 1, 2);
    keep_cast_away::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float4 *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 1, 2);
    keep_beside_pointer::k<<<2, 64, 8192>>>((keep_beside_pointer::A *)(buffer[0] + 8388608), (keep_beside_pointer::A *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 1, 2);
    keep_other_member::k<<<2, 64, 8192>>>((float4 *)(buffer[0] + 8388608), (float4 *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 1, 2);
    keep_shared_members::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), 1, 2);
    keep_shared_other_array::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), 1, 2);
    keep_shared_constant::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), 1, 2);
    keep_shared_flipped::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), 1, 2);
    keep_shared_padded_far::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), 1, 2);
    update_float4_three::k<<<2, 64, 8192>>>((float4 *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), 1, 2);
    update_float4_far::k<<<2, 64, 8192>>>((float4 *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), 1, 2);
    update_int2::k<<<2, 64, 8192>>>((int2 *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), 1, 2);
    update_body::k<<<2, 64, 8192>>>((update_body::Body *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), 1, 2);
    update_mixed::k<<<2, 64, 8192>>>((update_mixed::Mixed *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), 1, 2);
    update_uchar4::k<<<2, 64, 8192>>>((uchar4 *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), 1, 2);
    update_floats::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), 1, 2);
    update_shared_floats::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), 1, 2);
    join_load_same::k<<<2, 64, 8192>>>((float4 *)(buffer[0] + 8388608), (float4 *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 1, 2);
    join_load_load::k<<<2, 64, 8192>>>((float4 *)(buffer[0] + 8388608), (float4 *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 1, 2);
    join_load_pointer_same::k<<<2, 64, 8192>>>((float4 *)(buffer[0] + 8388608), (float4 *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 1, 2);
    join_store_same::k<<<2, 64, 8192>>>((float4 *)(buffer[0] + 8388608), (float4 *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 1, 2);
    join_store_load::k<<<2, 64, 8192>>>((float4 *)(buffer[0] + 8388608), (float4 *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 1, 2);
    join_store_pointer_same::k<<<2, 64, 8192>>>((float4 *)(buffer[0] + 8388608), (float4 *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 1, 2);
    join_swap::k<<<2, 64, 8192>>>((int2 *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), 1, 2);
    twice_shared_nothing::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1, (float *)(buffer[5] + 8388608));
    forward_global_nothing::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1, (float *)(buffer[5] + 8388608));
    forward_shared_barrier::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1, (float *)(buffer[5] + 8388608));
    dead_global_barrier::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1, (float *)(buffer[5] + 8388608));
    dead_shared_syncwarp::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1, (float *)(buffer[5] + 8388608));
    twice_restrict_syncwarp::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1, (float *)(buffer[5] + 8388608));
    twice_global_fence::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1, (float *)(buffer[5] + 8388608));
    twice_shared_fence_block::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1, (float *)(buffer[5] + 8388608));
    forward_global_fence_block::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1, (float *)(buffer[5] + 8388608));
    forward_shared_shared_other::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1, (float *)(buffer[5] + 8388608));
    dead_global_shared_other::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1, (float *)(buffer[5] + 8388608));
    dead_shared_shared_same::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1, (float *)(buffer[5] + 8388608));
    twice_restrict_shared_same::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1, (float *)(buffer[5] + 8388608));
    twice_global_global_other::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1, (float *)(buffer[5] + 8388608));
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    return 0;
}
