// Third launch arguments.
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

__global__ void roll(const int *in, int *out)
{
    extern __shared__ int s[];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
    out[blockIdx.x * blockDim.x + t] = s[(t + 1) % blockDim.x];
}

__global__ void roll_two(const int *in, int *out)
{
    extern __shared__ int s[];
    int t = threadIdx.x;
    int *left = s, *right = s + blockDim.x;
    left[t] = in[t];
    right[t] = in[t + 1];
    __syncthreads();
    out[blockIdx.x * blockDim.x + t] = left[(t + 1) % blockDim.x] + right[t];
}

template <typename V> __global__ void widths(const int *in, int *out)
{
    extern __shared__ char raw[];
    V *s = (V *)raw;
    int t = threadIdx.x;
    s[t] = (V)in[t];
    __syncthreads();
    out[blockIdx.x * blockDim.x + t] = (int)s[blockDim.x - 1 - t];
}

int main(int argc, char **argv)
{
    int *in, *out;
    must(cudaMalloc(&in, 4096 * sizeof(int)));
    must(cudaMalloc(&out, 4096 * sizeof(int)));
    must(cudaMemset(in, 0, 4096 * sizeof(int)));
    const int b = 256;
    if (wanted(argc, argv, "roll_none")) {
        roll<<<4, b>>>(in, out);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "roll_elements")) {
        roll<<<4, b, b>>>(in, out);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "roll_bytes")) {
        roll<<<4, b, b * sizeof(int)>>>(in, out);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "roll_two_half")) {
        roll_two<<<4, b, b * sizeof(int)>>>(in, out);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "roll_two_all")) {
        roll_two<<<4, b, 2 * b * sizeof(int)>>>(in, out);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "widths_int")) {
        widths<int><<<4, b, b * sizeof(int)>>>(in, out);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "widths_double")) {
        widths<double><<<4, b, b * sizeof(int)>>>(in, out);
        must(cudaDeviceSynchronize());
    }
    return 0;
}
