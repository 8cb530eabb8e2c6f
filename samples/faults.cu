// Kernels that cannot run right, each beside its twin that can.
#include <cuda_runtime.h>

// The next iteration fills the tile while slower warps still read it.
__global__ void sums(float *out, const float *in, int tiles)
{
    __shared__ float tile[256];
    int t = threadIdx.x;
    float sum = 0;
    for (int k = 0; k < tiles; ++k) {
        tile[t] = in[k * 256 + t];
        __syncthreads();
        for (int j = 0; j < 8; ++j)
            sum += tile[(t + 32 * j) % 256];
    }
    out[blockIdx.x * 256 + t] = sum;
}

__global__ void sums_ordered(float *out, const float *in, int tiles)
{
    __shared__ float tile[256];
    int t = threadIdx.x;
    float sum = 0;
    for (int k = 0; k < tiles; ++k) {
        tile[t] = in[k * 256 + t];
        __syncthreads();
        for (int j = 0; j < 8; ++j)
            sum += tile[(t + 32 * j) % 256];
        __syncthreads();
    }
    out[blockIdx.x * 256 + t] = sum;
}

// The last block reaches behind the arrays.
__global__ void scaled(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = 2.0f * in[i];
}

__global__ void scaled_guarded(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 2.0f * in[i];
}

int main()
{
    const int n = 100000, blocks = (n + 255) / 256;
    float *in, *out;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    sums<<<64, 256>>>(out, in, 16);
    sums_ordered<<<64, 256>>>(out, in, 16);
    scaled<<<blocks, 256>>>(out, in);
    scaled_guarded<<<blocks, 256>>>(out, in, n);
}
