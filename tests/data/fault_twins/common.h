#pragma once
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#define MUST(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { std::printf("%s: %s\n", #x, cudaGetErrorString(e_)); std::exit(1); } } while (0)
static bool wanted(int argc, char **argv, const char *name) {
    if (argc < 2) return true;
    for (int i = 1; i < argc; i++) if (!std::strcmp(argv[i], name)) return true;
    return false;
}
static void done(const char *name) { cudaError_t e = cudaDeviceSynchronize(); std::printf("%s: %s\n", name, cudaGetErrorString(e)); }
