// Gravitational N-body: all pairs, with tiles in shared memory in three layouts.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

typedef float3 vec3;

#define TRY(call) do { cudaError_t s = (call); if (s != cudaSuccess) { \
  printf("line %d: %s\n", __LINE__, cudaGetErrorString(s)); exit(2); } } while (0)

static const float SOFTENING = 0.01f;

__device__ void interact(vec3 &acc, const float4 &me, const float4 &other)
{
  float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
  float d2 = dx * dx + dy * dy + dz * dz + SOFTENING;
  float inv = rsqrtf(d2);
  float f = other.w * inv * inv * inv;
  acc.x += f * dx;
  acc.y += f * dy;
  acc.z += f * dz;
}

__global__ void forcesDirect(const float4 *bodies, vec3 *acc, int n)
{
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float4 me = bodies[i];
  vec3 a = make_float3(0.f, 0.f, 0.f);
  for (int j = 0; j < n; ++j)
    interact(a, me, bodies[j]);
  acc[i] = a;
}

template <int P>
__global__ void forcesTiled(const float4 *__restrict__ bodies, vec3 *__restrict__ acc, int n)
{
  __shared__ float4 tile[P];
  const int i = blockIdx.x * P + threadIdx.x;
  const float4 me = bodies[i];
  vec3 a = {0.f, 0.f, 0.f};
  for (int t = 0; t < n / P; t++) {
    tile[threadIdx.x] = bodies[t * P + threadIdx.x];
    __syncthreads();
#pragma unroll 8
    for (int j = 0; j < P; j++)
      interact(a, me, tile[j]);
    __syncthreads();
  }
  acc[i].x = a.x;
  acc[i].y = a.y;
  acc[i].z = a.z;
}

struct Arrays {
  const float *x, *y, *z, *m;
};

__global__ void forcesSoA(Arrays b, float *ax, float *ay, float *az, int n)
{
  extern __shared__ float sh[];
  float *sx = sh;
  float *sy = sx + blockDim.x;
  float *sz = sy + blockDim.x;
  float *sm = sz + blockDim.x;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float4 me = make_float4(b.x[i], b.y[i], b.z[i], b.m[i]);
  vec3 a = make_float3(0, 0, 0);
  for (int base = 0; base < n; base += blockDim.x) {
    sx[threadIdx.x] = b.x[base + threadIdx.x];
    sy[threadIdx.x] = b.y[base + threadIdx.x];
    sz[threadIdx.x] = b.z[base + threadIdx.x];
    sm[threadIdx.x] = b.m[base + threadIdx.x];
    __syncthreads();
#pragma unroll 1
    for (int j = 0; j < blockDim.x; j++) {
      float4 other = make_float4(sx[j], sy[j], sz[j], sm[j]);
      interact(a, me, other);
    }
    __syncthreads();
  }
  ax[i] = a.x;
  ay[i] = a.y;
  az[i] = a.z;
}

__global__ void kick(float4 *pos, vec3 *vel, const vec3 *acc, float dt, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    vec3 v = vel[i];
    vec3 a = acc[i];
    v.x += dt * a.x; v.y += dt * a.y; v.z += dt * a.z;
    vel[i] = v;
    float4 p = pos[i];
    p.x += dt * v.x; p.y += dt * v.y; p.z += dt * v.z;
    pos[i] = p;
  }
}

__global__ void energy(const vec3 *vel, const float4 *pos, float *out, int n)
{
  __shared__ float e[32];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float k = 0;
  if (i < n) {
    const vec3 &v = vel[i];
    k = 0.5f * pos[i].w * (v.x * v.x + v.y * v.y + v.z * v.z);
  }
  for (int o = 16; o; o >>= 1) k += __shfl_down_sync(~0u, k, o);
  if ((threadIdx.x & 31) == 0) e[threadIdx.x >> 5] = k;
  __syncthreads();
  if (threadIdx.x == 0) {
    float s = 0;
    for (int w = 0; w < (blockDim.x + 31) / 32; w++) s += e[w];
    atomicAdd(out, s);
  }
}

int main()
{
  const int n = 1024;
  std::vector<float4> b(n);
  std::vector<float> c[4];
  for (auto &v : c) v.resize(n);
  for (int i = 0; i < n; i++) {
    b[i] = make_float4((i * 37 % 101) * 0.1f, (i * 53 % 97) * 0.1f, (i * 71 % 89) * 0.1f, 1.0f + i % 3);
    c[0][i] = b[i].x; c[1][i] = b[i].y; c[2][i] = b[i].z; c[3][i] = b[i].w;
  }
  std::vector<double> want(3 * n, 0.0);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double dx = b[j].x - b[i].x, dy = b[j].y - b[i].y, dz = b[j].z - b[i].z;
      double inv = 1 / sqrt(dx * dx + dy * dy + dz * dz + SOFTENING);
      double f = b[j].w * inv * inv * inv;
      want[3 * i] += f * dx; want[3 * i + 1] += f * dy; want[3 * i + 2] += f * dz;
    }
  float4 *pos;
  vec3 *acc, *vel;
  float *d[4], *e;
  TRY(cudaMalloc(&pos, n * sizeof(float4)));
  TRY(cudaMalloc(&acc, n * sizeof(vec3)));
  TRY(cudaMalloc(&vel, n * sizeof(vec3)));
  TRY(cudaMalloc(&e, sizeof(float)));
  for (int k = 0; k < 4; k++) {
    TRY(cudaMalloc(&d[k], n * sizeof(float)));
    TRY(cudaMemcpy(d[k], c[k].data(), n * sizeof(float), cudaMemcpyHostToDevice));
  }
  TRY(cudaMemcpy(pos, b.data(), n * sizeof(float4), cudaMemcpyHostToDevice));
  TRY(cudaMemset(vel, 0, n * sizeof(vec3)));
  TRY(cudaMemset(e, 0, sizeof(float)));
  int bad = 0;
  auto look = [&](const char *name) {
    std::vector<vec3> got(n);
    TRY(cudaGetLastError());
    TRY(cudaMemcpy(got.data(), acc, n * sizeof(vec3), cudaMemcpyDeviceToHost));
    TRY(cudaMemset(acc, 0, n * sizeof(vec3)));
    int off = 0;
    for (int i = 0; i < n; i++) {
      double scale = 1 + fabs(want[3 * i]) + fabs(want[3 * i + 1]) + fabs(want[3 * i + 2]);
      off += fabs(got[i].x - want[3 * i]) + fabs(got[i].y - want[3 * i + 1]) + fabs(got[i].z - want[3 * i + 2]) > 1e-2 * scale;
    }
    printf("%s: %s\n", name, off ? "FAIL" : "OK");
    bad += off;
  };
  forcesDirect<<<(n + 95) / 96, 96>>>(pos, acc, n);
  look("forcesDirect");
  forcesTiled<128><<<n / 128, 128>>>(pos, acc, n);
  look("forcesTiled<128>");
  forcesTiled<64><<<n / 64, 64>>>(pos, acc, n);
  look("forcesTiled<64>");
  Arrays arrays = {d[0], d[1], d[2], d[3]};
  float *ax, *ay, *az;
  TRY(cudaMalloc(&ax, n * sizeof(float)));
  TRY(cudaMalloc(&ay, n * sizeof(float)));
  TRY(cudaMalloc(&az, n * sizeof(float)));
  forcesSoA<<<n / 64, 64, 4 * 64 * sizeof(float)>>>(arrays, ax, ay, az, n);
  TRY(cudaGetLastError());
  std::vector<float> gx(n);
  TRY(cudaMemcpy(gx.data(), ax, n * sizeof(float), cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; i++) bad += fabs(gx[i] - want[3 * i]) > 1e-2 * (1 + fabs(want[3 * i]));
  kick<<<(n + 255) / 256, 256>>>(pos, vel, acc, 0.01f, n - 10);
  energy<<<(n + 159) / 160, 160>>>(vel, pos, e, n);
  TRY(cudaDeviceSynchronize());
  puts(bad ? "FAIL" : "OK");
  return bad ? 1 : 0;
}
