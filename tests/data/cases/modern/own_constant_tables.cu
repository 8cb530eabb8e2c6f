// origin: own
// Tables made at compile time, ranges over arrays, tuples that are applied, arrays of pointers.
#include <array>
#include <tuple>
#include <cuda/std/array>
#include <cuda/std/tuple>
#include <cuda/std/optional>
namespace cs = cuda::std;
template <int N> constexpr auto powers() { cs::array<int, N> a{}; int p = 1; for (auto &x : a) { x = p; p *= 2; } return a; }
__constant__ constexpr int order[4] = {3, 1, 2, 0};
template <class F> __device__ void for_each_stride(F f) { constexpr auto t = powers<4>(); for (int s : t) f(s); }
__global__ void k(float *o)
{
    __shared__ float s[2048];
    const int t = threadIdx.x;
    constexpr auto tab = powers<6>();
    s[t * tab[1]] = 1;       //= all: shared store w=2
    s[t * tab[5]] = 2;       //= all: shared store w=32
    for_each_stride([&](int n) { o[t + n * 64] = s[t]; }); //= all: global store s=4 | shared load w=1
    for (int q : order) s[q * 512 + t * 8] = q; //= all: shared store w=8
    cs::tuple<float *, int, int> args{o, t, 4};
    cs::apply([](float *p, int i, int n) { p[i * n] = 1; }, args); //= all: global store s=16
    auto &&[p, i, n] = args;
    p[i * n / 2] = 2;        //= all: global store s=8
    cs::array<float *, 2> ps{o, o + 1024};
    for (float *q : ps) q[t * 3] = 4; //= all: global store s=12
}
// Configurations of class type: elements of a table, what functions make of them, as template arguments.
struct Config { int rows, pitch, threads; };
constexpr Config configs[] = {{32, 32, 1024}, {32, 33, 1024}, {16, 16, 256}};
enum class Kind { plain, padded };
consteval Config pick(Kind kind) { switch (kind) { using enum Kind; case plain: return configs[0]; default: return configs[1]; } }
constexpr int find(int pitch) { for (int i = 0; i < 3; ++i) if (configs[i].pitch == pitch) return i; return -1; }
template <Config C> __global__ void turned(float *o)
{
    __shared__ float t[C.rows * C.pitch];
    const int x = threadIdx.x % 32, y = threadIdx.x / 32;
    t[y * C.pitch + x] = o[threadIdx.x];   //= all: shared store w=1
    __syncthreads();
    o[threadIdx.x] = t[x * C.pitch + y];   //= Config{32,32,1024}: shared load w=32 | Config{32,33,1024}: shared load w=1
}
template <int I> __global__ void by_number(float *o) { o[threadIdx.x * configs[I].rows / 8] = 1; }   //= 2: global store s=8
template <Kind K> void run(float *o) { constexpr Config c = pick(K); turned<c><<<1, c.threads>>>(o); }
void go(float *o)
{
    k<<<1, 64>>>(o);
    run<Kind::plain>(o);
    turned<configs[find(33)]><<<1, 1024>>>(o);
    by_number<2><<<1, configs[2].threads>>>(o);
}
