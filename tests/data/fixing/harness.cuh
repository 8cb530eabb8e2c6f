// What the programs of this folder share: inputs that any build makes alike, a check of each call, results as bytes in a file, times.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <algorithm>

#ifdef BEFORE  // what today's headers no longer declare, as those of CUDA 8 and 12 had it, for programs that are not fixed yet
__device__ inline float shuffled_down(float value, unsigned delta)
{
    float found;
    asm volatile("shfl.sync.down.b32 %0, %1, %2, 0x1f, 0xffffffff;" : "=f"(found) : "f"(value), "r"(delta));
    return found;
}
#define __shfl_down shuffled_down

inline cudaError_t cudaThreadSynchronize() { return cudaDeviceSynchronize(); }
inline cudaError_t cudaThreadSetCacheConfig(cudaFuncCache wish) { return cudaDeviceSetCacheConfig(wish); }
inline cudaError_t cudaThreadGetLimit(size_t *size, cudaLimit limit) { return cudaDeviceGetLimit(size, limit); }
#endif

inline void check(cudaError_t code, const char *what)
{
    if (code == cudaSuccess) return;
    std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(code));
    std::exit(1);
}
#define CHECK(call) check((call), #call)

template <typename T> struct Buffer
{
    T *device = nullptr;
    std::vector<T> host;
    explicit Buffer(size_t count) : host(count)
    {
        CHECK(cudaMalloc(&device, count * sizeof(T)));
        CHECK(cudaMemset(device, 0x5a, count * sizeof(T)));  // what a kernel leaves unwritten shows
    }
    Buffer(size_t count, unsigned seed) : Buffer(count)
    {
        for (size_t i = 0; i < count; ++i)
        {
            seed = seed * 1664525u + 1013904223u;
            host[i] = static_cast<T>((seed >> 8) % 2003) / static_cast<T>(7);
        }
        CHECK(cudaMemcpy(device, host.data(), count * sizeof(T), cudaMemcpyHostToDevice));
    }
    void append(FILE *file)
    {
        CHECK(cudaMemcpy(host.data(), device, host.size() * sizeof(T), cudaMemcpyDeviceToHost));
        std::fwrite(host.data(), sizeof(T), host.size(), file);
    }
};

// Runs `launch` once for its results and 50 times for the median of its time in microseconds, which it prints.
template <typename F, typename... B> int measured(int count, char **words, F launch, B &...results)
{
    FILE *file = std::fopen(count > 1 ? words[1] : "result.bin", "wb");
    if (!file) return 1;
    launch();
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    (results.append(file), ...);
    std::fclose(file);
    if (count > 2) return 0;  // a profiler looks at the one launch
    cudaEvent_t from, to;
    CHECK(cudaEventCreate(&from));
    CHECK(cudaEventCreate(&to));
    std::vector<float> times;
    for (int turn = 0; turn < 60; ++turn)
    {
        CHECK(cudaEventRecord(from));
        launch();
        CHECK(cudaEventRecord(to));
        CHECK(cudaEventSynchronize(to));
        float milliseconds = 0;
        CHECK(cudaEventElapsedTime(&milliseconds, from, to));
        if (turn >= 10) times.push_back(1000 * milliseconds);
    }
    std::sort(times.begin(), times.end());
    std::printf("%.3f\n", times[times.size() / 2]);
    return 0;
}
