// Code that profilers and compilers treat in other ways: functions that are called, generic addresses, graphs, lambdas, members.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__device__ __noinline__ float weigh(const float *values, int i)
{
    return values[i] * 2.0f + values[i + 1];
}

__global__ void called(const float *in, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = weigh(in, i);
}

// A generic address: nvcc cannot tell which memory it points to.
__global__ void either(float *out, int which)
{
    __shared__ float tile[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = (float)i;
    __syncthreads();
    float *from = which > 3 ? tile : out + blockIdx.x * blockDim.x;
    out[i] = from[threadIdx.x ^ 1];
}

template <typename F>
__global__ void apply(float *out, F f)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = f(i);
}

template <int WIDTH>
struct Filter {
    template <typename T>
    __device__ static T at(const T *in, int i)
    {
        T sum = 0;
#pragma unroll
        for (int k = 0; k < WIDTH; k++)
            sum += in[i + k * 32];
        return sum;
    }
};

template <class FILTER, typename T>
__global__ void filtered(const T *in, T *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = FILTER::at(in, i);
}

struct Plus {
    float by;
    __device__ float operator()(int i) const { return by + i; }
};

// The last block is not full, and the last warp of a block neither.
__global__ void ragged(const unsigned char *in, unsigned char *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[n - 1 - i];
}

int main(int argc, char **argv)
{
    const int n = 1 << 15;
    float *a, *b;
    unsigned char *c, *d;
    cudaMalloc(&a, 4 * n * sizeof(float));
    cudaMalloc(&b, 4 * n * sizeof(float));
    cudaMalloc(&c, n);
    cudaMalloc(&d, n);
    cudaMemset(a, 0, 4 * n * sizeof(float));
    cudaMemset(c, 0, n);
    called<<<n / 128, 128>>>(a, b);
    either<<<n / 256, 256>>>(b, argc);
    apply<<<n / 64, 64>>>(b, Plus{1.0f});
    filtered<Filter<3>, float><<<n / 256, 256>>>(a, b);
    ragged<<<(20000 + 99) / 100, 100>>>(c, d, 20000);
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    ragged<<<8, 1024, 0, stream>>>(c, d, 8000);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&ready, graph, 0);
    cudaGraphLaunch(ready, stream);
    cudaStreamSynchronize(stream);
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    return 0;
}
