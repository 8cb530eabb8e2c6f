#include <cstdio>
#include <memory>
#include <vector>
#include <cuda_runtime.h>
__global__ void step(float *x, int n, int it) { x[threadIdx.x] = n + it; }
__global__ void init(float *x, int n) { x[threadIdx.x] = n; }
__global__ void fin(float *x, int n) { x[threadIdx.x] = n; }
class Buffer {
public:
    explicit Buffer(size_t n) : n_(n) { cudaMalloc(&p_, n * sizeof(float)); init<<<blocks(), threads>>>(p_, (int)n_); }
    ~Buffer() { cudaFree(p_); }
    float *get() const { return p_; }
    int blocks() const { return static_cast<int>((n_ + threads - 1) / threads); }
    static constexpr int threads = 192;
private:
    float *p_ = nullptr; size_t n_;
};
struct Config { int n = 5000; int block = 128; int steps = 3; };
class Solver {
    Config cfg_; std::unique_ptr<Buffer> buffer_; dim3 grid_, block_;
public:
    Solver(const Config &cfg) : cfg_(cfg), buffer_(std::make_unique<Buffer>(cfg.n)) { block_ = dim3(cfg_.block); grid_ = dim3((cfg_.n + block_.x - 1) / block_.x); }
    void run() { for (int i = 0; i < cfg_.steps; ++i) advance(i); }
    virtual void advance(int i) { step<<<grid_, block_>>>(buffer_->get(), cfg_.n, i); }
    virtual ~Solver() { fin<<<1, 64>>>(buffer_->get(), cfg_.n); }
};
class Base { public: virtual void go(float *x) = 0; virtual ~Base() {} };
class One : public Base { int k; public: One(int k) : k(k) {} void go(float *x) override { init<<<k, 32>>>(x, k); } };
class Two : public Base { public: void go(float *x) override { init<<<11, 352>>>(x, 2); } };
int main()
{
    Config cfg;
    cfg.n = 10000;
    Solver s(cfg);
    s.run();
    std::vector<std::unique_ptr<Base>> all;
    all.push_back(std::make_unique<One>(5));
    all.emplace_back(new Two());
    float *x; cudaMalloc(&x, 4096);
    for (auto &b : all) b->go(x);
}
