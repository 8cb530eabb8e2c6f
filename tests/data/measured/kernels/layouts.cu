// The same records laid out as AoS, SoA and AoSoA; structures of 8, 12, 16, 20 and 32 bytes.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <vector>

#define CHECKED(e)                                                                 \
  if (cudaError_t c = (e)) {                                                       \
    std::fprintf(stderr, "%s -> %s\n", #e, cudaGetErrorString(c));                 \
    std::exit(1);                                                                  \
  }

struct Edge {       // 8 bytes
  int from, to;
};
struct Rgb {        // 12 bytes
  float r, g, b;
};
struct __align__(16) Quat {  // 16 bytes, aligned
  float w, x, y, z;
};
struct Hit {        // 20 bytes
  float t, u, v;
  int prim, geom;
};
struct alignas(16) Ray {  // 32 bytes
  float ox, oy, oz, tmin;
  float dx, dy, dz, tmax;
};
struct Mixed {      // 16 bytes with holes
  char tag;
  short small;
  int medium;
  double big;
};

enum Layout { kAoS, kSoA, kBlocked };

constexpr int LANES = 32;
struct RgbBlock {
  float r[LANES], g[LANES], b[LANES];
};

__global__ void swapEdges(Edge *edges, int n)
{
  const int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i < n) {
    Edge e = edges[i];
    int t = e.from;
    e.from = e.to;
    e.to = t;
    edges[i] = e;
  }
}

template <Layout L>
__global__ void luminance(const void *data, float *out, int n)
{
  const int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i >= n) return;
  float r, g, b;
  if constexpr (L == kAoS) {
    const Rgb *p = static_cast<const Rgb *>(data);
    r = p[i].r;
    g = p[i].g;
    b = p[i].b;
  } else if constexpr (L == kSoA) {
    const float *p = static_cast<const float *>(data);
    r = p[i];
    g = p[i + n];
    b = p[i + 2 * n];
  } else {
    const RgbBlock &k = static_cast<const RgbBlock *>(data)[i / LANES];
    const int lane = i % LANES;
    r = k.r[lane];
    g = k.g[lane];
    b = k.b[lane];
  }
  out[i] = 0.25f * r + 0.5f * g + 0.25f * b;
}

__global__ void conjugate(Quat *q, int n)
{
  const int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i >= n) return;
  Quat v = q[i];
  v.x = -v.x;
  v.y = -v.y;
  v.z = -v.z;
  q[i] = v;
}

__global__ void nearest(const Hit *a, const Hit *b, Hit *out, int n)
{
  const int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i >= n) return;
  const float ta = a[i].t;
  const float tb = b[i].t;
  out[i].t = ta < tb ? ta : tb;
  out[i].prim = a[i].prim + b[i].prim;
  out[i].geom = 7;
}

__global__ void advance(Ray *rays, float s, int n)
{
  const int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i >= n) return;
  Ray r = rays[i];
  r.ox += s * r.dx;
  r.oy += s * r.dy;
  r.oz += s * r.dz;
  rays[i] = r;
}

__global__ void mixFields(const Mixed *in, double *out, int n)
{
  const int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i >= n) return;
  const Mixed *m = in + i;
  double s = m->big;
  s += m->tag;
  s += m->small;
  s += m->medium;
  out[i] = s;
}

// Structures staged through shared memory and read in reverse
template <typename S>
__global__ void reverseInBlock(const S *in, S *out)
{
  __shared__ S buf[64];
  const int t = threadIdx.x, base = blockIdx.x * 64;
  buf[t] = in[base + t];
  __syncthreads();
  out[base + t] = buf[63 - t];
}

// one field of a structure in shared memory
__global__ void sumField(const Rgb *in, float *out)
{
  __shared__ Rgb cache[96];
  const int t = threadIdx.x;
  cache[t] = in[blockIdx.x * 96 + t];
  __syncthreads();
  float s = 0.f;
  for (int k = 0; k < 3; k++)
    s += cache[(t + k) % 96].g;
  out[blockIdx.x * 96 + t] = s;
}

template <typename T> static T *toDevice(const std::vector<T> &v)
{
  T *p;
  CHECKED(cudaMalloc(&p, v.size() * sizeof(T)));
  CHECKED(cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
  return p;
}

template <typename T> static std::vector<T> toHost(const T *p, size_t n)
{
  std::vector<T> v(n);
  CHECKED(cudaGetLastError());
  CHECKED(cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost));
  return v;
}

int main()
{
  const int n = 50000, tpb = 160, grid = (n + tpb - 1) / tpb;
  int bad = 0;
  {
    std::vector<Edge> h(n);
    for (int i = 0; i < n; i++) h[i] = {i, 2 * i};
    Edge *d = toDevice(h);
    swapEdges<<<grid, tpb>>>(d, n);
    auto g = toHost(d, n);
    for (int i = 0; i < n; i++) bad += g[i].from != 2 * i || g[i].to != i;
    std::printf("swapEdges %d\n", bad);
  }
  {
    std::vector<Rgb> aos(n);
    std::vector<float> soa(3 * n), out(n, 0.f);
    std::vector<RgbBlock> blocked((n + LANES - 1) / LANES);
    for (int i = 0; i < n; i++) {
      aos[i] = {float(i % 5), float(i % 7), float(i % 11)};
      soa[i] = aos[i].r, soa[i + n] = aos[i].g, soa[i + 2 * n] = aos[i].b;
      auto &k = blocked[i / LANES];
      k.r[i % LANES] = aos[i].r, k.g[i % LANES] = aos[i].g, k.b[i % LANES] = aos[i].b;
    }
    float *o = toDevice(out);
    Rgb *da = toDevice(aos);
    float *ds = toDevice(soa);
    RgbBlock *db = toDevice(blocked);
    auto verify = [&](const char *name) {
      auto g = toHost(o, n);
      int w = 0;
      for (int i = 0; i < n; i++) w += g[i] != 0.25f * aos[i].r + 0.5f * aos[i].g + 0.25f * aos[i].b;
      std::printf("luminance %s %d\n", name, w);
      bad += w;
      CHECKED(cudaMemset(o, 0, n * sizeof(float)));
    };
    luminance<kAoS><<<grid, tpb>>>(da, o, n);
    verify("AoS");
    luminance<kSoA><<<grid, tpb>>>(ds, o, n);
    verify("SoA");
    luminance<kBlocked><<<grid, tpb>>>(db, o, n);
    verify("AoSoA");
    reverseInBlock<Rgb><<<n / 64, 64>>>(da, da);
    sumField<<<100, 96>>>(da, o);
    CHECKED(cudaDeviceSynchronize());
  }
  {
    std::vector<Quat> h(n, Quat{1, 2, 3, 4});
    Quat *d = toDevice(h);
    conjugate<<<grid, tpb>>>(d, n);
    auto g = toHost(d, n);
    int w = 0;
    for (auto &q : g) w += q.w != 1 || q.x != -2 || q.y != -3 || q.z != -4;
    std::printf("conjugate %d\n", w);
    bad += w;
    reverseInBlock<Quat><<<200, 64>>>(d, d);
  }
  {
    std::vector<Hit> a(n), b(n);
    for (int i = 0; i < n; i++) a[i] = {float(i % 9), 0, 0, i, 1}, b[i] = {float(i % 4), 0, 0, 1, 1};
    Hit *da = toDevice(a), *db = toDevice(b), *dc = toDevice(a);
    nearest<<<grid, tpb>>>(da, db, dc, n);
    auto g = toHost(dc, n);
    int w = 0;
    for (int i = 0; i < n; i++) w += g[i].prim != i + 1 || g[i].geom != 7 || g[i].t != float(std::min(i % 9, i % 4));
    std::printf("nearest %d\n", w);
    bad += w;
  }
  {
    std::vector<Ray> h(n, Ray{0, 0, 0, 0, 1, 2, 3, 9});
    Ray *d = toDevice(h);
    advance<<<grid, tpb>>>(d, 2.0f, n);
    auto g = toHost(d, n);
    int w = 0;
    for (auto &r : g) w += r.ox != 2 || r.oy != 4 || r.oz != 6 || r.tmax != 9;
    std::printf("advance %d\n", w);
    bad += w;
  }
  {
    std::vector<Mixed> h(n);
    std::vector<double> o(n);
    for (int i = 0; i < n; i++) h[i] = {char(i % 3), short(i % 100), i, 0.5};
    Mixed *d = toDevice(h);
    double *od = toDevice(o);
    mixFields<<<grid, tpb>>>(d, od, n);
    auto g = toHost(od, n);
    int w = 0;
    for (int i = 0; i < n; i++) w += g[i] != 0.5 + i % 3 + i % 100 + i;
    std::printf("mixFields %d\n", w);
    bad += w;
  }
  std::puts(bad ? "FAIL" : "OK");
  return bad != 0;
}
