// Variants of one computation in a table of lambdas, each timed.
#include <cstdio>
#include <functional>
#include <string>
#include <unordered_map>
#include <map>
#include <utility>
#include <vector>
#include <cuda_runtime.h>

inline int ceil_div(int a, int b) { return (a + b - 1) / b; }
template <int ITEMS> __global__ void add(const int *a, int *b, int n)
{
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * ITEMS;
    for (int k = 0; k < ITEMS; k++) if (i + k < n) b[i + k] = a[i + k] + 1;
}
__global__ void stride(const int *a, int *b, int n, int step) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i * step < n) b[i] = a[i * step]; }

struct Variant { std::string name; std::function<void(const int *, int *, int)> run; };

int main()
{
    const int N = 1 << 18;
    int *a, *b;
    cudaMalloc((void **)&a, N * sizeof(int));
    cudaMalloc((void **)&b, N * sizeof(int));
    std::vector<Variant> variants = {
        {"one item", [](const int *a, int *b, int n) { add<1><<<ceil_div(n, 256), 256>>>(a, b, n); }},
        {"four items", [](const int *a, int *b, int n) { add<4><<<ceil_div(n, 256 * 4), 256>>>(a, b, n); }},
    };
    const int step = 8;
    variants.push_back({"strided", [step](const int *a, int *b, int n) { stride<<<ceil_div(n / step, 128), 128>>>(a, b, n, step); }});
    for (const auto &v : variants) {
        v.run(a, b, N);
        printf("%s\n", v.name.c_str());
    }
    std::unordered_map<std::string, int> blocks = {{"small", 64}, {"large", 512}};
    add<2><<<ceil_div(N, 2 * blocks["small"]), blocks["small"]>>>(a, b, N);
    add<2><<<ceil_div(N, 2 * blocks.at("large")), blocks.at("large")>>>(a, b, N);
    std::map<int, std::pair<int, int>> config;
    config[1] = {16, 96};
    config[2] = std::make_pair(32, 160);
    for (const auto &entry : config) {
        auto [grid, block] = entry.second;
        stride<<<grid, block>>>(a, b, 1000, entry.first);
    }
    std::vector<std::pair<const char *, std::function<void()>>> jobs;
    for (int threads : {32, 64}) jobs.emplace_back("job", [=] { stride<<<5, threads>>>(a, b, threads, 2); });
    for (auto &job : jobs) job.second();
    auto timed = [&](auto &&f) { f(); cudaDeviceSynchronize(); };
    timed([&] { add<8><<<3, 224>>>(a, b, N / 8); });
}
