#include <cstdio>
#include <algorithm>
#include <array>
#include <vector>
#include <numeric>
#include <string>
#include <thread>
#include <cuda_runtime.h>
__global__ void k(float *x, int n) { x[threadIdx.x] = n; }
template <typename T, unsigned B> __global__ void red(T *x, unsigned n) { x[threadIdx.x] = n; }
template <typename T> void reduce(unsigned size, unsigned threads, unsigned blocks, T *d)
{
    dim3 dimBlock(threads, 1, 1), dimGrid(blocks, 1, 1);
    unsigned smem = (threads <= 32) ? 2 * threads * sizeof(T) : threads * sizeof(T);
    switch (threads) {
    case 512: red<T, 512><<<dimGrid, dimBlock, smem>>>(d, size); break;
    case 256: red<T, 256><<<dimGrid, dimBlock, smem>>>(d, size); break;
    case 128: red<T, 128><<<dimGrid, dimBlock, smem>>>(d, size); break;
    case 64: red<T, 64><<<dimGrid, dimBlock, smem>>>(d, size); break;
    case 32: red<T, 32><<<dimGrid, dimBlock, smem>>>(d, size); break;
    }
}
template <unsigned B> void chain(float *x) { k<<<B, B>>>(x, B); if constexpr (B > 32) chain<B / 2>(x); }
template <int... Bs> void pack(float *x) { (k<<<2, Bs>>>(x, Bs), ...); }
struct Shape { int w, h; };
enum class Mode { Small, Large };
static int size_of(Mode m) { return m == Mode::Small ? 256 : 2048; }
namespace cfg { constexpr int Threads = 160; inline int blocks(int n) { return (n + Threads - 1) / Threads; } }
int divUp(int a, int b) { return a / b + (a % b != 0); }
int main()
{
    float *x; cudaMalloc(&x, 1 << 20); double *y; cudaMalloc(&y, 1 << 20);
    for (unsigned t = 32; t <= 512; t *= 2) reduce<float>(1 << 16, t, (1 << 16) / t, x);
    reduce(1u << 10, 64u, 16u, y);
    chain<128>(x);
    pack<48, 80>(x);
    std::array<int, 3> sizes{100, 200, 300};
    for (int s : sizes) k<<<divUp(s, 64), 64>>>(x, s);
    std::vector<Shape> shapes; shapes.push_back({64, 32}); shapes.push_back({128, 16});
    for (const auto &s : shapes) k<<<dim3(s.w / 16, s.h / 16), dim3(16, 16)>>>(x, s.w * s.h);
    for (Mode m : {Mode::Small, Mode::Large}) k<<<size_of(m) / 32, 32>>>(x, 9);
    k<<<cfg::blocks(1234), cfg::Threads>>>(x, 10);
    std::vector<int> v(37); k<<<v.size(), 32>>>(x, (int)v.size());
    v.resize(41); k<<<(v.size() + 3) / 4, 32>>>(x, 11);
    const int m = std::max(17, std::min(99, 23)); k<<<m, 32>>>(x, 12);
    std::vector<int> w; for (int i = 0; i < 5; ++i) w.push_back(i * 10 + 10);
    k<<<w.back(), 32>>>(x, 13);
    k<<<std::accumulate(w.begin(), w.end(), 0), 32>>>(x, 14);
    int arr[4]; for (int i = 0; i < 4; i++) arr[i] = 1 << i; k<<<arr[3], arr[2] * 8>>>(x, 15);
    static int calls = 0; for (int i = 0; i < 2; ++i) { ++calls; k<<<calls + 20, 32>>>(x, 16); }
    auto cfgs = {std::make_pair(3, 96), std::make_pair(4, 128)}; for (auto [g, b] : cfgs) k<<<g, b>>>(x, 17);
    char name[16]; snprintf(name, 16, "%d", 5); k<<<6, 32>>>(x, 18);
    const bool fast = true; if (fast) k<<<31, 32>>>(x, 19); else k<<<32, 32>>>(x, 20);
    int q = 0; { int &r = q; r = 45; } k<<<q, 32>>>(x, 21);
    int *pq = &q; *pq += 1; k<<<q, 32>>>(x, 22);
    unsigned g3[3] = {5, 6, 7}; k<<<dim3(g3[0], g3[1], g3[2]), 32>>>(x, 23);
    dim3 dims[2] = {dim3(8, 2), dim3(9, 3)}; for (auto &dd : dims) k<<<dd, 32>>>(x, 24);
    dim3 gg; gg.x = 12; gg.y = gg.x / 4; k<<<gg, 32>>>(x, 25);
    uint3 u = make_uint3(3, 4, 5); k<<<dim3(u), dim3(u.x, u.y)>>>(x, 26);
    goto end;
end:
    k<<<99, 32>>>(x, 27);
}
