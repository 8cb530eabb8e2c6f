// Small arrays of a thread and constants.
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

__constant__ float weights[7];
__device__ int table[10] = {1, 2, 3};

__global__ void taps_one_more(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k <= 7; k++) sum += weights[k] * in[min(i + k, n - 1)];
    if (i < n) out[i] = sum;
}

__global__ void taps(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < 7; k++) sum += weights[k] * in[min(i + k, n - 1)];
    if (i < n) out[i] = sum;
}

__global__ void window(const float *in, float *out, int n)
{
    float w[5];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = -2; k <= 2; k++) w[k + 2] = in[max(0, min(n - 1, i + k))];
    for (int p = 0; p < 4; p++)
        for (int q = 0; q < 4 - p; q++)
            if (w[q] > w[q + 1]) { float x = w[q]; w[q] = w[q + 1]; w[q + 1] = x; }
    if (i < n) out[i] = w[2];
}

__global__ void window_off(const float *in, float *out, int n)
{
    float w[5];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = -2; k <= 2; k++) w[k + 2] = in[max(0, min(n - 1, i + k))];
    for (int p = 0; p < 5; p++)
        for (int q = 0; q < 5 - p; q++)
            if (w[q] > w[q + 1]) { float x = w[q]; w[q] = w[q + 1]; w[q + 1] = x; }
    if (i < n) out[i] = w[2];
}

__global__ void look(float *out)
{
    int t = threadIdx.x;
    out[blockIdx.x * 16 + t] = table[t];
}

int main(int argc, char **argv)
{
    const int n = 1000;
    float *in, *out;
    must(cudaMalloc(&in, n * sizeof(float)));
    must(cudaMalloc(&out, n * sizeof(float)));
    must(cudaMemset(in, 0, n * sizeof(float)));
    if (wanted(argc, argv, "taps_one_more")) {
        taps_one_more<<<8, 128>>>(in, out, n);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "taps")) {
        taps<<<8, 128>>>(in, out, n);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "window")) {
        window<<<8, 128>>>(in, out, n);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "window_off")) {
        window_off<<<8, 128>>>(in, out, n);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "look_16")) {
        look<<<4, 16>>>(out);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "look_10")) {
        look<<<4, 10>>>(out);
        must(cudaDeviceSynchronize());
    }
    return 0;
}
