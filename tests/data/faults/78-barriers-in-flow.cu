// Barriers that only some reach.
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

__global__ void flow_half(const int *in, int *out)
{
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = in[t];
    if (t < 64) {
        __syncthreads();
        out[blockIdx.x * 128 + t] = s[127 - t];
    }
}

__global__ void flow_block_condition(const int *in, int *out)
{
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = in[t];
    if (blockIdx.x % 2 == 0) {
        __syncthreads();
        out[blockIdx.x * 128 + t] = s[127 - t];
    }
}

__global__ void flow_loop(const int *in, int *out)
{
    __shared__ int s[128];
    int t = threadIdx.x, sum = 0;
    for (int i = t; i < 300; i += 128) {
        s[t] = in[i];
        __syncthreads();
        sum += s[t];
    }
    out[blockIdx.x * 128 + t] = sum;
}

__global__ void flow_loop_even(const int *in, int *out)
{
    __shared__ int s[128];
    int t = threadIdx.x, sum = 0;
    for (int i = 0; i < 300; i += 128) {
        s[t] = i + t < 300 ? in[i + t] : 0;
        __syncthreads();
        sum += s[127 - t];
        __syncthreads();
    }
    out[blockIdx.x * 128 + t] = sum;
}

__global__ void flow_break(const int *in, int *out)
{
    __shared__ int s[128];
    int t = threadIdx.x, sum = 0;
    for (int k = 0; k < 8; k++) {
        if (in[k * 128 + t] < 0) break;
        s[t] = in[k * 128 + t];
        __syncthreads();
        sum += s[127 - t];
        __syncthreads();
    }
    out[blockIdx.x * 128 + t] = sum;
}

__global__ void flow_vote_break(const int *in, int *out)
{
    __shared__ int s[128];
    int t = threadIdx.x, sum = 0;
    for (int k = 0; k < 8; k++) {
        int v = in[k * 128 + t];
        if (__syncthreads_or(v < 0)) break;
        s[t] = v;
        __syncthreads();
        sum += s[127 - t];
    }
    out[blockIdx.x * 128 + t] = sum;
}

int main(int argc, char **argv)
{
    int *in, *out;
    must(cudaMalloc(&in, 4096 * sizeof(int)));
    must(cudaMalloc(&out, 4096 * sizeof(int)));
    must(cudaMemset(in, 0, 4096 * sizeof(int)));
    if (wanted(argc, argv, "flow_half")) {
        flow_half<<<4, 128>>>(in, out);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "flow_block_condition")) {
        flow_block_condition<<<4, 128>>>(in, out);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "flow_loop")) {
        flow_loop<<<4, 128>>>(in, out);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "flow_loop_even")) {
        flow_loop_even<<<4, 128>>>(in, out);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "flow_break")) {
        flow_break<<<4, 128>>>(in, out);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "flow_vote_break")) {
        flow_vote_break<<<4, 128>>>(in, out);
        must(cudaDeviceSynchronize());
    }
    return 0;
}
