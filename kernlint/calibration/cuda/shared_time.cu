// Times shared-memory instructions as S. Okamoto does: T(i, w, c) of one block of w warps, each executing i of them at congestion c.
//
// Per measurement: a barrier; each warp reads the clock, issues its i instructions back to back, waits for the last value to arrive
// and reads the clock again. T is the latest reading minus the earliest. Figure 6's pattern over 32 rows of 32 elements that all warps
// share: lanes 0..c-1 use column 0 of their row, the others the diagonal. Stores return no value: a load of one word per warp follows
// the last store, and its value is waited for. Every block has an SM to itself and one c; T is the median over the repeats.
//
// usage: shared_time REPEATS. Prints, one item a line:
//   clock CYCLES                          two readings with nothing between them
//   total N                               lines that follow
//   T OP WIDTH I W T(c=1) ... T(c=32)     cycles, clock readings not subtracted

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <iterator>
#include <utility>
#include <vector>

#define CHECK(call)                                                                     \
    do {                                                                                \
        cudaError_t error = (call);                                                     \
        if (error != cudaSuccess) {                                                     \
            fprintf(stderr, "%s (%s)\n", cudaGetErrorString(error), #call);             \
            exit(1);                                                                    \
        }                                                                               \
    } while (0)

constexpr int LANES = 32, MOST = 32, WARM_UP = 2;
using Instructions = std::integer_sequence<int, 0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 32>;
const int WARPS[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 14, 16, 17, 20, 24, 25, 28, 31, 32};
constexpr int PATTERN_BYTES = 16 * 32 * 32;
enum Op { LOAD, STORE, ATOMIC };
const char *const NAMES[] = {"load", "store", "atomic"};

using Word = unsigned;
using Long = unsigned long long;

// Operands, read from memory so that the compiler has them in registers and knows nothing of them: at is the lane's element, the rest 0.
struct Operands { Word at, given; Long x, y; };

// One instruction; returns (part of) the value that arrives.
template <Op OP, int WIDTH> __device__ __forceinline__ Word access(const Operands &o)
{
    Word v = 0;
    Long x = 0, y = 0;
    if constexpr (OP == LOAD && WIDTH == 4) asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(v) : "r"(o.at) : "memory");
    if constexpr (OP == LOAD && WIDTH == 8) {
        Word u;
        asm volatile("ld.volatile.shared.v2.u32 {%0, %1}, [%2];" : "=r"(u), "=r"(v) : "r"(o.at) : "memory");
    }
    if constexpr (OP == LOAD && WIDTH == 16) {
        Word t, u, w;
        asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(t), "=r"(u), "=r"(w), "=r"(v) : "r"(o.at) : "memory");
    }
    if constexpr (OP == STORE && WIDTH == 4) asm volatile("st.volatile.shared.u32 [%0], %1;" ::"r"(o.at), "r"(o.given) : "memory");
    if constexpr (OP == STORE && WIDTH == 8) asm volatile("st.volatile.shared.u64 [%0], %1;" ::"r"(o.at), "l"(o.x) : "memory");
    if constexpr (OP == STORE && WIDTH == 16)
        asm volatile("st.volatile.shared.v2.u64 [%0], {%1, %2};" ::"r"(o.at), "l"(o.x), "l"(o.y) : "memory");
    if constexpr (OP == ATOMIC && WIDTH == 4)
        asm volatile("atom.shared.add.u32 %0, [%1], %2;" : "=r"(v) : "r"(o.at), "r"(o.given) : "memory");
    if constexpr (OP == ATOMIC && WIDTH == 8) {
        asm volatile("atom.shared.add.u64 %0, [%1], %2;" : "=l"(x) : "r"(o.at), "l"(o.x) : "memory");
        v = (Word)x;
    }
#if __CUDA_ARCH__ >= 900  // 128 bits: there is an exchange, no addition
    if constexpr (OP == ATOMIC && WIDTH == 16) {
        asm volatile("{\n\t.reg .b128 old, new;\n\tmov.b128 new, {%3, %4};\n\tatom.shared.exch.b128 old, [%2], new;\n\tmov.b128 {%0, %1}, old;\n\t}"
                     : "=l"(x), "=l"(y) : "r"(o.at), "l"(o.x), "l"(o.y) : "memory");
        v = (Word)y;
    }
#endif
    return v;
}

// Waits for all warps of the block, then reads the clock. A clock read right behind the barrier issues before the barrier has blocked
// the warp (seen on H100: it came thousands of cycles early when one warp arrived late), so a short chain of dependent instructions,
// whose end decides a branch, goes between them.
__device__ __forceinline__ long long start_together()
{
    long long t;
    asm volatile("{\n\t.reg .pred never;\n\t.reg .u32 chain;\n\tbar.sync 0;\n\tmov.u32 chain, %%clock;\n\t"
                 "mad.lo.u32 chain, chain, chain, chain;\n\tsetp.eq.u32 never, chain, 0x9e3779b9;\n\t@never trap;\n\t"
                 "mov.u64 %0, %%clock64;\n\t}" : "=l"(t)::"memory");
    return t;
}

template <Op OP, int WIDTH, int I> __global__ void __launch_bounds__(LANES * MOST, 1) timed(Word *times, int repeats)
{
    extern __shared__ __align__(16) unsigned char pattern[];
    __shared__ long long begins[MOST], ends[MOST];
    __shared__ __align__(16) Word zeros[4];  // the values to store, and the word that is read after stores
    __shared__ Word places[LANES];
    const int lane = threadIdx.x % LANES, warp = threadIdx.x / LANES, warps = blockDim.x / LANES, c = blockIdx.x + 1;
    for (int k = threadIdx.x; k < PATTERN_BYTES / 4; k += blockDim.x) ((Word *)pattern)[k] = 0;
    places[lane] = (Word)__cvta_generic_to_shared(pattern) + WIDTH * (LANES * lane + (lane < c ? 0 : lane));
    if (lane < 4) zeros[lane] = 0;
    __syncthreads();
    const Word zero_at = (Word)__cvta_generic_to_shared(zeros), place_at = (Word)__cvta_generic_to_shared(places + lane);
    Operands o;
    Word confirm;
    asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(o.at) : "r"(place_at) : "memory");
    asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(o.given) : "r"(zero_at) : "memory");
    asm volatile("ld.volatile.shared.v2.u64 {%0, %1}, [%2];" : "=l"(o.x), "=l"(o.y) : "r"(zero_at) : "memory");
    asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(confirm) : "r"(zero_at) : "memory");
    confirm += zero_at;
    if (o.given + o.x + o.y + confirm == 1) __trap();  // never; but the operands have arrived from here on
#pragma unroll 1
    for (int repeat = 0; repeat < repeats; ++repeat) {
        __syncthreads();
        long long begin = start_together(), end = 0;
        Word value = 0;
#pragma unroll
        for (int k = 0; k < I; ++k) value = access<OP, WIDTH>(o);
        if constexpr (OP == STORE && I > 0) asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(value) : "r"(confirm) : "memory");
        if constexpr (I == 0) {
            asm volatile("mov.u64 %0, %%clock64;\n\tmov.u64 %1, %%clock64;" : "=l"(begin), "=l"(end)::"memory");
        } else {  // the comparison cannot issue before the value is there, and the clock is read after it
            asm volatile("{\n\t.reg .pred there;\n\tsetp.ne.u32 there, %1, 0x9e3779b9;\n\t@there mov.u64 %0, %%clock64;\n\t}"
                         : "+l"(end) : "r"(value) : "memory");
        }
        if (lane == 0) begins[warp] = begin, ends[warp] = end;
        __syncthreads();
        if (threadIdx.x == 0) {
#pragma unroll 1
            for (int k = 1; k < warps; ++k) begin = min(begin, begins[k]), end = max(end, ends[k]);
            times[blockIdx.x * repeats + repeat] = (Word)(end - begin);
        }
    }
}

using Kernel = void (*)(Word *, int);
struct Family { Op op; int width; std::vector<int> instructions; std::vector<Kernel> kernels; };

template <Op OP, int WIDTH, int... I> Family family(std::integer_sequence<int, I...>) { return {OP, WIDTH, {I...}, {timed<OP, WIDTH, I>...}}; }
template <Op OP, int WIDTH> Family family() { return family<OP, WIDTH>(Instructions{}); }

static Word *device_times;
static int dynamic_bytes;

// The medians for c = 1..32.
static std::vector<Word> measure(Kernel kernel, int warps, int repeats)
{
    static std::vector<Word> times;
    times.resize((size_t)MOST * repeats);
    kernel<<<MOST, warps * LANES, dynamic_bytes>>>(device_times, repeats);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(times.data(), device_times, times.size() * sizeof(Word), cudaMemcpyDeviceToHost));
    std::vector<Word> medians;
    for (int c = 0; c < MOST; ++c) {
        auto first = times.begin() + c * repeats + WARM_UP, last = times.begin() + (c + 1) * repeats;
        auto middle = first + (last - first) / 2;
        std::nth_element(first, middle, last);
        medians.push_back(*middle);
    }
    return medians;
}

int main(int count, char **words)
{
    const int repeats = WARM_UP + (count > 1 ? atoi(words[1]) : 11);
    cudaDeviceProp device;
    CHECK(cudaGetDeviceProperties(&device, 0));
    std::vector<Family> families = {family<LOAD, 4>(), family<LOAD, 8>(), family<LOAD, 16>(), family<STORE, 4>(), family<STORE, 8>(),
        family<STORE, 16>(), family<ATOMIC, 4>(), family<ATOMIC, 8>()};
    if (device.major >= 9) families.push_back(family<ATOMIC, 16>());
    cudaFuncAttributes attributes;
    CHECK(cudaFuncGetAttributes(&attributes, families[0].kernels[1]));
    dynamic_bytes = (int)(device.sharedMemPerBlockOptin - attributes.sharedSizeBytes);
    for (const Family &each : families)
        for (Kernel kernel : each.kernels) CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, dynamic_bytes));
    CHECK(cudaMalloc(&device_times, sizeof(Word) * MOST * repeats));
    const size_t lines = families.size() * (families[0].kernels.size() - 1) * std::size(WARPS);
    printf("clock %u\ntotal %zu\n", measure(families[0].kernels[0], 1, repeats)[0], lines);
    for (const Family &each : families)
        for (size_t k = 1; k < each.kernels.size(); ++k)
            for (int w : WARPS) {
                printf("T %s %d %d %d", NAMES[each.op], each.width, each.instructions[k], w);
                for (Word t : measure(each.kernels[k], w, repeats)) printf(" %u", t);
                puts("");
                fflush(stdout);
            }
    return 0;
}
