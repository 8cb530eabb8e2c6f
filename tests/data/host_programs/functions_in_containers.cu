#include <cstdio>
#include <string>
#include <map>
#include <vector>
#include <functional>
#include <utility>
#include <tuple>
#include <cuda_runtime.h>
__global__ void a(float *x, int n) { x[threadIdx.x] = n; }
__global__ void b(float *x, int n) { x[threadIdx.x] = n; }
__global__ void c(float *x, int n) { x[threadIdx.x] = n; }
template <int B> __global__ void t(float *x, int n) { x[threadIdx.x] = n * B; }
void bench(const char *name, std::function<void()> f) { for (int i = 0; i < 3; ++i) f(); printf("%s\n", name); }
template <class F> float timed(F f, int repeat = 4) { f(); for (int i = 0; i < repeat; i++) f(); return 0; }
template <int B> void launch(float *x, int n) { t<B><<<(n + B - 1) / B, B>>>(x, n); }
using Fn = void (*)(float *, int);
static Fn launchers[] = { launch<64>, launch<128>, &launch<256> };
int main()
{
    float *x; int n = 1000;
    cudaMalloc(&x, n * 4);
    bench("a", [&] { a<<<n / 100, 100>>>(x, n); });
    timed([=]() { b<<<n / 50, 50>>>(x, n); });
    std::vector<std::pair<std::string, std::function<void()>>> tests = { {"c", [&]() { c<<<3, 33>>>(x, 1); }}, {"c2", [&]() { c<<<4, 44>>>(x, 2); }} };
    for (auto &test : tests) test.second();
    for (auto f : launchers) f(x, n);
    std::map<int, int> sizes = { {1, 320}, {2, 640} };
    for (auto &[k, v] : sizes) a<<<k, v>>>(x, k);
}
