// The host side of the CUDA runtime without a device: memory is the host's, and each launch is written to the file that
// LAUNCH_LOG names, one line of JSON each.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#define __CUDACC__ 1
#define __NVCC__ 1
#define __global__
#define __device__
#define __host__
#define __constant__
#define __managed__
#define __shared__ static
#define __forceinline__ inline
#define __noinline__
#define __launch_bounds__(...)
#define __cluster_dims__(...)
#define __restrict__
#define __align__(n) alignas(n)

struct uint3 { unsigned x, y, z; };
struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {}
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
};
#define VECTOR(T, S) \
    struct S##1 { T x; }; struct S##2 { T x, y; }; struct S##4 { T x, y, z, w; }; \
    inline S##2 make_##S##2(T x, T y) { return {x, y}; } \
    inline S##4 make_##S##4(T x, T y, T z, T w) { return {x, y, z, w}; }
#define VECTOR3(T, S) struct S##3 { T x, y, z; }; inline S##3 make_##S##3(T x, T y, T z) { return {x, y, z}; }
VECTOR(float, float) VECTOR(double, double) VECTOR(int, int) VECTOR(unsigned, uint) VECTOR(char, char) VECTOR(unsigned char, uchar)
VECTOR(short, short) VECTOR(unsigned short, ushort) VECTOR(long long, longlong) VECTOR(unsigned long long, ulonglong)
VECTOR3(float, float) VECTOR3(double, double) VECTOR3(int, int) VECTOR3(char, char) VECTOR3(unsigned char, uchar)
VECTOR3(short, short) VECTOR3(unsigned short, ushort)
inline uint3 make_uint3(unsigned x, unsigned y, unsigned z) { return {x, y, z}; }
struct __half { float v; __half(float f = 0) : v(f) {} operator float() const { return v; } };
struct __half2 { __half x, y; };
struct __nv_bfloat16 { float v; __nv_bfloat16(float f = 0) : v(f) {} operator float() const { return v; } };
struct __nv_bfloat162 { __nv_bfloat16 x, y; };
typedef __half half; typedef __half2 half2; typedef __nv_bfloat16 nv_bfloat16; typedef __nv_bfloat162 nv_bfloat162;
inline float __half2float(__half h) { return h; }
inline __half __float2half(float f) { return f; }
inline float __bfloat162float(__nv_bfloat16 h) { return h; }
inline __nv_bfloat16 __float2bfloat16(float f) { return f; }

enum cudaError_t { cudaSuccess = 0, cudaErrorInvalidValue = 1, cudaErrorMemoryAllocation = 2, cudaErrorNotReady = 600, cudaErrorUnknown = 999 };
typedef cudaError_t cudaError;
enum cudaMemcpyKind { cudaMemcpyHostToHost, cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice, cudaMemcpyDefault };
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize = 8, cudaFuncAttributePreferredSharedMemoryCarveout = 9 };
enum cudaFuncCache { cudaFuncCachePreferNone, cudaFuncCachePreferShared, cudaFuncCachePreferL1, cudaFuncCachePreferEqual };
enum cudaSharedMemConfig { cudaSharedMemBankSizeDefault, cudaSharedMemBankSizeFourByte, cudaSharedMemBankSizeEightByte };
enum cudaDeviceAttr { cudaDevAttrMaxThreadsPerBlock = 1, cudaDevAttrMaxSharedMemoryPerBlock = 8, cudaDevAttrMultiProcessorCount = 16,
    cudaDevAttrComputeCapabilityMajor = 75, cudaDevAttrComputeCapabilityMinor = 76, cudaDevAttrCooperativeLaunch = 95 };
enum { cudaEventDefault = 0, cudaEventBlockingSync = 1, cudaEventDisableTiming = 2, cudaHostAllocDefault = 0, cudaHostAllocMapped = 2,
    cudaMemAttachGlobal = 1, cudaStreamNonBlocking = 1, cudaDeviceMapHost = 8, cudaDeviceScheduleAuto = 0, cudaDeviceBlockingSync = 4, cudaCpuDeviceId = -1 };
typedef struct stream_ *cudaStream_t;
typedef struct event_ *cudaEvent_t;
struct cudaDeviceProp {
    char name[256] = "stub";
    int multiProcessorCount = 132, maxThreadsPerBlock = 1024, maxThreadsPerMultiProcessor = 2048, major = 9, minor = 0, warpSize = 32;
    int regsPerBlock = 65536, clockRate = 1, memoryClockRate = 1, memoryBusWidth = 1, concurrentKernels = 1, cooperativeLaunch = 1;
    int maxGridSize[3] = {2147483647, 65535, 65535}, maxThreadsDim[3] = {1024, 1024, 64}, l2CacheSize = 0, canMapHostMemory = 1;
    int managedMemory = 1, unifiedAddressing = 1;
    size_t totalGlobalMem = 1ull << 33, sharedMemPerBlock = 49152, totalConstMem = 65536, sharedMemPerMultiprocessor = 233472;
};

#define RUNTIME(name) inline cudaError_t name
#define DONE { return cudaSuccess; }
template <class T> cudaError_t cudaMalloc(T **p, size_t n) { *p = (T *)calloc(n ? n : 1, 1); return cudaSuccess; }
template <class T> cudaError_t cudaMallocManaged(T **p, size_t n, unsigned = 1) { return cudaMalloc(p, n); }
template <class T> cudaError_t cudaMallocHost(T **p, size_t n) { return cudaMalloc(p, n); }
template <class T> cudaError_t cudaHostAlloc(T **p, size_t n, unsigned = 0) { return cudaMalloc(p, n); }
template <class T> cudaError_t cudaMallocAsync(T **p, size_t n, cudaStream_t) { return cudaMalloc(p, n); }
template <class T> cudaError_t cudaMallocPitch(T **p, size_t *pitch, size_t w, size_t h) { *pitch = (w + 511) / 512 * 512; return cudaMalloc(p, *pitch * h); }
RUNTIME(cudaFree)(const void *p) { free((void *)p); return cudaSuccess; }
RUNTIME(cudaFreeHost)(void *p) { free(p); return cudaSuccess; }
RUNTIME(cudaFreeAsync)(void *p, cudaStream_t) { free(p); return cudaSuccess; }
RUNTIME(cudaMemcpy)(void *to, const void *from, size_t n, cudaMemcpyKind) { memcpy(to, from, n); return cudaSuccess; }
RUNTIME(cudaMemcpyAsync)(void *to, const void *from, size_t n, cudaMemcpyKind, cudaStream_t = 0) { memcpy(to, from, n); return cudaSuccess; }
RUNTIME(cudaMemcpy2D)(void *, size_t, const void *, size_t, size_t, size_t, cudaMemcpyKind) DONE
RUNTIME(cudaMemset)(void *to, int value, size_t n) { memset(to, value, n); return cudaSuccess; }
RUNTIME(cudaMemsetAsync)(void *to, int value, size_t n, cudaStream_t = 0) { memset(to, value, n); return cudaSuccess; }
RUNTIME(cudaMemPrefetchAsync)(const void *, size_t, int, cudaStream_t = 0) DONE
RUNTIME(cudaMemGetInfo)(size_t *free_, size_t *total) { *free_ = *total = 1ull << 33; return cudaSuccess; }
RUNTIME(cudaGetLastError)() DONE
RUNTIME(cudaPeekAtLastError)() DONE
RUNTIME(cudaDeviceSynchronize)() DONE
RUNTIME(cudaThreadSynchronize)() DONE
RUNTIME(cudaThreadExit)() DONE
RUNTIME(cudaDeviceReset)() DONE
RUNTIME(cudaSetDevice)(int) DONE
RUNTIME(cudaSetDeviceFlags)(unsigned) DONE
RUNTIME(cudaGetDevice)(int *p) { *p = 0; return cudaSuccess; }
RUNTIME(cudaGetDeviceCount)(int *p) { *p = 1; return cudaSuccess; }
RUNTIME(cudaGetDeviceProperties)(cudaDeviceProp *p, int) { *p = cudaDeviceProp(); return cudaSuccess; }
RUNTIME(cudaDeviceGetAttribute)(int *p, cudaDeviceAttr a, int) { *p = a == 16 ? 132 : a == 1 ? 1024 : a == 8 ? 49152 : a == 75 ? 9 : a == 95; return cudaSuccess; }
RUNTIME(cudaDeviceSetCacheConfig)(cudaFuncCache) DONE
RUNTIME(cudaDeviceSetSharedMemConfig)(cudaSharedMemConfig) DONE
inline const char *cudaGetErrorString(cudaError_t) { return "no error"; }
inline const char *cudaGetErrorName(cudaError_t) { return "cudaSuccess"; }
RUNTIME(cudaProfilerStart)() DONE
RUNTIME(cudaProfilerStop)() DONE
RUNTIME(cudaEventCreate)(cudaEvent_t *p) { *p = 0; return cudaSuccess; }
RUNTIME(cudaEventCreateWithFlags)(cudaEvent_t *p, unsigned) { *p = 0; return cudaSuccess; }
RUNTIME(cudaEventRecord)(cudaEvent_t, cudaStream_t = 0) DONE
RUNTIME(cudaEventSynchronize)(cudaEvent_t) DONE
RUNTIME(cudaEventQuery)(cudaEvent_t) DONE
RUNTIME(cudaEventElapsedTime)(float *p, cudaEvent_t, cudaEvent_t) { *p = 1; return cudaSuccess; }
RUNTIME(cudaEventDestroy)(cudaEvent_t) DONE
RUNTIME(cudaStreamCreate)(cudaStream_t *p) { *p = 0; return cudaSuccess; }
RUNTIME(cudaStreamCreateWithFlags)(cudaStream_t *p, unsigned) { *p = 0; return cudaSuccess; }
RUNTIME(cudaStreamSynchronize)(cudaStream_t) DONE
RUNTIME(cudaStreamWaitEvent)(cudaStream_t, cudaEvent_t, unsigned = 0) DONE
RUNTIME(cudaStreamQuery)(cudaStream_t) DONE
RUNTIME(cudaStreamDestroy)(cudaStream_t) DONE
template <class T> cudaError_t cudaFuncSetAttribute(T, cudaFuncAttribute, int) { return cudaSuccess; }
struct cudaFuncAttributes { size_t sharedSizeBytes = 0, constSizeBytes = 0, localSizeBytes = 0; int maxThreadsPerBlock = 1024, numRegs = 32, ptxVersion = 90, binaryVersion = 90; };
template <class T> cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *p, T) { *p = {}; return cudaSuccess; }
template <class T> cudaError_t cudaFuncSetCacheConfig(T, cudaFuncCache) { return cudaSuccess; }
template <class T> cudaError_t cudaMemcpyToSymbol(T &to, const void *from, size_t n, size_t at = 0, cudaMemcpyKind = cudaMemcpyHostToDevice) { memcpy((char *)&to + at, from, n); return cudaSuccess; }
template <class T> cudaError_t cudaMemcpyFromSymbol(void *to, const T &from, size_t n, size_t at = 0, cudaMemcpyKind = cudaMemcpyDeviceToHost) { memcpy(to, (char *)&from + at, n); return cudaSuccess; }
template <class T> cudaError_t cudaGetSymbolAddress(void **to, T &symbol) { *to = (void *)&symbol; return cudaSuccess; }
template <class T> cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *n, T, int, size_t) { *n = 4; return cudaSuccess; }
template <class T> cudaError_t cudaOccupancyMaxPotentialBlockSize(int *grid, int *block, T, size_t = 0, int = 0) { *grid = 132; *block = 768; return cudaSuccess; }

#ifndef min
template <class A, class B> std::common_type_t<A, B> min(A a, B b) { return b < a ? b : a; }
template <class A, class B> std::common_type_t<A, B> max(A a, B b) { return a < b ? b : a; }
#endif

namespace launch_log {
inline dim3 grid, block;
inline size_t dynamic;
inline std::string arguments;
inline void shape(dim3 g, dim3 b, size_t shared = 0, cudaStream_t = 0) { grid = g; block = b; dynamic = shared; arguments = ""; }
template <class T> void argument(const char *name, const T &value)
{
    if constexpr (std::is_integral_v<T>)
        arguments += (arguments.empty() ? "" : ", ") + ("\"" + std::string(name) + "\": ") + std::to_string((long long)value);
}
inline void launched(const char *kernel)
{
    static FILE *log = fopen(getenv("LAUNCH_LOG"), "w");
    fprintf(log, "{\"kernel\": \"%s\", \"grid\": [%u, %u, %u], \"block\": [%u, %u, %u], \"dynamic\": %zu, \"arguments\": {%s}}\n", kernel,
            grid.x, grid.y, grid.z, block.x, block.y, block.z, dynamic, arguments.c_str());
    fflush(log);
}
// A kernel called with the values that an array of pointers to its arguments gives.
template <class... P, size_t... I> void call(void (*kernel)(P...), void **given, std::index_sequence<I...>) { kernel(*(std::remove_reference_t<P> *)given[I]...); }
template <class... P> void call(void (*kernel)(P...), void **given) { call(kernel, given, std::index_sequence_for<P...>()); }
}
#define cudaLaunchKernel(kernel, g, b, given, ...) (launch_log::shape(g, b, ##__VA_ARGS__), launch_log::call(kernel, given), cudaSuccess)
#define cudaLaunchCooperativeKernel cudaLaunchKernel
struct cudaLaunchConfig_t { dim3 gridDim, blockDim; size_t dynamicSmemBytes; cudaStream_t stream; struct cudaLaunchAttribute *attrs; unsigned numAttrs; };
enum cudaLaunchAttributeID { cudaLaunchAttributeClusterDimension = 4, cudaLaunchAttributeProgrammaticStreamSerialization = 6 };
struct cudaLaunchAttribute { cudaLaunchAttributeID id; union { int programmaticStreamSerializationAllowed; struct { unsigned x, y, z; } clusterDim; } val; };
template <class... P, class... A> cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *c, void (*kernel)(P...), A... given) { launch_log::shape(c->gridDim, c->blockDim, c->dynamicSmemBytes); kernel(given...); return cudaSuccess; }
template <class K> cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *c, K kernel, void **given) { launch_log::shape(c->gridDim, c->blockDim, c->dynamicSmemBytes); launch_log::call(kernel, given); return cudaSuccess; }
