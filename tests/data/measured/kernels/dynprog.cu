// Dynamic programming and graphs: blocked Floyd-Warshall, Smith-Waterman by anti-diagonals, pathfinder rows.
#include <cstdio>
#include <cuda_runtime.h>

#define T 16

__global__ void fw_phase1(int *d, int n, int k)
{
    __shared__ int s[T][T];
    int x = threadIdx.x, y = threadIdx.y;
    int gi = (k * T + y) * n + k * T + x;
    s[y][x] = d[gi];
    __syncthreads();
    for (int m = 0; m < T; ++m) {
        int v = s[y][m] + s[m][x];
        if (v < s[y][x]) s[y][x] = v;
        __syncthreads();
    }
    d[gi] = s[y][x];
}

__global__ void fw_phase3(int *d, int n, int k)
{
    if (blockIdx.x == k || blockIdx.y == k) return;
    __shared__ int row[T][T], col[T][T];
    int x = threadIdx.x, y = threadIdx.y;
    row[y][x] = d[(k * T + y) * n + blockIdx.x * T + x];
    col[y][x] = d[(blockIdx.y * T + y) * n + k * T + x];
    __syncthreads();
    int gi = (blockIdx.y * T + y) * n + blockIdx.x * T + x;
    int best = d[gi];
#pragma unroll
    for (int m = 0; m < T; ++m) best = min(best, col[y][m] + row[m][x]);
    d[gi] = best;
}

__global__ void pathfinder(const int *wall, const int *src, int *dst, int cols, int row)
{
    __shared__ int prev[256 + 2];
    int x = blockIdx.x * 256 + threadIdx.x;
    prev[threadIdx.x + 1] = src[x];
    if (threadIdx.x == 0) prev[0] = x > 0 ? src[x - 1] : 1 << 20;
    if (threadIdx.x == 255) prev[257] = x + 1 < cols ? src[x + 1] : 1 << 20;
    __syncthreads();
    int best = prev[threadIdx.x];
    best = min(best, prev[threadIdx.x + 1]);
    best = min(best, prev[threadIdx.x + 2]);
    dst[x] = best + wall[row * cols + x];
}

__global__ void smith_waterman(const char *a, const char *b, int *score, int len)
{
    __shared__ int diag[3][128];
    int t = threadIdx.x;
    a += blockIdx.x * len;
    b += blockIdx.x * len;
    diag[0][t] = diag[1][t] = diag[2][t] = 0;
    __syncthreads();
    int best = 0;
    for (int step = 0; step < 2 * len - 1; ++step) {
        int j = step - t;
        int now = step % 3, p1 = (step + 2) % 3, p2 = (step + 1) % 3;
        if (j >= 0 && j < len) {
            int match = a[t] == b[j] ? 2 : -1;
            int up = t > 0 ? diag[p1][t - 1] : 0;
            int left = diag[p1][t];
            int corner = t > 0 ? diag[p2][t - 1] : 0;
            int v = max(max(corner + match, 0), max(up, left) - 1);
            diag[now][t] = v;
            best = max(best, v);
        }
        __syncthreads();
    }
    atomicMax(&score[blockIdx.x], best);
}

int main()
{
    const int n = 256, cols = 4096;
    int *d, *wall, *src, *dst, *score;
    char *a, *b;
    cudaMalloc(&d, n * n * sizeof(int));
    cudaMalloc(&wall, 8 * cols * sizeof(int));
    cudaMalloc(&src, cols * sizeof(int));
    cudaMalloc(&dst, cols * sizeof(int));
    cudaMalloc(&score, 64 * sizeof(int));
    cudaMalloc(&a, 64 * 128);
    cudaMalloc(&b, 64 * 128);
    cudaMemset(d, 1, n * n * 4);
    cudaMemset(a, 1, 64 * 128);
    cudaMemset(b, 2, 64 * 128);
    cudaMemset(score, 0, 256);
    fw_phase1<<<1, dim3(T, T)>>>(d, n, 3);
    fw_phase3<<<dim3(n / T, n / T), dim3(T, T)>>>(d, n, 3);
    pathfinder<<<cols / 256, 256>>>(wall, src, dst, cols, 5);
    smith_waterman<<<64, 128>>>(a, b, score, 128);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    return 0;
}
