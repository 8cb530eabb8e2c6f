#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <utility>
__global__ void jacobi(const double *a, double *b, int n) { b[threadIdx.x] = a[n]; }
__global__ void residual(const double *a, const double *b, double *r, int n) { r[blockIdx.x] = a[n] - b[n]; }
int main(int argc, char *argv[])
{
    const int n = argc > 5 ? atoi(argv[1]) : 256;
    int side = 512;
    double *a, *b, *r, host = 1.0, tolerance = 1e-5;
    cudaMalloc(&a, side * side * 8);
    cudaMalloc(&b, side * side * 8);
    cudaMalloc(&r, 8);
    for (int iteration = 0; iteration < 100 && host > tolerance; ++iteration) {
        jacobi<<<dim3(side / 32, side / 8), dim3(32, 8)>>>(a, b, side);
        if (iteration % 10 == 0) {
            residual<<<side, 128>>>(a, b, r, side);
            cudaMemcpy(&host, r, 8, cudaMemcpyDeviceToHost);
        }
        std::swap(a, b);
    }
    jacobi<<<n / 64, 64>>>(a, b, n);
}
