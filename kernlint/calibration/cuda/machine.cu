// Measures what a kernel's time is made of: latencies, throughputs, barriers, blocks and launches.
//
// usage: machine REPEATS. Prints `total N`, a line `property NAME VALUE` for each limit of the device, and one measurement a line:
// NAME MEDIAN LEAST MOST. With 0 repeats it launches an empty kernel 20 times, for a profiler to look at, and measures nothing.
// Latencies: one thread follows pointers; cycles per hop. Throughputs: every SM is full of warps. Cycles are those of the SM's clock.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <functional>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "machine_kernels.cuh"

#define CHECK(call)                                                                     \
    do {                                                                                \
        cudaError_t error = (call);                                                     \
        if (error != cudaSuccess) {                                                     \
            fprintf(stderr, "%s (%s)\n", cudaGetErrorString(error), #call);             \
            exit(1);                                                                    \
        }                                                                               \
    } while (0)

static cudaDeviceProp device;
static int repeats = 5;

static Span *device_spans;
static Word *sink;
constexpr int MOST_BLOCKS = 4096;

static void report(const char *name, std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    printf("%s %.9g %.9g %.9g\n", name, values[values.size() / 2], values.front(), values.back());
    fflush(stdout);
}

static void repeat(const char *name, const std::function<double()> &measure)
{
    measure();
    std::vector<double> values;
    for (int k = 0; k < repeats; ++k) values.push_back(measure());
    report(name, values);
}

// The longest span of the blocks, in cycles.
static double longest(int blocks)
{
    static std::vector<Span> spans(MOST_BLOCKS);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(spans.data(), device_spans, blocks * sizeof(Span), cudaMemcpyDeviceToHost));
    long long most = 0;
    for (int k = 0; k < blocks; ++k) most = std::max(most, spans[k].end - spans[k].begin);
    return (double)most;
}

static double milliseconds(const std::function<void()> &work)
{
    static cudaEvent_t before, after;
    if (!before) {
        CHECK(cudaEventCreate(&before));
        CHECK(cudaEventCreate(&after));
    }
    CHECK(cudaEventRecord(before));
    work();
    CHECK(cudaEventRecord(after));
    CHECK(cudaEventSynchronize(after));
    float time;
    CHECK(cudaEventElapsedTime(&time, before, after));
    return time;
}

// A ring of pointers through `count` places `step` bytes apart, in random order.
static std::vector<Long> ring(const char *at, size_t count, size_t step)
{
    std::vector<size_t> order(count);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin() + 1, order.end(), std::mt19937_64(1));
    std::vector<Long> image(count * step / sizeof(Long));
    for (size_t k = 0; k < count; ++k) image[order[k] * step / sizeof(Long)] = (Long)at + order[(k + 1) % count] * step;
    return image;
}

static void latencies(char *memory, char *other, size_t flush)
{
    const int hops = 4096;
    repeat("clock_read_cycles", [] { read_clock<<<1, 1>>>(device_spans); return longest(1); });
    repeat("instruction_cycles", [=] { chase_arithmetic<<<1, 1>>>(device_spans, sink, 3, hops); return longest(1) / hops; });
    repeat("shared_cycles", [=] { chase_shared<<<1, 1>>>(device_spans, sink, hops); return longest(1) / hops; });
    repeat("shared_atomic_cycles", [=] { chase_atomic<<<1, 1>>>(device_spans, sink, hops); return longest(1) / hops; });
    auto place = [=](size_t count, size_t step) {
        auto image = ring(memory, count, step);
        CHECK(cudaMemcpy(memory, image.data(), image.size() * sizeof(Long), cudaMemcpyHostToDevice));
    };
    place(128, 128);
    repeat("l1_cycles", [=] { chase_l1<<<1, 1>>>(device_spans, sink, (Long *)memory, 256, hops); return longest(1) / hops; });
    place(8192, 128);
    repeat("l2_cycles", [=] { chase_l2<<<1, 1>>>(device_spans, sink, (Long *)memory, 8192, hops); return longest(1) / hops; });
    place((size_t)device.l2CacheSize / 128, 256);  // twice the L2
    repeat("global_cycles", [=] {
        write_memory<<<4 * device.multiProcessorCount, 1024>>>((uint4 *)other, flush / 16);  // nothing of the ring stays in L2
        chase_l2<<<1, 1>>>(device_spans, sink, (Long *)memory, 0, hops);
        return longest(1) / hops;
    });
}

template <int WIDTH> static double shared_wavefronts()
{
    stream_shared<WIDTH><<<1, 1024, 16384>>>(device_spans, sink);
    return 32.0 * TIMES * UNROLL * (WIDTH / 4) / longest(1);
}

template <int WIDTH> static double l1_sectors(char *memory)
{
    stream_l1<WIDTH><<<device.multiProcessorCount, 1024>>>(device_spans, sink, memory, 0);
    return 32.0 * 4 * TIMES * 8 * WIDTH / longest(device.multiProcessorCount);
}

template <Unit UNIT> static double instructions()
{
    issue<UNIT><<<device.multiProcessorCount, 1024>>>(device_spans, sink, 1.0f, 2.0f);
    return 32.0 * TIMES * UNROLL / longest(device.multiProcessorCount);
}

static void throughputs(char *memory, size_t large)
{
    const int sms = device.multiProcessorCount;
    CHECK(cudaMemset(memory, 0, large));
    repeat("shared_wavefronts_per_cycle", shared_wavefronts<4>);
    repeat("shared_wavefronts_per_cycle_16", shared_wavefronts<16>);
    repeat("l1_sectors_per_cycle_4", [=] { return l1_sectors<4>(memory); });
    repeat("l1_sectors_per_cycle", [=] { return l1_sectors<16>(memory); });
    const size_t share = std::max<size_t>(65536, (size_t)device.l2CacheSize / 4 / sms / 65536 * 65536);  // a quarter of the L2 in all
    const int rounds = 32;
    repeat("l2_sectors_per_cycle", [=] {
        stream_l2<<<sms, 1024>>>(device_spans, sink, memory, share, share, rounds);
        return (double)rounds * share * sms / 32 / longest(sms);
    });
    repeat("l2_sectors_per_cycle_shared", [=] {  // every SM reads the same lines
        stream_l2<<<sms, 1024>>>(device_spans, sink, memory, share, 0, rounds);
        return (double)rounds * share * sms / 32 / longest(sms);
    });
    repeat("l2_sectors_per_cycle_one_sm", [=] {
        stream_l2<<<1, 1024>>>(device_spans, sink, memory, share, share, rounds);
        return (double)rounds * share / 32 / longest(1);
    });
    repeat("l2_write_sectors_per_cycle", [=] {
        store_l2<<<sms, 1024>>>(device_spans, sink, memory, share, share, rounds);
        return (double)rounds * share * sms / 32 / longest(sms);
    });
    repeat("dram_bytes_per_second", [=] {
        return large / (1e-3 * milliseconds([=] { read_memory<<<2 * sms, 1024>>>(sink, (uint4 *)memory, large / 16); }));
    });
    repeat("dram_write_bytes_per_second", [=] {
        return large / (1e-3 * milliseconds([=] { write_memory<<<2 * sms, 1024>>>((uint4 *)memory, large / 16); }));
    });
    repeat("instructions_per_cycle", [=] {
        issue_mixed<<<sms, 1024>>>(device_spans, sink, 1.0f, 2.0f);
        return 32.0 * TIMES * UNROLL / longest(sms);
    });
    repeat("fma32_per_cycle", instructions<FMA32>);
    repeat("multiply32_per_cycle", instructions<INTEGER32>);
    repeat("logic32_per_cycle", instructions<LOGIC32>);
    repeat("fma64_per_cycle", instructions<FMA64>);
    repeat("special32_per_cycle", instructions<SPECIAL32>);
}

static void overheads()
{
    const int sms = device.multiProcessorCount;
    for (int warps = 1; warps <= 32; ++warps) {
        char name[32];
        snprintf(name, sizeof name, "barrier_%d_cycles", warps);
        repeat(name, [=] { barriers<<<1, 32 * warps>>>(device_spans, sink); return longest(1) / (TIMES * UNROLL); });
    }
    double megahertz = 0;
    repeat("sm_mhz", [&] {
        double time = milliseconds([&] { chase_arithmetic<<<1, 1>>>(device_spans, sink, 3, 1 << 22); });
        return megahertz = longest(1) / time / 1e3;
    });
    const int launches = 2000;
    repeat("launch_ns", [=] { return 1e6 / launches * milliseconds([=] { for (int k = 0; k < launches; ++k) empty<<<sms, 32>>>(); }); });
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    for (int k = 0; k < 500; ++k) empty<<<sms, 32, 0, stream>>>();
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&ready, graph, 0));
    repeat("graph_launch_ns", [=] { return 1e6 / 500 * milliseconds([=] { CHECK(cudaGraphLaunch(ready, 0)); }); });
    // Empty blocks: SM cycles from one to the next, of the whole device when many fit on an SM, of one SM when only one fits.
    auto blocks = [=](int each, int warps, int shared) {
        double few = milliseconds([=] { empty<<<each * sms, 32 * warps, shared>>>(); });
        double many = milliseconds([=] { empty<<<9 * each * sms, 32 * warps, shared>>>(); });
        return (many - few) * 1e3 * megahertz / (8 * each);
    };
    for (int warps : {1, 8, 32}) {
        char name[32];
        snprintf(name, sizeof name, "block_%d_cycles", warps);
        repeat(name, [=] { return blocks(512, warps, 0) / sms; });
    }
    const int most = (int)device.sharedMemPerBlockOptin;
    CHECK(cudaFuncSetAttribute(empty, cudaFuncAttributeMaxDynamicSharedMemorySize, most));
    repeat("block_turnaround_cycles", [=] { return blocks(64, 1, most); });
}

int main(int count, char **words)
{
    if (count > 1) repeats = atoi(words[1]);
    if (!repeats) {  // for a profiler to look at
        for (int k = 0; k < 20; ++k) empty<<<1, 32>>>();
        CHECK(cudaDeviceSynchronize());
        return 0;
    }
    CHECK(cudaGetDeviceProperties(&device, 0));
    CHECK(cudaMalloc(&device_spans, MOST_BLOCKS * sizeof(Span)));
    CHECK(cudaMalloc(&sink, sizeof(Word)));
    size_t available, all;
    CHECK(cudaMemGetInfo(&available, &all));
    const size_t large = std::min<size_t>((size_t)2 << 30, available / 4) / 65536 * 65536;
    char *memory, *other;
    CHECK(cudaMalloc(&memory, large));
    const size_t flush = std::min<size_t>(large, (size_t)device.l2CacheSize * 4);
    CHECK(cudaMalloc(&other, flush));
    printf("total %d\n", 7 + 16 + 32 + 3 + 4);
    const std::pair<const char *, double> properties[] = {
        {"capability", 10 * device.major + device.minor},
        {"threads_per_block", device.maxThreadsPerBlock},
        {"warps_per_sm", device.maxThreadsPerMultiProcessor / device.warpSize},
        {"blocks_per_sm", device.maxBlocksPerMultiProcessor},
        {"registers_per_sm", device.regsPerMultiprocessor},
        {"shared_per_block", (double)device.sharedMemPerBlock},
        {"shared_per_block_optin", (double)device.sharedMemPerBlockOptin},
        {"shared_per_sm", (double)device.sharedMemPerMultiprocessor},
        {"shared_window", (double)device.reservedSharedMemPerBlock},
        {"multiprocessors", device.multiProcessorCount},
        {"l2_bytes", device.l2CacheSize},
    };
    for (auto [name, value] : properties) printf("property %s %.0f\n", name, value);
    latencies(memory, other, flush);
    throughputs(memory, large);
    overheads();
    CHECK(cudaDeviceSynchronize());
    return 0;
}
