#include <array>
struct Config { dim3 grid, block; size_t shared = 0; };
template <typename T> struct Matrix { T *data; int rows, cols; Matrix(int r, int c) : rows(r), cols(c) { cudaMalloc(&data, sizeof(T) * r * c); } ~Matrix() { cudaFree(data); } int size() const { return rows * cols; } };
template <typename T, int B, typename Op> __global__ void kern(T *p, int n, Op op) { p[threadIdx.x] = op(p[threadIdx.x]); }
template <typename F> __global__ void apply(int n, F f) { int i = threadIdx.x; if (i < n) f(i); }
__global__ void plain(float *a, const float *b, int n) {}
__global__ void plain(double *a, int n) {}
struct Twice { __device__ float operator()(float x) const { return 2 * x; } };
inline int divup(int a, int b) { return (a + b - 1) / b; }
Config configure(int n) { Config c; c.grid = dim3(divup(n, 128)); c.block = 128; c.shared = 64; return c; }
template <int B> void launch_all(Matrix<float> &m) { kern<float, B><<<divup(m.size(), B), B>>>(m.data, m.size(), Twice()); }
class Runner { public: explicit Runner(int n) : n_(n) {} void run(float *p) { plain<<<grid(), block_>>>(p, p + 4, n_); } private: dim3 grid() const { return {unsigned(n_ / 32), 2}; } int n_; dim3 block_{32, 2, 1}; };
static const int kBlocks[] = {64, 128};
void dispatch(int which, float *p) { switch (which) { case 0: plain<<<1, 32>>>(p, p, 1); break; default: plain<<<2, 64>>>(p, p, 2); } }
int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 1000;
    Matrix<float> m(10, 30);
    launch_all<64>(m); launch_all<128>(m);
    Config c = configure(1000);
    plain<<<c.grid, c.block, c.shared>>>(m.data, nullptr, n);
    double *d; cudaMalloc((void **)&d, 100); plain<<<1, 1>>>(d, 5);
    Runner(64).run(m.data);
    for (int b : kBlocks) plain<<<b, 2 * b>>>(m.data, m.data, b);
    for (int i = 1; i <= 4; i *= 2) plain<<<i, dim3{32, (unsigned)i}>>>(m.data, m.data, i);
    void *args[] = {&m.data, &m.data, &n};
    cudaLaunchKernel((void *)static_cast<void (*)(float *, const float *, int)>(plain), dim3(3), dim3(32), args, 128, 0);
    hipLaunchKernelGGL(plain, dim3(4), dim3(64), 0, 0, d, 7);
    dispatch(0, m.data); dispatch(1, m.data);
    int k = 5; apply<<<1, 256>>>(n, [=] __device__(int i) { m.data[i * k] = 1; });
    auto go = [&](auto kernel, int blocks) { kernel<<<blocks, 32>>>(m.data, 9, Twice{}); };
    go(kern<float, 7, Twice>, 11);
    if (n > 5) plain<<<9, 9>>>(d, n);
}
