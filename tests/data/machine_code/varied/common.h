#pragma once
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
template <typename T> static T *fill(size_t n, int modulus, int step = 7) {
    T *h = (T *)malloc(n * sizeof(T)), *d = nullptr;
    for (size_t i = 0; i < n; i++) h[i] = (T)((i * step + 3) % modulus);
    cudaMalloc(&d, n * sizeof(T));
    cudaMemcpy(d, h, n * sizeof(T), cudaMemcpyHostToDevice);
    free(h);
    return d;
}
template <typename T> static T *room(size_t n) {
    T *d = nullptr;
    cudaMalloc(&d, n * sizeof(T));
    cudaMemset(d, 0, n * sizeof(T));
    return d;
}
static int finish(const char *name) {
    cudaError_t e = cudaDeviceSynchronize();
    printf("%s: %s\n", name, cudaGetErrorString(e));
    return e != cudaSuccess;
}
__device__ __forceinline__ float shared_header_sum(const float *row, int n, int lane) {
    float v = 0;
    for (int i = lane; i < n; i += 32) v += row[i];
    return v;
}
