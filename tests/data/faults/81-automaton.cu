// Cells that step in shared memory.
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

__global__ void life_parity(const int *in, int *out, int steps)
{
    __shared__ int g[2][18][18];
    int x = threadIdx.x, y = threadIdx.y;
    for (int j = y; j < 18; j += 16)
        for (int i = x; i < 18; i += 16) g[0][j][i] = g[1][j][i] = in[j * 18 + i];
    __syncthreads();
    for (int s = 0; s < steps; s++) {
        int (*a)[18] = g[s & 1], (*b)[18] = g[~s & 1];
        b[y + 1][x + 1] = a[y][x + 1] + a[y + 2][x + 1] + a[y + 1][x] + a[y + 1][x + 2];
        __syncthreads();
    }
    out[y * 16 + x] = g[steps & 1][y + 1][x + 1];
}

__global__ void life_one_grid(const int *in, int *out, int steps)
{
    __shared__ int g[18][18];
    int x = threadIdx.x, y = threadIdx.y;
    for (int j = y; j < 18; j += 16)
        for (int i = x; i < 18; i += 16) g[j][i] = in[j * 18 + i];
    __syncthreads();
    for (int s = 0; s < steps; s++) {
        int v = g[y][x + 1] + g[y + 2][x + 1] + g[y + 1][x] + g[y + 1][x + 2];
        __syncthreads();
        g[y + 1][x + 1] = v;
        __syncthreads();
    }
    out[y * 16 + x] = g[y + 1][x + 1];
}

__global__ void life_one_barrier(const int *in, int *out, int steps)
{
    __shared__ int g[18][18];
    int x = threadIdx.x, y = threadIdx.y;
    for (int j = y; j < 18; j += 16)
        for (int i = x; i < 18; i += 16) g[j][i] = in[j * 18 + i];
    __syncthreads();
    for (int s = 0; s < steps; s++) {
        int v = g[y][x + 1] + g[y + 2][x + 1] + g[y + 1][x] + g[y + 1][x + 2];
        __syncthreads();
        g[y + 1][x + 1] = v;
    }
    __syncthreads();
    out[y * 16 + x] = g[y + 1][x + 1];
}

__global__ void life_border_unfilled(const int *in, int *out, int steps)
{
    __shared__ int g[18][18];
    int x = threadIdx.x, y = threadIdx.y;
    g[y + 1][x + 1] = in[y * 16 + x];
    __syncthreads();
    out[y * 16 + x] = g[y][x + 1] + g[y + 2][x + 1] + g[y + 1][x] + g[y + 1][x + 2];
}

__global__ void life_ping(const int *in, int *out, int steps)
{
    __shared__ int a[128], b[128];
    int t = threadIdx.y * 16 + threadIdx.x;
    if (t < 128) a[t] = in[t];
    __syncthreads();
    int *from = a, *to = b;
    for (int s = 0; s < steps; s++) {
        if (t < 128) to[t] = from[t ^ 64] + from[(t + 1) % 128];
        __syncthreads();
        int *c = from;
        from = to;
        to = c;
    }
    if (t < 128) out[t] = from[t];
}

__global__ void life_ping_twice(const int *in, int *out, int steps)
{
    __shared__ int a[128], b[128];
    int t = threadIdx.y * 16 + threadIdx.x;
    if (t < 128) a[t] = in[t];
    __syncthreads();
    for (int s = 0; s < steps; s++) {
        if (t < 128) b[t] = a[t ^ 64] + a[(t + 1) % 128];
        __syncthreads();
        if (t < 128) a[t] = b[t];
    }
    if (t < 128) out[t] = a[t];
}

int main(int argc, char **argv)
{
    int *in, *out;
    must(cudaMalloc(&in, 4096 * sizeof(int)));
    must(cudaMalloc(&out, 4096 * sizeof(int)));
    must(cudaMemset(in, 0, 4096 * sizeof(int)));
    if (wanted(argc, argv, "life_parity")) {
        life_parity<<<4, dim3(16, 16)>>>(in, out, 6);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "life_one_grid")) {
        life_one_grid<<<4, dim3(16, 16)>>>(in, out, 6);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "life_one_barrier")) {
        life_one_barrier<<<4, dim3(16, 16)>>>(in, out, 6);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "life_border_unfilled")) {
        life_border_unfilled<<<4, dim3(16, 16)>>>(in, out, 6);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "life_ping")) {
        life_ping<<<4, dim3(16, 16)>>>(in, out, 6);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "life_ping_twice")) {
        life_ping_twice<<<4, dim3(16, 16)>>>(in, out, 6);
        must(cudaDeviceSynchronize());
    }
    return 0;
}
