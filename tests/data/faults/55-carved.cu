// Dynamic shared memory that is carved into parts.
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

__global__ void carve_overlap(const int *in, float *out, int n)
{
    extern __shared__ char raw[];
    int *keys = (int *)raw;
    float *sums = (float *)(raw + n);
    int t = threadIdx.x;
    keys[t] = in[blockIdx.x * n + t];
    sums[t] = 1.0f * t;
    __syncthreads();
    out[blockIdx.x * n + t] = sums[t] + keys[n - 1 - t];
}

__global__ void carve_apart(const int *in, float *out, int n)
{
    extern __shared__ char raw[];
    int *keys = (int *)raw;
    float *sums = (float *)(raw + n * sizeof(int));
    int t = threadIdx.x;
    keys[t] = in[blockIdx.x * n + t];
    sums[t] = 1.0f * t;
    __syncthreads();
    out[blockIdx.x * n + t] = sums[t] + keys[n - 1 - t];
}

__global__ void two_externs(const int *in, float *out, int n)
{
    extern __shared__ int first[];
    extern __shared__ float second[];
    int t = threadIdx.x;
    first[t] = in[blockIdx.x * n + t];
    second[t] = 0.5f * t;
    __syncthreads();
    out[blockIdx.x * n + t] = second[t] + first[n - 1 - t];
}

__global__ void carve_double_after_odd(const float *in, double *out, int n)
{
    extern __shared__ __align__(16) unsigned char pool[];
    float *a = reinterpret_cast<float *>(pool);
    double *b = reinterpret_cast<double *>(a + n);
    int t = threadIdx.x;
    if (t < n) {
        a[t] = in[t];
        b[t] = 2.0 * in[t];
    }
    __syncthreads();
    if (t < n) out[blockIdx.x * n + t] = b[n - 1 - t] + a[t];
}

__global__ void carve_phases(const int *in, int *out)
{
    extern __shared__ int pool[];
    int t = threadIdx.x;
    int *scratch = pool;
    scratch[t] = in[blockIdx.x * 128 + t];
    __syncthreads();
    int v = scratch[127 - t];
    __syncthreads();
    int *second = pool + 32;
    if (t < 64) second[t] = v;
    __syncthreads();
    out[blockIdx.x * 128 + t] = second[t % 64] + v;
}

int main(int argc, char **argv)
{
    const int n = 128;
    int *in;
    double *out;
    must(cudaMalloc(&in, 4 * n * sizeof(int)));
    must(cudaMalloc(&out, 4 * n * sizeof(double)));
    must(cudaMemset(in, 0, 4 * n * sizeof(int)));
    if (wanted(argc, argv, "carve_overlap")) {
        carve_overlap<<<4, n, n * sizeof(int) + n * sizeof(float)>>>(in, (float *)out, n);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "carve_apart")) {
        carve_apart<<<4, n, n * sizeof(int) + n * sizeof(float)>>>(in, (float *)out, n);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "two_externs")) {
        two_externs<<<4, n, 2 * n * sizeof(int)>>>(in, (float *)out, n);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "carve_double_odd")) {
        carve_double_after_odd<<<4, n, 127 * 12>>>((const float *)in, out, 127);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "carve_double_even")) {
        carve_double_after_odd<<<4, n, 126 * 12>>>((const float *)in, out, 126);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "carve_phases")) {
        carve_phases<<<4, 128, 128 * sizeof(int)>>>(in, (int *)out);
        must(cudaDeviceSynchronize());
    }
    return 0;
}
