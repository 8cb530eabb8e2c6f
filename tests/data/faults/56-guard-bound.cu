// Guards that name another bound than the array has.
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

__global__ void pad_wrong(const float *in, float *out, int n, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i];
}

__global__ void pad_right(const float *in, float *out, int n, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < m) out[i] = in[i];
}

__global__ void rows_cols(const float *in, float *out, int rows, int cols)
{
    int r = blockIdx.y * blockDim.y + threadIdx.y, c = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < cols && c < rows) out[c * rows + r] = in[r * cols + c];
}

__global__ void rows_cols_right(const float *in, float *out, int rows, int cols)
{
    int r = blockIdx.y * blockDim.y + threadIdx.y, c = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < rows && c < cols) out[c * rows + r] = in[r * cols + c];
}

#define BINS 64
__global__ void bins_by_block(const float *in, float *out, int n)
{
    __shared__ float s[BINS];
    int t = threadIdx.x;
    if (t < blockDim.x) s[t] = 0.0f;
    __syncthreads();
    if (t < BINS) out[blockIdx.x * BINS + t] = s[t] + in[t];
}

__global__ void bins_by_bins(const float *in, float *out, int n)
{
    __shared__ float s[BINS];
    int t = threadIdx.x;
    if (t < BINS) s[t] = 0.0f;
    __syncthreads();
    if (t < BINS) out[blockIdx.x * BINS + t] = s[t] + in[t];
}

int main(int argc, char **argv)
{
    const int n = 1000, m = 900;
    float *in, *out;
    must(cudaMalloc(&in, n * sizeof(float)));
    must(cudaMalloc(&out, m * sizeof(float)));
    must(cudaMemset(in, 0, n * sizeof(float)));
    if (wanted(argc, argv, "pad_wrong")) {
        pad_wrong<<<(n + 127) / 128, 128>>>(in, out, n, m);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "pad_right")) {
        pad_right<<<(n + 127) / 128, 128>>>(in, out, n, m);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "rows_cols")) {
        rows_cols<<<dim3(4, 4), dim3(16, 16)>>>(in, out, 18, 50);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "rows_cols_right")) {
        rows_cols_right<<<dim3(4, 2), dim3(16, 16)>>>(in, out, 18, 50);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "bins_by_block")) {
        bins_by_block<<<4, 128>>>(in, out, n);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "bins_by_bins")) {
        bins_by_bins<<<4, 128>>>(in, out, n);
        must(cudaDeviceSynchronize());
    }
    return 0;
}
