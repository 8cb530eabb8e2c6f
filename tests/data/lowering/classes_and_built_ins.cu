#include <cuda_pipeline.h>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
union Pack { float4 v; float a[4]; };
struct alignas(16) Q { int a; short b; char c; };
struct Node { int value; Node *next; unsigned lo : 4, hi : 12; };
struct Base { int n; __device__ int twice() const { return 2 * n; } };
struct Derived : Base { int m; __device__ Derived(int a, int b) : Base{a}, m(b) {} __device__ int sum() const { return twice() + m + n; } __device__ operator int() const { return m; } };
enum class Mode : unsigned char { A = 3, B };
__constant__ float coef[16];
__device__ int counter;
__device__ __forceinline__ float4 operator+(const float4 &a, const float4 &b) { return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w); }
__global__ void k1(float4 *a, Q *q, Node *nodes, int n) {
    Pack p;
    p.v = a[threadIdx.x];
    a[threadIdx.x + 1].x = p.a[n & 3];
    Q one = q[threadIdx.x];
    q[n] = one;
    q[n].b = one.c;
    Node *cur = &nodes[threadIdx.x];
    while (cur) { if (cur->value == n) break; cur = cur->next; }
    a[cur->value] = a[0] + a[1];
    int h = nodes[3].hi;
    Derived d(n, 7);
    a[d.sum()].y = coef[d];
    Mode m = Mode::B;
    if (m == Mode::B) atomicAdd(&counter, 1);
    int old = atomicCAS(&nodes[h].value, 0, 1);
    nodes[old].value = atomicExch(&counter, 2);
}
template <int N> struct Unroll { template <typename F> static __device__ void run(F f) { Unroll<N - 1>::run(f); f(N - 1); } };
template <> struct Unroll<0> { template <typename F> static __device__ void run(F) {} };
template <typename... Ts> __device__ int sum(Ts... ts) { return (ts + ... + 0); }
template <typename T, typename... R> __device__ T maxi(T a, R... r) { if constexpr (sizeof...(R) == 0) return a; else { T b = maxi(r...); return a > b ? a : b; } }
__global__ void k2(int *p, const int4 *__restrict__ g) {
    extern __shared__ __align__(16) unsigned char raw[];
    int *si = reinterpret_cast<int *>(raw);
    float *sf = (float *)(si + 64);
    Unroll<3>::run([&](int i) { si[threadIdx.x + 32 * i] = i; });
    sf[threadIdx.x] = sum(1, 2, si[0]);
    p[maxi(p[1], 4, 5)] = 1;
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<16>(block);
    int v = tile.shfl_down(p[0], 2);
    block.sync(); tile.sync();
    p[tile.thread_rank()] = v + block.thread_rank();
    __pipeline_memcpy_async(&si[threadIdx.x * 4], &g[threadIdx.x], sizeof(int4));
    __pipeline_commit();
    if (__any_sync(~0u, v > 0)) p[__popc(__ballot_sync(0xffffffff, v))] = 1;
    int4 w; memcpy(&w, &g[2], sizeof(w)); p[0] = w.y;
    float f = __int_as_float(w.x); unsigned u = __float_as_uint(f); p[u & 1] = (int)(f * 2);
    for (int i = threadIdx.x; ; i += 3) { if (i > 10) goto done; p[i] = i; }
done:
    p[5] = __ldg(p + 3);
    dim3 idx = blockIdx; p[idx.x] = min(idx.y, 3u);
    auto [a, b, c, dd] = w; p[a] = b;
    int arr[] = {1, 2, 3}; for (int e : arr) p[e] = e;
    constexpr int table[4] = {4, 3, 2, 1}; p[table[1]] = table[threadIdx.x & 3];
    volatile int *vp = p; *vp; int *pp = p; *pp++ = 3; pp[0]--;
    p[-1] = pp - p;
    switch (threadIdx.x & 3) { case 0: case 1: return; }
    p[sizeof(Q) + alignof(Q)] = true ? 1 : 2;
}
