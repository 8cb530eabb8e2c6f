#include <cuda_fp16.h>
namespace cg = cooperative_groups;
template <typename T, int N> struct Tile { T v[N]; __device__ T& operator[](int i) { return v[i]; } static constexpr int size = N; };
struct Add { __device__ float operator()(float a, float b) const { return a + b; } };
template <typename T> struct Traits { static constexpr int width = 4; using vec = float4; };
template <> struct Traits<__half> { static constexpr int width = 8; using vec = uint4; };
constexpr int log2c(int n) { int r = 0; while (n >>= 1) r++; return r; }
constexpr int fact(int n) { return n <= 1 ? 1 : n * fact(n - 1); }
template <typename T, class Op, int N = 4>
__device__ T reduce(const T (&a)[N], Op op) { T r = a[0]; for (int i = 1; i < N; i++) r = op(r, a[i]); return r; }

__global__ void k1(float *p, int n) {
    float a[4];
    for (int i = 0; i < 4; i++) a[i] = p[threadIdx.x * 4 + i];
    p[threadIdx.x] = reduce(a, Add());
    __shared__ float s[log2c(1024)][fact(4)];
    s[threadIdx.x & 3][0] = 1.f;
    Tile<int, 3> t;
    t[0] = n;
    p[t[0] + Tile<int,3>::size] = 2;
}
__device__ void swap2(int &a, int &b) { int t = a; a = b; b = t; }
__device__ int find(const int *p, int n, int *out) { for (int i = 0; i < n; i++) { if (p[i] == 0) { *out = i; return 1; } } return 0; }
__global__ void k2(int *p, int n) {
    int x = threadIdx.x, y = n;
    swap2(x, y);
    int where = -1;
    if (find(p, n, &where)) p[where] = x;
    auto f = [=](int i) { return i * y; };
    p[f(3)] = f(x);
    int z = p[0] > 0 ? p[1] : 5;
    if (n > 3 && p[z] > 2) p[x++] = y--;
    do { x += 1; if (x == 7) continue; if (x > 100) break; } while (x < n);
    switch (x) { case 1: p[1] = 1; case 2: p[2] = 2; break; default: p[3] = 3; }
    p[x] += 4; ++p[y];
}
template <typename T> __global__ void k3(T *p) {
    using V = typename Traits<T>::vec;
    constexpr int W = Traits<T>::width;
    V v = reinterpret_cast<V*>(p)[threadIdx.x];
    if constexpr (W == 8) { p[0] = p[1]; } else { p[2] = p[W]; }
    reinterpret_cast<V*>(p)[threadIdx.x + 1] = v;
}
template __global__ void k3<float>(float*);
__global__ void k4(float4 *a, half2 *h) {
    float4 v = a[threadIdx.x];
    v.x += v.y;
    a[0] = v;
    float *f = &v.x;
    h[1] = __hadd2(h[0], h[2]);
    float2 w = *reinterpret_cast<float2*>(&v.z);
    a[1].x = w.y;
}
