// CUDA C++ as plain C++: enough of the language and the host API to run kernels under the oracle.
#pragma once
#include "kl_common.h"
#include <stdlib.h>
#include <string.h>

#define __global__
#define __device__
#define __host__
#define __constant__
#define __managed__
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __inline__ inline
#define __shared__ static thread_local __attribute__((aligned(128)))
#define __align__(n) __attribute__((aligned(n)))
#define __launch_bounds__(...)
#define __grid_constant__
#define __restrict__ __restrict
#define __CUDACC__ 1
#define __CUDA_ARCH__ 900
#define CUDART_VERSION 13000

// ---- built-in vectors ----------------------------------------------------------------------------------------------
#define KL_V1(T, E) struct T##1 { E x; }; KL_INLINE T##1 make_##T##1(E x) { T##1 v; v.x = x; return v; }
#define KL_V2(T, E, A, P) struct alignas(A) T##2 { E x, y; KL_COPIES(T##2, P) KL_INLINE T##2(E a, E b) : x(a), y(b) {} }; \
    KL_INLINE T##2 make_##T##2(E x, E y) { return T##2(x, y); }
#define KL_V3(T, E) struct T##3 { E x, y, z; KL_COPIES(T##3, sizeof(E)) KL_INLINE T##3(E a, E b, E c) : x(a), y(b), z(c) {} }; \
    KL_INLINE T##3 make_##T##3(E x, E y, E z) { return T##3(x, y, z); }
#define KL_V4(T, E, A, P) struct alignas(A) T##4 { E x, y, z, w; KL_COPIES(T##4, P) KL_INLINE T##4(E a, E b, E c, E d) : x(a), y(b), z(c), w(d) {} }; \
    KL_INLINE T##4 make_##T##4(E x, E y, E z, E w) { return T##4(x, y, z, w); }
#define KL_VECTORS(T, E, A2, P2, A4, P4) KL_V1(T, E) KL_V2(T, E, A2, P2) KL_V3(T, E) KL_V4(T, E, A4, P4)
KL_VECTORS(char, signed char, 2, 2, 4, 4)
KL_VECTORS(uchar, unsigned char, 2, 2, 4, 4)
KL_VECTORS(short, short, 4, 4, 8, 8)
KL_VECTORS(ushort, unsigned short, 4, 4, 8, 8)
KL_VECTORS(int, int, 8, 8, 16, 16)
KL_VECTORS(long, long, 16, 16, 16, 16)
KL_VECTORS(ulong, unsigned long, 16, 16, 16, 16)
KL_VECTORS(longlong, long long, 16, 16, 16, 16)
KL_VECTORS(ulonglong, unsigned long long, 16, 16, 16, 16)
KL_VECTORS(float, float, 8, 8, 16, 16)
KL_VECTORS(double, double, 16, 16, 16, 16)
KL_V1(uint, unsigned)
KL_V2(uint, unsigned, 8, 8)
KL_V4(uint, unsigned, 16, 16)
struct uint3 {
    unsigned x, y, z;
    KL_COPIES(uint3, 4)
    KL_INLINE uint3(unsigned a, unsigned b, unsigned c) : x(a), y(b), z(c) {}
    KL_INLINE uint3(kl_uint3 v) : x(v.x), y(v.y), z(v.z) {}
};
KL_INLINE uint3 make_uint3(unsigned x, unsigned y, unsigned z) { return uint3(x, y, z); }
struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {}
    dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    dim3(kl_uint3 v) : x(v.x), y(v.y), z(v.z) {}
    operator uint3() const { return uint3(x, y, z); }
};
#define threadIdx (kl_thread_index())
#define blockIdx (kl_block_index())
#define blockDim (kl_block_size())
#define gridDim (kl_grid_size())
#define warpSize 32

typedef struct kl_stream *cudaStream_t;
inline kl_launch_shape kl_shape(dim3 g, dim3 b, size_t dynamic = 0, cudaStream_t = nullptr)
{
    return {{g.x, g.y, g.z}, {b.x, b.y, b.z}, dynamic};
}

struct kl_any_shape { unsigned v[3]; };
inline kl_launch_shape kl_shape(kl_any_shape g, kl_any_shape b, size_t dynamic = 0)
{
    return {{g.v[0], g.v[1], g.v[2]}, {b.v[0], b.v[1], b.v[2]}, dynamic};
}

// ---- synchronisation and exchange between lanes -----------------------------------------------------------------------
KL_INLINE void __syncthreads() { kl_barrier(0); }
KL_INLINE int __syncthreads_count(int p) { return kl_barrier_reduce(p, KL_COUNT); }
KL_INLINE int __syncthreads_and(int p) { return kl_barrier_reduce(p, KL_AND); }
KL_INLINE int __syncthreads_or(int p) { return kl_barrier_reduce(p, KL_OR); }
KL_INLINE void __syncwarp(unsigned mask = 0xffffffffu) { kl_exchange(mask, 0); }
KL_INLINE void __threadfence() {}
KL_INLINE void __threadfence_block() {}
KL_INLINE void __threadfence_system() {}
KL_INLINE unsigned __activemask() { return kl_active(); }
inline unsigned kl_ballot(unsigned came, unsigned mask)
{
    unsigned bits = 0;
    for (unsigned l = 0; l < 32; l++)
        if (came >> l & 1 && kl_exchanged(l))
            bits |= 1u << l;
    return bits & mask;
}
inline unsigned __ballot_sync(unsigned mask, int p) { return kl_ballot(kl_exchange(mask, p != 0), mask); }
inline int __any_sync(unsigned mask, int p) { return __ballot_sync(mask, p) != 0; }
inline int __all_sync(unsigned mask, int p) { unsigned came = kl_exchange(mask, p != 0); return kl_ballot(came, mask) == came; }
template <typename T> unsigned __match_any_sync(unsigned mask, T v)
{
    unsigned came = kl_exchange(mask, kl_pack(v)), bits = 0;
    for (unsigned l = 0; l < 32; l++)
        if (came >> l & 1 && kl_exchanged(l) == kl_pack(v))
            bits |= 1u << l;
    return bits;
}
template <typename T> T kl_take(unsigned mask, T v, unsigned source, bool inside)
{
    unsigned came = kl_exchange(mask, kl_pack(v));
    return inside && came >> source & 1 ? kl_unpack<T>(kl_exchanged(source)) : v;
}
template <typename T> T __shfl_sync(unsigned mask, T v, int source, int width = 32)
{
    unsigned lane = kl_lane();
    return kl_take(mask, v, (lane & ~unsigned(width - 1)) | (unsigned(source) & unsigned(width - 1)), true);
}
template <typename T> T __shfl_xor_sync(unsigned mask, T v, int x, int width = 32)
{
    unsigned source = kl_lane() ^ unsigned(x);
    return kl_take(mask, v, source & 31, source / unsigned(width) <= kl_lane() / unsigned(width) && source < 32);
}
template <typename T> T __shfl_down_sync(unsigned mask, T v, unsigned d, int width = 32)
{
    unsigned lane = kl_lane();
    return kl_take(mask, v, (lane + d) & 31, lane % unsigned(width) + d < unsigned(width));
}
template <typename T> T __shfl_up_sync(unsigned mask, T v, unsigned d, int width = 32)
{
    unsigned lane = kl_lane();
    return kl_take(mask, v, (lane - d) & 31, lane % unsigned(width) >= d);
}
template <typename T, typename F> T kl_fold(unsigned mask, T v, F f)
{
    unsigned came = kl_exchange(mask, kl_pack(v));
    bool first = true;
    T all = v;
    for (unsigned l = 0; l < 32; l++) {
        if (!(came >> l & 1))
            continue;
        T o = kl_unpack<T>(kl_exchanged(l));
        all = first ? o : f(all, o);
        first = false;
    }
    return all;
}
template <typename T> T __reduce_add_sync(unsigned m, T v) { return kl_fold(m, v, [](T a, T b) { return T(a + b); }); }
template <typename T> T __reduce_max_sync(unsigned m, T v) { return kl_fold(m, v, [](T a, T b) { return a > b ? a : b; }); }
template <typename T> T __reduce_min_sync(unsigned m, T v) { return kl_fold(m, v, [](T a, T b) { return a < b ? a : b; }); }
template <typename T> T __reduce_or_sync(unsigned m, T v) { return kl_fold(m, v, [](T a, T b) { return a | b; }); }
template <typename T> T __reduce_and_sync(unsigned m, T v) { return kl_fold(m, v, [](T a, T b) { return a & b; }); }

// ---- atomics ----------------------------------------------------------------------------------------------------------
KL_ATOMIC_OP(atomicAdd, KL_ATOMIC, T(old + v))
KL_ATOMIC_OP(atomicSub, KL_ATOMIC, T(old - v))
KL_ATOMIC_OP(atomicMin, KL_ATOMIC, v < old ? v : old)
KL_ATOMIC_OP(atomicMax, KL_ATOMIC, v > old ? v : old)
KL_ATOMIC_OP(atomicAnd, KL_ATOMIC, T(old & v))
KL_ATOMIC_OP(atomicOr, KL_ATOMIC, T(old | v))
KL_ATOMIC_OP(atomicXor, KL_ATOMIC, T(old ^ v))
KL_ATOMIC_OP(atomicExch, KL_ATOMIC, v)
KL_ATOMIC_OP(atomicInc, KL_ATOMIC, old >= v ? T(0) : T(old + 1))
KL_ATOMIC_OP(atomicDec, KL_ATOMIC, old == 0 || old > v ? v : T(old - 1))
KL_ATOMIC_OP(atomicAdd_block, KL_ATOMIC, T(old + v))
KL_ATOMIC_OP(atomicAdd_system, KL_ATOMIC, T(old + v))
KL_CAS_OP(atomicCAS)

// ---- loads and stores with a cache hint, spaces, arithmetic --------------------------------------------------------------
template <typename T> KL_INLINE T __ldg(const T *p) { return *p; }
template <typename T> KL_INLINE T __ldcg(const T *p) { return *p; }
template <typename T> KL_INLINE T __ldca(const T *p) { return *p; }
template <typename T> KL_INLINE T __ldcs(const T *p) { return *p; }
template <typename T> KL_INLINE void __stcg(T *p, typename kl_same<T>::type v) { *p = v; }
template <typename T> KL_INLINE void __stcs(T *p, typename kl_same<T>::type v) { *p = v; }
template <typename T> KL_INLINE void __stwb(T *p, typename kl_same<T>::type v) { *p = v; }
template <typename T> KL_INLINE void __stwt(T *p, typename kl_same<T>::type v) { *p = v; }
KL_INLINE size_t __cvta_generic_to_shared(const void *p) { return kl_to_shared(p); }
KL_INLINE int __isShared(const void *p) { return kl_is_shared(p); }
KL_INLINE int __isGlobal(const void *p) { return kl_is_global(p); }

template <typename A, typename B> KL_INLINE auto min(A a, B b) -> decltype(a + b) { return b < a ? b : a; }
template <typename A, typename B> KL_INLINE auto max(A a, B b) -> decltype(a + b) { return a < b ? b : a; }
KL_INLINE float __fdividef(float a, float b) { return a / b; }
KL_INLINE float __expf(float a) { return expf(a); }
KL_INLINE float __logf(float a) { return logf(a); }
KL_INLINE float __sinf(float a) { return sinf(a); }
KL_INLINE float __cosf(float a) { return cosf(a); }
KL_INLINE float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
KL_INLINE float __fmul_rn(float a, float b) { return a * b; }
KL_INLINE float __fadd_rn(float a, float b) { return a + b; }
KL_INLINE float rsqrtf(float a) { return 1.0f / sqrtf(a); }
KL_INLINE double rsqrt(double a) { return 1.0 / sqrt(a); }
KL_INLINE float __saturatef(float a) { return a < 0 ? 0 : a > 1 ? 1 : a; }
KL_INLINE int __popc(unsigned v) { return __builtin_popcount(v); }
KL_INLINE int __popcll(unsigned long long v) { return __builtin_popcountll(v); }
KL_INLINE int __clz(int v) { return v ? __builtin_clz(unsigned(v)) : 32; }
KL_INLINE int __clzll(long long v) { return v ? __builtin_clzll((unsigned long long)v) : 64; }
KL_INLINE int __ffs(int v) { return __builtin_ffs(v); }
KL_INLINE unsigned __brev(unsigned v) { unsigned r = 0; for (int i = 0; i < 32; i++) r |= (v >> i & 1) << (31 - i); return r; }
KL_INLINE int __mul24(int a, int b) { return (a << 8 >> 8) * (b << 8 >> 8); }
KL_INLINE unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffff) * (b & 0xffffff); }
KL_INLINE unsigned __umulhi(unsigned a, unsigned b) { return unsigned((unsigned long long)a * b >> 32); }
KL_INLINE int __mulhi(int a, int b) { return int((long long)a * b >> 32); }
KL_INLINE int __float_as_int(float v) { return kl_unpack<int>(kl_pack(v)); }
KL_INLINE unsigned __float_as_uint(float v) { return kl_unpack<unsigned>(kl_pack(v)); }
KL_INLINE float __int_as_float(int v) { return kl_unpack<float>(kl_pack(v)); }
KL_INLINE float __uint_as_float(unsigned v) { return kl_unpack<float>(kl_pack(v)); }
KL_INLINE int __float2int_rn(float v) { return int(rintf(v)); }
KL_INLINE int __float2int_rd(float v) { return int(floorf(v)); }
KL_INLINE long long clock64() { return kl_clock(); }
KL_INLINE void __trap() { abort(); }
#define __builtin_assume(...)

// ---- host API ---------------------------------------------------------------------------------------------------------
enum cudaError_t { cudaSuccess = 0, cudaErrorInvalidValue = 1, cudaErrorUnknown = 999 };
typedef cudaError_t cudaError;
enum cudaMemcpyKind { cudaMemcpyHostToHost, cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice, cudaMemcpyDefault };
struct cudaDeviceProp { char name[256]; size_t sharedMemPerBlock, totalGlobalMem; int multiProcessorCount, warpSize_, maxThreadsPerBlock, major, minor; };
typedef int *cudaEvent_t;
enum { cudaFuncAttributeMaxDynamicSharedMemorySize = 8, cudaFuncAttributePreferredSharedMemoryCarveout = 9 };
enum { cudaHostAllocDefault = 0, cudaMemAttachGlobal = 1 };
enum { cudaDevAttrMultiProcessorCount = 16, cudaDevAttrMaxSharedMemoryPerBlockOptin = 97 };
inline const char *cudaGetErrorString(cudaError_t) { return "no error"; }
inline const char *cudaGetErrorName(cudaError_t) { return "cudaSuccess"; }
inline cudaError_t cudaGetLastError() { return cudaSuccess; }
inline cudaError_t cudaPeekAtLastError() { return cudaSuccess; }
inline cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }
inline cudaError_t cudaDeviceReset() { return cudaSuccess; }
inline cudaError_t cudaSetDevice(int) { return cudaSuccess; }
inline cudaError_t cudaGetDevice(int *d) { *d = 0; return cudaSuccess; }
inline cudaError_t cudaGetDeviceCount(int *n) { *n = 1; return cudaSuccess; }
inline cudaError_t cudaDeviceGetAttribute(int *v, int a, int) { *v = a == cudaDevAttrMultiProcessorCount ? 132 : 232448; return cudaSuccess; }
inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp *p, int) { memset(p, 0, sizeof *p); p->multiProcessorCount = 132; p->maxThreadsPerBlock = 1024; p->major = 9; return cudaSuccess; }
template <typename T> cudaError_t cudaMalloc(T **p, size_t n) { *p = static_cast<T *>(kl_allocate(n)); return cudaSuccess; }
template <typename T> cudaError_t cudaMallocManaged(T **p, size_t n, unsigned = 1) { return cudaMalloc(p, n); }
template <typename T> cudaError_t cudaMallocAsync(T **p, size_t n, cudaStream_t) { return cudaMalloc(p, n); }
template <typename T> cudaError_t cudaMallocPitch(T **p, size_t *pitch, size_t width, size_t height) { *pitch = (width + 511) / 512 * 512; return cudaMalloc(p, *pitch * height); }
template <typename T> cudaError_t cudaMallocHost(T **p, size_t n) { *p = static_cast<T *>(malloc(n)); return cudaSuccess; }
template <typename T> cudaError_t cudaHostAlloc(T **p, size_t n, unsigned) { return cudaMallocHost(p, n); }
inline cudaError_t cudaFree(void *p) { if (p) kl_release(p); return cudaSuccess; }
inline cudaError_t cudaFreeAsync(void *p, cudaStream_t) { return cudaFree(p); }
inline cudaError_t cudaFreeHost(void *p) { free(p); return cudaSuccess; }
inline cudaError_t cudaMemcpy(void *to, const void *from, size_t n, cudaMemcpyKind k)
{
    k == cudaMemcpyHostToDevice ? kl_upload(to, from, n) : kl_copy(to, from, n);
    return cudaSuccess;
}
inline cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t n, cudaMemcpyKind k, cudaStream_t = nullptr) { return cudaMemcpy(to, from, n, k); }
inline cudaError_t cudaMemcpy2D(void *to, size_t tp, const void *from, size_t fp, size_t width, size_t height, cudaMemcpyKind)
{
    for (size_t i = 0; i < height; i++)
        kl_copy(static_cast<char *>(to) + i * tp, static_cast<const char *>(from) + i * fp, width);
    return cudaSuccess;
}
inline cudaError_t cudaMemset(void *p, int v, size_t n) { memset(p, v, n); return cudaSuccess; }
inline cudaError_t cudaMemsetAsync(void *p, int v, size_t n, cudaStream_t = nullptr) { return cudaMemset(p, v, n); }
template <typename T> cudaError_t cudaMemcpyToSymbol(T &s, const void *from, size_t n, size_t at = 0, cudaMemcpyKind = cudaMemcpyHostToDevice)
{
    kl_copy(const_cast<char *>(reinterpret_cast<const volatile char *>(&s)) + at, from, n);
    return cudaSuccess;
}
template <typename T> cudaError_t cudaMemcpyFromSymbol(void *to, T &s, size_t n, size_t at = 0, cudaMemcpyKind = cudaMemcpyDeviceToHost)
{
    kl_copy(to, const_cast<const char *>(reinterpret_cast<const volatile char *>(&s)) + at, n);
    return cudaSuccess;
}
template <typename T, typename S> cudaError_t cudaGetSymbolAddress(T **p, S &s) { *p = (T *)&s; return cudaSuccess; }
template <typename F> cudaError_t cudaFuncSetAttribute(F, int, int) { return cudaSuccess; }
template <typename F> cudaError_t cudaFuncSetCacheConfig(F, int) { return cudaSuccess; }
template <typename F> cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *n, F, int, size_t) { *n = 1; return cudaSuccess; }
inline cudaError_t cudaStreamCreate(cudaStream_t *s) { *s = nullptr; return cudaSuccess; }
inline cudaError_t cudaStreamDestroy(cudaStream_t) { return cudaSuccess; }
inline cudaError_t cudaStreamSynchronize(cudaStream_t) { return cudaSuccess; }
inline cudaError_t cudaEventCreate(cudaEvent_t *e) { *e = nullptr; return cudaSuccess; }
inline cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t = nullptr) { return cudaSuccess; }
inline cudaError_t cudaEventSynchronize(cudaEvent_t) { return cudaSuccess; }
inline cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t, cudaEvent_t) { *ms = 1.0f; return cudaSuccess; }
inline cudaError_t cudaEventDestroy(cudaEvent_t) { return cudaSuccess; }
