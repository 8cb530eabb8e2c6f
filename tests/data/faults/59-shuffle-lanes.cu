// Shuffles that read lanes which do not take part.
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

__global__ void down_after_exit(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = in[i];
    for (int o = 16; o; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
    if (threadIdx.x % 32 == 0) atomicAdd(out, v);
}

__global__ void down_guarded_value(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = i < n ? in[i] : 0.0f;
    for (int o = 16; o; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
    if (threadIdx.x % 32 == 0) atomicAdd(out, v);
}

__global__ void up_half_mask(const int *in, int *out)
{
    int t = threadIdx.x, lane = t & 31, v = in[t];
    if (lane < 16) out[t] = __shfl_sync(0x0000ffffu, v, lane + 16);
}

__global__ void up_half_inside(const int *in, int *out)
{
    int t = threadIdx.x, lane = t & 31, v = in[t];
    if (lane < 16) out[t] = __shfl_sync(0x0000ffffu, v, lane ^ 15);
}

__global__ void xor_beyond_mask(const int *in, int *out)
{
    int t = threadIdx.x, lane = t & 31, v = in[t];
    if (lane < 24) {
        v += __shfl_xor_sync(0x00ffffffu, v, 8);
        out[t] = v;
    }
}

int main(int argc, char **argv)
{
    float *in, *out;
    must(cudaMalloc(&in, 1024 * sizeof(float)));
    must(cudaMalloc(&out, 1024 * sizeof(float)));
    must(cudaMemset(in, 0, 1024 * sizeof(float)));
    if (wanted(argc, argv, "down_after_exit")) {
        down_after_exit<<<4, 256>>>(in, out, 1000);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "down_no_exit")) {
        down_after_exit<<<4, 256>>>(in, out, 1024);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "down_guarded_value")) {
        down_guarded_value<<<4, 256>>>(in, out, 1000);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "up_half_mask")) {
        up_half_mask<<<1, 64>>>((int *)in, (int *)out);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "up_half_inside")) {
        up_half_inside<<<1, 64>>>((int *)in, (int *)out);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "xor_beyond_mask")) {
        xor_beyond_mask<<<1, 64>>>((int *)in, (int *)out);
        must(cudaDeviceSynchronize());
    }
    return 0;
}
