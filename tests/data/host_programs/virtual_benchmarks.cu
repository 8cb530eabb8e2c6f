// Classes of benchmarks behind one interface, registered by name.
#include <cstdio>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <vector>
#include <cuda_runtime.h>

__global__ void copy_kernel(float *d, const float *s, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) d[i] = s[i]; }
__global__ void transpose_kernel(float *d, const float *s, int rows, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
    if (r < rows && c < cols) d[c * rows + r] = s[r * cols + c];
}
__global__ void sum_kernel(float *d, const float *s, int n) { extern __shared__ float t[]; t[threadIdx.x] = s[threadIdx.x]; __syncthreads(); if (!threadIdx.x) d[0] = t[0] + n; }

class Benchmark {
public:
    explicit Benchmark(std::string name, int n) : name_(std::move(name)), n_(n)
    {
        cudaMalloc(&in_, n * sizeof(float));
        cudaMalloc(&out_, n * sizeof(float));
    }
    virtual ~Benchmark() { cudaFree(in_); cudaFree(out_); }
    virtual void launch() = 0;
    virtual int block() const { return 256; }
    const std::string &name() const { return name_; }
    float time(int repeat)
    {
        cudaEvent_t a, b;
        cudaEventCreate(&a); cudaEventCreate(&b);
        cudaEventRecord(a);
        for (int i = 0; i < repeat; i++) launch();
        cudaEventRecord(b);
        cudaEventSynchronize(b);
        float ms = 0;
        cudaEventElapsedTime(&ms, a, b);
        return ms;
    }
protected:
    std::string name_;
    int n_;
    float *in_ = nullptr, *out_ = nullptr;
};
class Copy final : public Benchmark {
public:
    using Benchmark::Benchmark;
    void launch() override { copy_kernel<<<(n_ + block() - 1) / block(), block()>>>(out_, in_, n_); }
};
class WideCopy : public Benchmark {
public:
    WideCopy(int n) : Benchmark("wide copy", n) {}
    int block() const override { return 1024; }
    void launch() override { copy_kernel<<<(n_ + block() - 1) / block(), block()>>>(out_, in_, n_); }
};
class Transpose : public Benchmark {
    int rows_, cols_;
public:
    Transpose(int rows, int cols) : Benchmark("transpose", rows * cols), rows_(rows), cols_(cols) {}
    void launch() override
    {
        const dim3 threads(32, 8);
        const dim3 blocks((cols_ + threads.x - 1) / threads.x, (rows_ + threads.y - 1) / threads.y);
        transpose_kernel<<<blocks, threads>>>(out_, in_, rows_, cols_);
    }
};
template <int Threads> class Sum : public Benchmark {
public:
    explicit Sum(int n) : Benchmark("sum", n) {}
    int block() const override { return Threads; }
    void launch() override { sum_kernel<<<4, Threads, Threads * sizeof(float)>>>(out_, in_, n_); }
};
int main()
{
    std::vector<std::unique_ptr<Benchmark>> all;
    all.emplace_back(new Copy("copy", 1 << 16));
    all.push_back(std::make_unique<WideCopy>(50000));
    all.push_back(std::make_unique<Transpose>(512, 384));
    all.push_back(std::unique_ptr<Benchmark>(new Sum<128>(77)));
    std::map<std::string, std::shared_ptr<Benchmark>> named;
    named["small"] = std::make_shared<Sum<64>>(99);
    named.emplace("tiny", std::make_shared<Copy>("tiny", 100));
    for (const auto &one : all) std::cout << one->name() << ": " << one->time(3) << " ms\n";
    for (auto &[name, one] : named) std::cout << name << ": " << one->time(1) << " ms\n";
    Benchmark *array[] = {all[0].get(), all[2].get()};
    for (Benchmark *b : array) b->launch();
}
