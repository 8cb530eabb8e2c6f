// Runs a kernel some times and counts the elements that differ from what the host computed.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

inline void check(cudaError_t error)
{
    if (error == cudaSuccess) return;
    printf("%s\n", cudaGetErrorString(error));
    exit(2);
}

inline int compared(const float *device, const std::vector<float> &expected)
{
    check(cudaGetLastError());
    check(cudaDeviceSynchronize());
    std::vector<float> found(expected.size());
    check(cudaMemcpy(found.data(), device, found.size() * sizeof(float), cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (size_t i = 0; i < found.size(); ++i) wrong += found[i] != expected[i];
    printf("%d of %zu elements are wrong\n", wrong, found.size());
    return wrong > 0;
}
