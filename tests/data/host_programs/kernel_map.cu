// Kernels and sizes looked up by name or by number.
#include <array>
#include <cstdio>
#include <map>
#include <string>
#include <tuple>
#include <vector>
#include <cuda_runtime.h>
enum class Method { naive, tiled, vector };
__global__ void naive(const float *a, float *b, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) b[i] = a[i]; }
__global__ void tiled(const float *a, float *b, int n) { __shared__ float s[256]; s[threadIdx.x] = a[blockIdx.x * 256 + threadIdx.x]; __syncthreads(); b[blockIdx.x * 256 + threadIdx.x] = s[255 - threadIdx.x]; }
__global__ void vector4(const float *a, float *b, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (4 * i < n) ((float4 *)b)[i] = ((const float4 *)a)[i]; }
using Kernel = void (*)(const float *, float *, int);
struct Entry { Kernel kernel; int block; int per_thread; };
static const std::map<Method, Entry> table = {
    {Method::naive, {naive, 128, 1}}, {Method::tiled, {tiled, 256, 1}}, {Method::vector, {vector4, 64, 4}}};
static const std::array<int, 3> lengths{4096, 8192, 16384};
static int blocks(int n, int per_block) { return n / per_block + (n % per_block != 0); }
static void run(Method method, const float *a, float *b, int n)
{
    const Entry &e = table.at(method);
    e.kernel<<<blocks(n, e.block * e.per_thread), e.block>>>(a, b, n);
}
int main()
{
    float *a, *b;
    cudaMalloc(&a, lengths.back() * sizeof(float));
    cudaMalloc(&b, lengths.back() * sizeof(float));
    for (int n : lengths) run(Method::naive, a, b, n);
    for (size_t i = 0; i < lengths.size(); ++i) run(Method::tiled, a, b, lengths[i]);
    for (auto method : {Method::tiled, Method::vector}) run(method, a, b, 1024);
    std::map<std::string, Kernel> kernels;
    kernels["naive"] = naive;
    kernels["vector"] = &vector4;
    for (auto it = kernels.begin(); it != kernels.end(); ++it) it->second<<<3, 480>>>(a, b, 1440);
    std::vector<std::tuple<int, int, int>> shapes{{1, 32, 32}, {2, 64, 100}};
    for (const auto &shape : shapes) naive<<<std::get<0>(shape), std::get<1>(shape)>>>(a, b, std::get<2>(shape));
    for (auto [g, t, n] : shapes) naive<<<g + 4, t>>>(a, b, n + 1);
    return 0;
}
