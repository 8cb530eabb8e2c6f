// origin: own
// Loops over views with iterators, class template argument deduction, spans, lambdas that return lambdas.
#include <cuda/std/span>
#include <cuda/std/array>
template <class T> struct Strided {
    T *p;
    int step, n;
    struct Iterator {
        T *p;
        int step;
        __device__ T &operator*() const { return *p; }
        __device__ Iterator &operator++() { p += step; return *this; }
        __device__ bool operator!=(const Iterator &other) const { return p != other.p; }
    };
    __device__ Iterator begin() const { return {p, step}; }
    __device__ Iterator end() const { return {p + n * step, step}; }
};
template <class T> Strided(T *, int, int) -> Strided<T>;
__global__ void walked(float *g)
{
    for (float &x : Strided{g + threadIdx.x, 64, 4}) x = 1;                                           //= all: global store s=4
    for (auto &x : Strided{g + threadIdx.x * 2, 128, 2}) x = 2;                                       //= all: global store s=8
}
__global__ void grid_stride(float *o, int n)
{
    auto grid_loop = [&](auto body) {
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) body(i);
    };
    auto by = [](int k) { return [k](int i) { return i * k; }; };
    auto four = by(4);
    grid_loop([&](int i) { o[four(i)] = i; });                                                        //= all: global store s=16
}
__global__ void spans(float *o)
{
    cuda::std::span<float> all(o, 4096);
    auto mine = all.subspan(blockIdx.x * 256);
    mine[threadIdx.x * 2] = 1;                                                                        //= all: global store s=8
    cuda::std::array<int, 4> steps{1, 2, 4, 8};
    for (int s : steps) o[threadIdx.x * s] = s;                                                       //= all: global store s=15
}
void go(float *o) { walked<<<1, 64>>>(o); grid_stride<<<8, 128>>>(o, 4096); spans<<<4, 64>>>(o); }
