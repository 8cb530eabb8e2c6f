// The host side of the CUDA runtime without a device: memory is the host's, and each launch is written to the file that
// LAUNCH_LOG names, one line of JSON each.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <type_traits>

#define __global__
#define __device__
#define __host__
#define __constant__
#define __shared__ static
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __restrict__

struct uint3 { unsigned x, y, z; };
struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {}
};
struct float2 { float x, y; };
struct float4 { float x, y, z, w; };
struct int2 { int x, y; };
inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }

enum cudaError_t { cudaSuccess = 0, cudaErrorInvalidValue = 1 };
typedef cudaError_t cudaError;
enum cudaMemcpyKind { cudaMemcpyHostToHost, cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice };
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize = 8 };
typedef struct stream_ *cudaStream_t;
typedef struct event_ *cudaEvent_t;
struct cudaDeviceProp {
    char name[256] = "stub";
    int multiProcessorCount = 132, maxThreadsPerBlock = 1024, major = 9, minor = 0, warpSize = 32;
    size_t totalGlobalMem = 0, sharedMemPerBlock = 49152;
};

template <class T> cudaError_t cudaMalloc(T **p, size_t n) { *p = (T *)calloc(n ? n : 1, 1); return cudaSuccess; }
template <class T> cudaError_t cudaMallocManaged(T **p, size_t n) { return cudaMalloc(p, n); }
template <class T> cudaError_t cudaMallocHost(T **p, size_t n) { return cudaMalloc(p, n); }
inline cudaError_t cudaFree(void *p) { free(p); return cudaSuccess; }
inline cudaError_t cudaFreeHost(void *p) { free(p); return cudaSuccess; }
inline cudaError_t cudaMemcpy(void *to, const void *from, size_t n, cudaMemcpyKind) { memcpy(to, from, n); return cudaSuccess; }
inline cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t n, cudaMemcpyKind, cudaStream_t = 0) { memcpy(to, from, n); return cudaSuccess; }
inline cudaError_t cudaMemset(void *to, int value, size_t n) { memset(to, value, n); return cudaSuccess; }
inline cudaError_t cudaGetLastError() { return cudaSuccess; }
inline cudaError_t cudaPeekAtLastError() { return cudaSuccess; }
inline cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }
inline cudaError_t cudaDeviceReset() { return cudaSuccess; }
inline cudaError_t cudaSetDevice(int) { return cudaSuccess; }
inline cudaError_t cudaGetDevice(int *p) { *p = 0; return cudaSuccess; }
inline cudaError_t cudaGetDeviceCount(int *p) { *p = 1; return cudaSuccess; }
inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp *p, int) { *p = cudaDeviceProp(); return cudaSuccess; }
inline const char *cudaGetErrorString(cudaError_t) { return "no error"; }
inline cudaError_t cudaEventCreate(cudaEvent_t *p) { *p = 0; return cudaSuccess; }
inline cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t = 0) { return cudaSuccess; }
inline cudaError_t cudaEventSynchronize(cudaEvent_t) { return cudaSuccess; }
inline cudaError_t cudaEventElapsedTime(float *p, cudaEvent_t, cudaEvent_t) { *p = 1; return cudaSuccess; }
inline cudaError_t cudaEventDestroy(cudaEvent_t) { return cudaSuccess; }
inline cudaError_t cudaStreamCreate(cudaStream_t *p) { *p = 0; return cudaSuccess; }
inline cudaError_t cudaStreamSynchronize(cudaStream_t) { return cudaSuccess; }
inline cudaError_t cudaStreamDestroy(cudaStream_t) { return cudaSuccess; }
template <class T> cudaError_t cudaFuncSetAttribute(T, cudaFuncAttribute, int) { return cudaSuccess; }
template <class T> cudaError_t cudaMemcpyToSymbol(T &to, const void *from, size_t n) { memcpy(&to, from, n); return cudaSuccess; }

namespace launch_log {
inline dim3 grid, block;
inline size_t dynamic;
inline std::string arguments;
inline void shape(dim3 g, dim3 b, size_t shared = 0, cudaStream_t = 0) { grid = g; block = b; dynamic = shared; arguments = ""; }
template <class T> void argument(const char *name, T value)
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
}
