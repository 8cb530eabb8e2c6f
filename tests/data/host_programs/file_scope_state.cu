#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void init(float *x, int n) { x[threadIdx.x] = n; }
__global__ void move(float *x, int n, float dt) { x[threadIdx.x] += n * dt; }
static int particles = 0;
static float *positions;
dim3 block(128);
dim3 grid;
static void setup(int n)
{
    particles = n;
    cudaMalloc((void **)&positions, n * 4 * sizeof(float));
    grid.x = (n + block.x - 1) / block.x;
    init<<<grid, block>>>(positions, particles);
}
static void simulate(int steps) { for (int i = 0; i < steps; i++) move<<<grid, block>>>(positions, particles, 0.1f); }
int main() { setup(10000); simulate(5); particles /= 2; grid = dim3(particles / 128, 1); simulate(1); }
