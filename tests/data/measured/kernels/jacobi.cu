// Jacobi relaxation of the Laplace equation: straight from global memory, with a shared tile and halo, and with several columns per thread.
#include <cstdio>
#include <cuda_runtime.h>

#define BX 32
#define BY 8

__global__ void jacobi_global(const double *__restrict__ in, double *__restrict__ out, int nx, int ny)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x + 1;
    int y = blockIdx.y * blockDim.y + threadIdx.y + 1;
    if (x < nx - 1 && y < ny - 1)
        out[y * nx + x] = 0.25 * (in[y * nx + x - 1] + in[y * nx + x + 1] + in[(y - 1) * nx + x] + in[(y + 1) * nx + x]);
}

__global__ void jacobi_shared(const float *in, float *out, int nx, int ny)
{
    __shared__ float t[BY + 2][BX + 2];
    int lx = threadIdx.x + 1, ly = threadIdx.y + 1;
    int x = blockIdx.x * BX + lx, y = blockIdx.y * BY + ly;
    t[ly][lx] = in[y * nx + x];
    if (threadIdx.x == 0) t[ly][0] = in[y * nx + x - 1];
    if (threadIdx.x == BX - 1) t[ly][BX + 1] = in[y * nx + x + 1];
    if (threadIdx.y == 0) t[0][lx] = in[(y - 1) * nx + x];
    if (threadIdx.y == BY - 1) t[BY + 1][lx] = in[(y + 1) * nx + x];
    __syncthreads();
    out[y * nx + x] = 0.25f * (t[ly][lx - 1] + t[ly][lx + 1] + t[ly - 1][lx] + t[ly + 1][lx]);
}

// every thread walks down a column and keeps three rows in registers
__global__ void jacobi_march(const float *__restrict__ in, float *__restrict__ out, int nx, int ny, int rows)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y0 = blockIdx.y * rows;
    if (x == 0 || x >= nx - 1) return;
    float up = in[y0 * nx + x];
    float mid = in[(y0 + 1) * nx + x];
    for (int r = 1; r <= rows; ++r) {
        int y = y0 + r;
        if (y >= ny - 1) break;
        float down = in[(y + 1) * nx + x];
        float left = in[y * nx + x - 1], right = in[y * nx + x + 1];
        out[y * nx + x] = 0.25f * (up + down + left + right);
        up = mid;
        mid = down;
    }
}

__global__ void residual(const float *a, const float *b, float *norm, int n)
{
    __shared__ float partial[256];
    float s = 0.f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float d = a[i] - b[i];
        s += d * d;
    }
    partial[threadIdx.x] = s;
    __syncthreads();
    for (int k = blockDim.x / 2; k > 0; k >>= 1) {
        if (threadIdx.x < k) partial[threadIdx.x] += partial[threadIdx.x + k];
        __syncthreads();
    }
    if (threadIdx.x == 0) atomicAdd(norm, partial[0]);
}

int main()
{
    const int nx = 1026, ny = 514;
    double *da, *db;
    float *fa, *fb, *norm;
    cudaMalloc(&da, sizeof(double) * nx * ny);
    cudaMalloc(&db, sizeof(double) * nx * ny);
    cudaMalloc(&fa, sizeof(float) * nx * ny);
    cudaMalloc(&fb, sizeof(float) * nx * ny);
    cudaMalloc(&norm, sizeof(float));
    cudaMemset(fa, 0, sizeof(float) * nx * ny);
    cudaMemset(da, 0, sizeof(double) * nx * ny);
    dim3 block(BX, BY);
    dim3 grid((nx - 2 + BX - 1) / BX, (ny - 2 + BY - 1) / BY);
    jacobi_global<<<grid, block>>>(da, db, nx, ny);
    jacobi_shared<<<grid, block>>>(fa, fb, nx, ny);
    jacobi_march<<<dim3((nx + 127) / 128, (ny - 2 + 15) / 16), 128>>>(fa, fb, nx, ny, 16);
    residual<<<64, 256>>>(fa, fb, norm, nx * ny);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    return 0;
}
