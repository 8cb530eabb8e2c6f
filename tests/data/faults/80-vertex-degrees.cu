// Edges that add to their vertices, and relaxations.
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

__global__ void degree_plain(const int *to, int *degree, int edges)
{
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e < edges) degree[to[e]] += 1;
}

__global__ void degree_atomic(const int *to, int *degree, int edges)
{
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e < edges) atomicAdd(&degree[to[e]], 1);
}

__global__ void gauss_seidel(float *u, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
    if (x < n - 1 && y < n - 1)
        u[y * n + x] = 0.25f * (u[y * n + x - 1] + u[y * n + x + 1] + u[(y - 1) * n + x] + u[(y + 1) * n + x]);
}

__global__ void red_black(float *u, int n, int colour)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
    if (x < n - 1 && y < n - 1 && (x + y) % 2 == colour)
        u[y * n + x] = 0.25f * (u[y * n + x - 1] + u[y * n + x + 1] + u[(y - 1) * n + x] + u[(y + 1) * n + x]);
}

__global__ void jacobi(const float *u, float *v, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
    if (x < n - 1 && y < n - 1)
        v[y * n + x] = 0.25f * (u[y * n + x - 1] + u[y * n + x + 1] + u[(y - 1) * n + x] + u[(y + 1) * n + x]);
}

__global__ void jacobi_edges(const float *u, float *v, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < n && y < n)
        v[y * n + x] = 0.25f * (u[y * n + x - 1] + u[y * n + x + 1] + u[(y - 1) * n + x] + u[(y + 1) * n + x]);
}

int main(int argc, char **argv)
{
    const int n = 66, edges = 1000;
    int *to, *degree;
    float *u, *v;
    must(cudaMalloc(&to, edges * sizeof(int)));
    must(cudaMalloc(&degree, 64 * sizeof(int)));
    must(cudaMalloc(&u, n * n * sizeof(float)));
    must(cudaMalloc(&v, n * n * sizeof(float)));
    must(cudaMemset(to, 0, edges * sizeof(int)));
    must(cudaMemset(degree, 0, 64 * sizeof(int)));
    must(cudaMemset(u, 0, n * n * sizeof(float)));
    const dim3 grid(5, 5), block(16, 16);
    if (wanted(argc, argv, "degree_plain")) {
        degree_plain<<<4, 256>>>(to, degree, edges);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "degree_atomic")) {
        degree_atomic<<<4, 256>>>(to, degree, edges);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "gauss_seidel")) {
        gauss_seidel<<<grid, block>>>(u, n);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "red_black")) {
        red_black<<<grid, block>>>(u, n, 1);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "jacobi")) {
        jacobi<<<grid, block>>>(u, v, n);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "jacobi_edges")) {
        jacobi_edges<<<grid, block>>>(u, v, n);
        must(cudaDeviceSynchronize());
    }
    return 0;
}
