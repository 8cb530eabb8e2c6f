// Matrix products with two buffers.
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

#define K 256
__global__ void mm_two(const float *a, const float *b, float *c)
{
    __shared__ float sa[2][16][16], sb[2][16][16];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, col = blockIdx.x * 16 + x;
    float acc = 0.0f;
    sa[0][y][x] = a[row * K + x];
    sb[0][y][x] = b[y * K + col];
    __syncthreads();
    for (int k = 0; k < K / 16; k++) {
        int now = k & 1, next = now ^ 1;
        if (k + 1 < K / 16) {
            sa[next][y][x] = a[row * K + (k + 1) * 16 + x];
            sb[next][y][x] = b[((k + 1) * 16 + y) * K + col];
        }
        for (int j = 0; j < 16; j++) acc += sa[now][y][j] * sb[now][j][x];
        __syncthreads();
    }
    c[row * K + col] = acc;
}

__global__ void mm_same_buffer(const float *a, const float *b, float *c)
{
    __shared__ float sa[2][16][16], sb[2][16][16];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, col = blockIdx.x * 16 + x;
    float acc = 0.0f;
    sa[0][y][x] = a[row * K + x];
    sb[0][y][x] = b[y * K + col];
    __syncthreads();
    for (int k = 0; k < K / 16; k++) {
        int now = k & 1, next = now;
        for (int j = 0; j < 16; j++) acc += sa[now][y][j] * sb[now][j][x];
        if (k + 1 < K / 16) {
            sa[next][y][x] = a[row * K + (k + 1) * 16 + x];
            sb[next][y][x] = b[((k + 1) * 16 + y) * K + col];
        }
        __syncthreads();
    }
    c[row * K + col] = acc;
}

__global__ void mm_no_loop_barrier(const float *a, const float *b, float *c)
{
    __shared__ float sa[16][16], sb[16][16];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, col = blockIdx.x * 16 + x;
    float acc = 0.0f;
    for (int k = 0; k < K; k += 16) {
        sa[y][x] = a[row * K + k + x];
        sb[y][x] = b[(k + y) * K + col];
        __syncthreads();
        for (int j = 0; j < 16; j++) acc += sa[y][j] * sb[j][x];
    }
    c[row * K + col] = acc;
}

__global__ void mm_edge(const float *a, const float *b, float *c, int n)
{
    __shared__ float sa[16][16], sb[16][16];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, col = blockIdx.x * 16 + x;
    float acc = 0.0f;
    for (int k = 0; k < n; k += 16) {
        sa[y][x] = row < n && k + x < n ? a[row * n + k + x] : 0.0f;
        sb[y][x] = col < n && k + y < n ? b[(k + y) * n + col] : 0.0f;
        __syncthreads();
        for (int j = 0; j < 16; j++) acc += sa[y][j] * sb[j][x];
        __syncthreads();
    }
    if (row < n && col < n) c[row * n + col] = acc;
}

__global__ void mm_edge_bare(const float *a, const float *b, float *c, int n)
{
    __shared__ float sa[16][16], sb[16][16];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, col = blockIdx.x * 16 + x;
    float acc = 0.0f;
    for (int k = 0; k < n; k += 16) {
        sa[y][x] = row < n ? a[row * n + k + x] : 0.0f;
        sb[y][x] = col < n ? b[(k + y) * n + col] : 0.0f;
        __syncthreads();
        for (int j = 0; j < 16; j++) acc += sa[y][j] * sb[j][x];
        __syncthreads();
    }
    if (row < n && col < n) c[row * n + col] = acc;
}

int main(int argc, char **argv)
{
    float *a, *b, *c;
    must(cudaMalloc(&a, K * K * sizeof(float)));
    must(cudaMalloc(&b, K * K * sizeof(float)));
    must(cudaMalloc(&c, K * K * sizeof(float)));
    must(cudaMemset(a, 0, K * K * sizeof(float)));
    must(cudaMemset(b, 0, K * K * sizeof(float)));
    float *ea, *eb;
    must(cudaMalloc(&ea, 250 * 250 * sizeof(float)));
    must(cudaMalloc(&eb, 250 * 250 * sizeof(float)));
    if (wanted(argc, argv, "mm_two")) {
        mm_two<<<dim3(16, 16), dim3(16, 16)>>>(a, b, c);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "mm_same_buffer")) {
        mm_same_buffer<<<dim3(16, 16), dim3(16, 16)>>>(a, b, c);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "mm_no_loop_barrier")) {
        mm_no_loop_barrier<<<dim3(16, 16), dim3(16, 16)>>>(a, b, c);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "mm_edge")) {
        mm_edge<<<dim3(16, 16), dim3(16, 16)>>>(ea, eb, c, 250);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "mm_edge_bare")) {
        mm_edge_bare<<<dim3(16, 16), dim3(16, 16)>>>(ea, eb, c, 250);
        must(cudaDeviceSynchronize());
    }
    return 0;
}
