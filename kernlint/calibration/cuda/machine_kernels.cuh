// The kernels that machine.cu times.

#pragma once

#include <cuda_runtime.h>

using Word = unsigned;
using Long = unsigned long long;

// What one block saw: its SM's clock at both ends.
struct Span { long long begin, end; };
__device__ __forceinline__ long long now()
{
    long long t;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(t)::"memory");
    return t;
}

// The span of a block: all its threads have come before `begin` and have finished before `end`.
template <class Body> __device__ __forceinline__ void span(Span *spans, Word *sink, Body body)
{
    __syncthreads();
    Word chain = (Word)now();  // a clock read right behind a barrier may come before the barrier has blocked the warp
    asm volatile("mad.lo.u32 %0, %0, %0, %0;" : "+r"(chain));
    if (chain == 0x9e3779b9) __trap();
    long long begin = now();
    Word value = body();
    if (value == 0x9e3779b9) *sink = value;  // the value has arrived
    __syncthreads();
    long long end = now();
    if (threadIdx.x == 0) spans[blockIdx.x] = {begin, end};
}

// ---------------------------------------------------------------- latencies

__global__ void chase_shared(Span *spans, Word *sink, int hops)
{
    __shared__ Word ring[1024];
    const Word base = (Word)__cvta_generic_to_shared(ring);
    for (int k = 0; k < 1024; ++k) ring[k] = base + 4 * ((k + 33) % 1024);
    Word at = base;
    for (int k = 0; k < 32; ++k) asm volatile("ld.volatile.shared.u32 %0, [%0];" : "+r"(at)::"memory");
    long long begin = now() + (at & 1);
#pragma unroll 32
    for (int k = 0; k < hops; ++k) asm volatile("ld.volatile.shared.u32 %0, [%0];" : "+r"(at)::"memory");
    if (at == 1) *sink = at;
    spans[0] = {begin, now()};
}

__global__ void chase_atomic(Span *spans, Word *sink, int hops)
{
    __shared__ Word ring[1024];
    const Word base = (Word)__cvta_generic_to_shared(ring);
    for (int k = 0; k < 1024; ++k) ring[k] = base + 4 * ((k + 33) % 1024);
    Word at = base;
    for (int k = 0; k < 32; ++k) asm volatile("atom.shared.or.b32 %0, [%0], 0;" : "+r"(at)::"memory");
    long long begin = now() + (at & 1);
#pragma unroll 32
    for (int k = 0; k < hops; ++k) asm volatile("atom.shared.or.b32 %0, [%0], 0;" : "+r"(at)::"memory");
    if (at == 1) *sink = at;
    spans[0] = {begin, now()};
}

__global__ void chase_l1(Span *spans, Word *sink, const Long *from, int warm, int hops)
{
    Long at = (Long)from;
    for (int k = 0; k < warm; ++k) asm volatile("ld.global.ca.u64 %0, [%0];" : "+l"(at)::"memory");
    long long begin = now() + (at & 1);
#pragma unroll 16
    for (int k = 0; k < hops; ++k) asm volatile("ld.global.ca.u64 %0, [%0];" : "+l"(at)::"memory");
    if (at == 1) *sink = 1;
    spans[0] = {begin, now()};
}

__global__ void chase_l2(Span *spans, Word *sink, const Long *from, int warm, int hops)
{
    Long at = (Long)from;
    for (int k = 0; k < warm; ++k) asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(at)::"memory");
    long long begin = now() + (at & 1);
#pragma unroll 16
    for (int k = 0; k < hops; ++k) asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(at)::"memory");
    if (at == 1) *sink = 1;
    spans[0] = {begin, now()};
}

__global__ void chase_arithmetic(Span *spans, Word *sink, Word step, int hops)
{
    Word value = step;
    long long begin = now();
#pragma unroll 64
    for (int k = 0; k < hops; ++k) asm volatile("mad.lo.u32 %0, %0, %1, %1;" : "+r"(value) : "r"(step));
    if (value == 1) *sink = value;
    spans[0] = {begin, now()};
}

__global__ void read_clock(Span *spans)
{
    long long begin = 0, end = 0;
    for (int k = 0; k < 2; ++k)
        asm volatile("mov.u64 %0, %%clock64;\n\tmov.u64 %1, %%clock64;" : "=l"(begin), "=l"(end)::"memory");
    spans[0] = {begin, end};
}

// ---------------------------------------------------------------- throughputs

constexpr int TIMES = 128, UNROLL = 128;

template <int WIDTH> __global__ void __launch_bounds__(1024, 1) stream_shared(Span *spans, Word *sink)
{
    extern __shared__ __align__(16) Word words[];
    for (int k = threadIdx.x; k < 4096; k += blockDim.x) words[k] = 0;
    const Word at = (Word)__cvta_generic_to_shared(words) + WIDTH * (threadIdx.x % 1024);
    span(spans, sink, [=] {
        Word a, b, c, d = 0;
#pragma unroll 1
        for (int k = 0; k < TIMES; ++k)
#pragma unroll
            for (int u = 0; u < UNROLL; ++u) {
                if constexpr (WIDTH == 4) asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(d) : "r"(at) : "memory");
                else asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(at) : "memory");
            }
        return d;
    });
}

// Loads of 16 bytes, consecutive over the lanes: each block passes `rounds` times over its `bytes` of memory, which L2 holds.
__global__ void __launch_bounds__(1024, 1) stream_l2(Span *spans, Word *sink, const char *from, size_t bytes, size_t step, int rounds)
{
    const char *mine = from + blockIdx.x * step + threadIdx.x * 16;
    auto pass = [=] {
        Word all = 0;
#pragma unroll 1
        for (size_t k = 0; k < bytes; k += 65536) {  // four loads in flight for each warp
            uint4 v[4];
#pragma unroll
            for (int u = 0; u < 4; ++u)
                asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
                             : "=r"(v[u].x), "=r"(v[u].y), "=r"(v[u].z), "=r"(v[u].w) : "l"(mine + k + 16384 * u));
#pragma unroll
            for (int u = 0; u < 4; ++u) all |= v[u].x | v[u].y | v[u].z | v[u].w;
        }
        return all;
    };
    Word all = pass();
    span(spans, sink, [=] {
        Word sum = all;
#pragma unroll 1
        for (int round = 0; round < rounds; ++round) sum |= pass();
        return sum;
    });
}

// Loads of WIDTH bytes from 8 KB that L1 holds, consecutive over the lanes; `zero` keeps the compiler from loading only once.
template <int WIDTH> __global__ void __launch_bounds__(1024, 1) stream_l1(Span *spans, Word *sink, const char *from, Long zero)
{
    const char *mine = from + threadIdx.x % 256 * WIDTH;
    Word warm;
    asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(warm) : "l"(mine));
    span(spans, sink, [=] {
        const char *at = mine;
        Word all = warm;
#pragma unroll 1
        for (int k = 0; k < 4 * TIMES; ++k) {
#pragma unroll
            for (int u = 0; u < 8; ++u) {
                uint4 v;
                if constexpr (WIDTH == 4) asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v.w) : "l"(at + 512 * u));
                else asm volatile("ld.global.ca.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(at + 512 * u));
                all |= WIDTH == 4 ? v.w : v.x | v.y | v.z | v.w;
            }
            at += zero;
        }
        return all;
    });
}

__global__ void __launch_bounds__(1024, 1) store_l2(Span *spans, Word *sink, char *to, size_t bytes, size_t step, int rounds)
{
    char *mine = to + blockIdx.x * step + threadIdx.x * 16;
    span(spans, sink, [=] {
#pragma unroll 1
        for (int round = 0; round < rounds; ++round)
#pragma unroll 4
            for (size_t k = 0; k < bytes; k += 16384)
                asm volatile("st.global.v4.u32 [%0], {%1, %1, %1, %1};" ::"l"(mine + k), "r"(round) : "memory");
        __threadfence();
        return 0u;
    });
}

__global__ void __launch_bounds__(1024) read_memory(Word *sink, const uint4 *from, size_t count)
{
    Word all = 0;
    const size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t k = blockIdx.x * (size_t)blockDim.x + threadIdx.x; k + 3 * stride < count; k += 4 * stride) {
        uint4 v[4];
#pragma unroll
        for (int u = 0; u < 4; ++u) v[u] = __ldcs(from + k + u * stride);
#pragma unroll
        for (int u = 0; u < 4; ++u) all |= v[u].x | v[u].y | v[u].z | v[u].w;
    }
    if (all == 0x9e3779b9) *sink = all;
}

__global__ void __launch_bounds__(1024) write_memory(uint4 *to, size_t count)
{
    const size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t k = blockIdx.x * (size_t)blockDim.x + threadIdx.x; k < count; k += stride) to[k] = make_uint4(k, 1, 2, 3);
}

enum Unit { FMA32, INTEGER32, LOGIC32, FMA64, SPECIAL32 };

template <Unit UNIT> __global__ void __launch_bounds__(1024, 1) issue(Span *spans, Word *sink, float given, float other)
{
    span(spans, sink, [=] {
        float f[8];
        double d[8];
        Word n[8];
        for (int k = 0; k < 8; ++k) f[k] = given + k, d[k] = given + k, n[k] = (Word)given + k;
        const Word m = (Word)given, m2 = (Word)other;
        const double g = given;
#pragma unroll 1
        for (int k = 0; k < TIMES; ++k)
#pragma unroll
            for (int u = 0; u < UNROLL; ++u) {
                const int j = u % 8;
                if constexpr (UNIT == FMA32) asm volatile("fma.rn.f32 %0, %1, %2, %0;" : "+f"(f[j]) : "f"(given), "f"(other));
                if constexpr (UNIT == INTEGER32) asm volatile("mad.lo.u32 %0, %0, %1, %1;" : "+r"(n[j]) : "r"(m));
                if constexpr (UNIT == LOGIC32) asm volatile("lop3.b32 %0, %0, %1, %2, 0x6a;" : "+r"(n[j]) : "r"(m), "r"(m2));
                if constexpr (UNIT == FMA64) asm volatile("fma.rn.f64 %0, %0, %1, %1;" : "+d"(d[j]) : "d"(g));
                if constexpr (UNIT == SPECIAL32) asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(f[j]));
            }
        Word all = 0;
        for (int k = 0; k < 8; ++k) all += __float_as_uint(f[k]) + (Word)__double_as_longlong(d[k]) + n[k];
        return all;
    });
}

// Two instructions that different units execute, in turn: what the schedulers can issue.
__global__ void __launch_bounds__(1024, 1) issue_mixed(Span *spans, Word *sink, float given, float other)
{
    span(spans, sink, [=] {
        float f[8];
        Word n[8];
        for (int k = 0; k < 8; ++k) f[k] = given + k, n[k] = (Word)given + k;
        const Word m = (Word)given, m2 = (Word)other;
#pragma unroll 1
        for (int k = 0; k < TIMES; ++k)
#pragma unroll
            for (int u = 0; u < UNROLL / 2; ++u) {
                asm volatile("fma.rn.f32 %0, %1, %2, %0;" : "+f"(f[u % 8]) : "f"(given), "f"(other));
                asm volatile("lop3.b32 %0, %0, %1, %2, 0x6a;" : "+r"(n[u % 8]) : "r"(m), "r"(m2));
            }
        Word all = 0;
        for (int k = 0; k < 8; ++k) all += __float_as_uint(f[k]) + n[k];
        return all;
    });
}

__global__ void __launch_bounds__(1024, 1) barriers(Span *spans, Word *sink)
{
    span(spans, sink, [=] {
#pragma unroll 1
        for (int k = 0; k < TIMES; ++k)
#pragma unroll
            for (int u = 0; u < UNROLL; ++u) asm volatile("bar.sync 0;" ::: "memory");
        return 0u;
    });
}

__global__ void empty() {}
