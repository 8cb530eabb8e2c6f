// cuda::pipeline with a thread scope and one stage per iteration.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda/pipeline>
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

__global__ void pipe_good(const int *in, int *out)
{
    __shared__ int s[2][128];
    int t = threadIdx.x, sum = 0;
    auto pipe = cuda::make_pipeline();
    pipe.producer_acquire();
    cuda::memcpy_async(&s[0][t], &in[t], sizeof(int), pipe);
    pipe.producer_commit();
    for (int k = 0; k < 8; k++) {
        pipe.producer_acquire();
        if (k < 7) cuda::memcpy_async(&s[(k + 1) % 2][t], &in[(k + 1) * 128 + t], sizeof(int), pipe);
        pipe.producer_commit();
        cuda::pipeline_consumer_wait_prior<1>(pipe);
        __syncthreads();
        sum += s[k % 2][127 - t];
        __syncthreads();
        pipe.consumer_release();
    }
    out[blockIdx.x * 128 + t] = sum;
}

__global__ void pipe_no_wait(const int *in, int *out)
{
    __shared__ int s[128];
    int t = threadIdx.x;
    auto pipe = cuda::make_pipeline();
    pipe.producer_acquire();
    cuda::memcpy_async(&s[t], &in[t], sizeof(int), pipe);
    pipe.producer_commit();
    __syncthreads();
    out[blockIdx.x * 128 + t] = s[127 - t];
}

__global__ void pipe_wait(const int *in, int *out)
{
    __shared__ int s[128];
    int t = threadIdx.x;
    auto pipe = cuda::make_pipeline();
    pipe.producer_acquire();
    cuda::memcpy_async(&s[t], &in[t], sizeof(int), pipe);
    pipe.producer_commit();
    pipe.consumer_wait();
    __syncthreads();
    out[blockIdx.x * 128 + t] = s[127 - t];
    pipe.consumer_release();
}

int main(int argc, char **argv)
{
    const int n = 8 * 128;
    int *in, *out;
    must(cudaMalloc(&in, n * sizeof(int)));
    must(cudaMalloc(&out, n * sizeof(int)));
    must(cudaMemset(in, 0, n * sizeof(int)));
    if (wanted(argc, argv, "pipe_good")) {
        pipe_good<<<4, 128>>>(in, out);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "pipe_no_wait")) {
        pipe_no_wait<<<4, 128>>>(in, out);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "pipe_wait")) {
        pipe_wait<<<4, 128>>>(in, out);
        must(cudaDeviceSynchronize());
    }
    return 0;
}
