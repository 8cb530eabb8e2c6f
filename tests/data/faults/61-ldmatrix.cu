// Matrix loads from rows of odd pitches.
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

__device__ void load4(unsigned *r, const void *p)
{
    unsigned a = (unsigned)__cvta_generic_to_shared(p);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(a));
}

template <int PITCH> __global__ void frag(const int *in, int *out)
{
    __shared__ __align__(16) unsigned short s[32 * PITCH];
    int t = threadIdx.x;
    for (int i = t; i < 32 * PITCH; i += 32) s[i] = (unsigned short)in[i % 64];
    __syncthreads();
    unsigned r[4];
    load4(r, &s[t * PITCH]);
    out[blockIdx.x * 32 + t] = r[0] ^ r[1] ^ r[2] ^ r[3];
}

__global__ void frag_unsynced(const int *in, int *out)
{
    __shared__ __align__(16) unsigned short s[64][8];
    int t = threadIdx.x;
    for (int j = 0; j < 8; j++) s[t][j] = (unsigned short)in[j];
    unsigned r[4];
    load4(r, &s[63 - t][0]);
    out[blockIdx.x * 64 + t] = r[0] ^ r[3];
}

int main(int argc, char **argv)
{
    int *in, *out;
    must(cudaMalloc(&in, 4096 * sizeof(int)));
    must(cudaMalloc(&out, 4096 * sizeof(int)));
    must(cudaMemset(in, 0, 4096 * sizeof(int)));
    if (wanted(argc, argv, "frag_odd")) {
        frag<12><<<4, 32>>>(in, out);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "frag_even")) {
        frag<24><<<4, 32>>>(in, out);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "frag_unsynced")) {
        frag_unsynced<<<4, 64>>>(in, out);
        must(cudaDeviceSynchronize());
    }
    return 0;
}
