// Lattice Boltzmann D2Q9, structure of arrays and array of structures; boundaries by index arithmetic.
#include <cstdio>
#include <cuda_runtime.h>

struct Cell { float f[9]; };
struct __align__(16) Node { float rho, ux, uy; int kind; };

__constant__ int cx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
__constant__ int cy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
__constant__ float weight[9] = {4.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 36, 1.f / 36, 1.f / 36, 1.f / 36};

__global__ void stream_soa(const float *src, float *dst, int nx, int ny)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y;
    if (x >= nx) return;
#pragma unroll
    for (int q = 0; q < 9; ++q) {
        int sx = (x - cx[q] + nx) % nx, sy = (y - cy[q] + ny) % ny;
        dst[q * nx * ny + y * nx + x] = src[q * nx * ny + sy * nx + sx];
    }
}

__global__ void collide_aos(Cell *cells, int n, float omega)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float f[9], rho = 0, ux = 0, uy = 0;
    for (int q = 0; q < 9; ++q) {
        f[q] = cells[i].f[q];
        rho += f[q];
        ux += f[q] * cx[q];
        uy += f[q] * cy[q];
    }
    ux /= rho;
    uy /= rho;
    for (int q = 0; q < 9; ++q) {
        float cu = 3 * (cx[q] * ux + cy[q] * uy);
        float eq = weight[q] * rho * (1 + cu + 0.5f * cu * cu - 1.5f * (ux * ux + uy * uy));
        cells[i].f[q] = f[q] + omega * (eq - f[q]);
    }
}

__global__ void moments(const float *__restrict__ f, Node *nodes, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float rho = 0, ux = 0, uy = 0;
    for (int q = 0; q < 9; ++q) {
        float v = f[q * n + i];
        rho += v;
        ux += v * cx[q];
        uy += v * cy[q];
    }
    Node node;
    node.rho = rho;
    node.ux = ux / rho;
    node.uy = uy / rho;
    node.kind = rho > 0 ? 1 : 0;
    nodes[i] = node;
}

__global__ void speed(const Node *nodes, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float ux = nodes[i].ux, uy = nodes[i].uy;
        out[i] = sqrtf(ux * ux + uy * uy);
    }
}

int main()
{
    const int nx = 512, ny = 128, n = nx * ny;
    float *a, *b, *s;
    Cell *cells;
    Node *nodes;
    cudaMalloc(&a, 9 * n * sizeof(float));
    cudaMalloc(&b, 9 * n * sizeof(float));
    cudaMalloc(&s, n * sizeof(float));
    cudaMalloc(&cells, n * sizeof(Cell));
    cudaMalloc(&nodes, n * sizeof(Node));
    cudaMemset(a, 0, 9 * n * sizeof(float));
    cudaMemset(cells, 0, n * sizeof(Cell));
    stream_soa<<<dim3(nx / 128, ny), 128>>>(a, b, nx, ny);
    collide_aos<<<(n + 255) / 256, 256>>>(cells, n, 1.2f);
    moments<<<n / 256, 256>>>(a, nodes, n);
    speed<<<(n + 191) / 192, 192>>>(nodes, s, n);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    return 0;
}
