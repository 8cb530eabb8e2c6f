// Tiles copied with __pipeline_memcpy_async.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_pipeline.h>
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

#define T 128

__global__ void stage_no_wait(const float *in, float *out)
{
    __shared__ float s[T];
    int t = threadIdx.x, i = blockIdx.x * T + t;
    __pipeline_memcpy_async(&s[t], &in[i], 4);
    __pipeline_commit();
    out[i] = s[t] * 2.0f;
}

__global__ void stage_wait(const float *in, float *out)
{
    __shared__ float s[T];
    int t = threadIdx.x, i = blockIdx.x * T + t;
    __pipeline_memcpy_async(&s[t], &in[i], 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    out[i] = s[t] * 2.0f;
}

__global__ void stage_wait_no_barrier(const float *in, float *out)
{
    __shared__ float s[T];
    int t = threadIdx.x, i = blockIdx.x * T + t;
    __pipeline_memcpy_async(&s[t], &in[i], 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    out[i] = s[T - 1 - t];
}

__global__ void stage_wait_barrier(const float *in, float *out)
{
    __shared__ float s[T];
    int t = threadIdx.x, i = blockIdx.x * T + t;
    __pipeline_memcpy_async(&s[t], &in[i], 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[i] = s[T - 1 - t];
}

__global__ void stage_barrier_no_wait(const float *in, float *out)
{
    __shared__ float s[T];
    int t = threadIdx.x, i = blockIdx.x * T + t;
    __pipeline_memcpy_async(&s[t], &in[i], 4);
    __pipeline_commit();
    __syncthreads();
    out[i] = s[T - 1 - t];
}

int main(int argc, char **argv)
{
    const int n = 8 * T;
    float *in, *out;
    must(cudaMalloc(&in, n * sizeof(float)));
    must(cudaMalloc(&out, n * sizeof(float)));
    must(cudaMemset(in, 0, n * sizeof(float)));
    if (wanted(argc, argv, "stage_no_wait")) {
        stage_no_wait<<<n / T, T>>>(in, out);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "stage_wait")) {
        stage_wait<<<n / T, T>>>(in, out);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "stage_wait_no_barrier")) {
        stage_wait_no_barrier<<<n / T, T>>>(in, out);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "stage_wait_barrier")) {
        stage_wait_barrier<<<n / T, T>>>(in, out);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "stage_barrier_no_wait")) {
        stage_barrier_no_wait<<<n / T, T>>>(in, out);
        must(cudaDeviceSynchronize());
    }
    return 0;
}
