// Half blocks with barriers of their own.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

static void must(cudaError_t e)
{
    if (e == cudaSuccess) return;
    std::printf("failed: %s\n", cudaGetErrorString(e));
    std::exit(1);
}

static bool wanted(int argc, char **argv, const char *run)
{
    for (int i = 1; i < argc; i++)
        if (!std::strcmp(argv[i], run)) return true;
    return argc < 2;
}

__device__ void meet(int id, int count) { asm volatile("bar.sync %0, %1;" :: "r"(id), "r"(count) : "memory"); }

__global__ void halves_named(const int *in, int *out)
{
    __shared__ int s[256];
    int t = threadIdx.x, half = t / 128, u = t % 128;
    s[t] = in[blockIdx.x * 256 + t];
    meet(1 + half, 128);
    out[blockIdx.x * 256 + t] = s[half * 128 + 127 - u];
}

__global__ void halves_cross(const int *in, int *out)
{
    __shared__ int s[256];
    int t = threadIdx.x, half = t / 128;
    s[t] = in[blockIdx.x * 256 + t];
    meet(1 + half, 128);
    out[blockIdx.x * 256 + t] = s[255 - t];
}

__global__ void halves_in_branches(const int *in, int *out)
{
    __shared__ int s[256];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 256 + t];
    if (t < 128) {
        asm volatile("bar.sync 1, 128;");
        out[blockIdx.x * 256 + t] = s[127 - t];
    } else {
        asm volatile("bar.sync 2, 128;");
        out[blockIdx.x * 256 + t] = s[383 - t];
    }
}

__global__ void branches_cross(const int *in, int *out)
{
    __shared__ int s[256];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 256 + t];
    if (t < 128) {
        asm volatile("bar.sync 1, 128;");
        out[blockIdx.x * 256 + t] = s[t + 128];
    } else {
        asm volatile("bar.sync 2, 128;");
        out[blockIdx.x * 256 + t] = s[383 - t];
    }
}

int main(int argc, char **argv)
{
    int *in, *out;
    must(cudaMalloc(&in, 1024 * sizeof(int)));
    must(cudaMalloc(&out, 1024 * sizeof(int)));
    must(cudaMemset(in, 0, 1024 * sizeof(int)));
    if (wanted(argc, argv, "halves_named")) {
        halves_named<<<4, 256>>>(in, out);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "halves_cross")) {
        halves_cross<<<4, 256>>>(in, out);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "halves_in_branches")) {
        halves_in_branches<<<4, 256>>>(in, out);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "branches_cross")) {
        branches_cross<<<4, 256>>>(in, out);
        must(cudaDeviceSynchronize());
    }
    return 0;
}
