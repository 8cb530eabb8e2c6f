// A runner over types and sizes with templates, constexpr helpers and timers.
#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <type_traits>
#include <vector>
#include <numeric>
#include <cuda_runtime.h>
namespace detail {
template <typename T, typename U> constexpr auto div_up(T a, U b) { return (a + b - 1) / b; }
template <class T> constexpr T round_up(T a, T b) { return div_up(a, b) * b; }
template <typename T> constexpr const T &clamp(const T &v, const T &lo, const T &hi) { return v < lo ? lo : hi < v ? hi : v; }
}
template <typename T, int BLOCK> __global__ void reduce(const T *in, T *out, size_t n) { __shared__ T s[BLOCK]; s[threadIdx.x] = in[blockIdx.x * BLOCK + threadIdx.x]; __syncthreads(); if (threadIdx.x == 0) out[blockIdx.x] = s[BLOCK - 1] + n; }
template <typename T> __global__ void generic(T *out, size_t n, int k) { out[threadIdx.x] = n * k; }
class Timer {
    cudaEvent_t begin_, end_;
    const char *what_;
public:
    explicit Timer(const char *what) : what_(what) { cudaEventCreate(&begin_); cudaEventCreate(&end_); cudaEventRecord(begin_); }
    ~Timer() { cudaEventRecord(end_); cudaEventSynchronize(end_); float ms; cudaEventElapsedTime(&ms, begin_, end_); printf("%s %f\n", what_, ms); }
};
template <typename T> class DeviceBuffer {
    T *data_ = nullptr; size_t size_ = 0;
public:
    explicit DeviceBuffer(size_t size) : size_(size) { cudaMalloc(&data_, size * sizeof(T)); }
    DeviceBuffer(DeviceBuffer &&other) noexcept : data_(other.data_), size_(other.size_) { other.data_ = nullptr; }
    ~DeviceBuffer() { if (data_) cudaFree(data_); }
    operator T *() { return data_; }
    T *get() const { return data_; }
    size_t size() const { return size_; }
};
template <typename T, int BLOCK> void bench(size_t n)
{
    DeviceBuffer<T> in(detail::round_up<size_t>(n, BLOCK)), out(detail::div_up(n, BLOCK));
    Timer timer(__func__);
    reduce<T, BLOCK><<<out.size(), BLOCK>>>(in, out, in.size());
}
template <typename T> void all(std::initializer_list<size_t> sizes)
{
    for (size_t n : sizes) { bench<T, 64>(n); bench<T, 256>(n); }
}
template <typename T> struct Launcher {
    int block;
    Launcher &with_block(int b) { block = b; return *this; }
    template <typename... Args> void operator()(int grid, Args... args) const
    {
        if constexpr (sizeof(T) == 8) generic<T><<<grid, block / 2>>>(args...);
        else generic<T><<<grid, block>>>(args...);
    }
};
int main()
{
    all<float>({1000, 5000});
    all<double>({300});
    std::vector<int> ks(4);
    std::iota(ks.begin(), ks.end(), 3);
    DeviceBuffer<float> f(4096);
    DeviceBuffer<double> d(4096);
    for (int k : ks) Launcher<float>{}.with_block(32 * k)(k, f.get(), f.size(), k);
    Launcher<double> doubles{128};
    doubles(9, d.get(), d.size(), static_cast<int>(ks.size()));
    constexpr int lo = 2, hi = 6;
    generic<int32_t><<<detail::clamp(11, lo, hi), 96>>>((int32_t *)f.get(), f.size(), 1);
    generic<uint8_t><<<std::accumulate(ks.begin(), ks.end(), 0), 32>>>((uint8_t *)f.get(), f.size(), 2);
    auto length = f.size() / sizeof(float);
    generic<float><<<(unsigned int)length / 128u, dim3(128)>>>(f, length, 3);
}
