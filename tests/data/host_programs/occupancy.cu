// Sizes from the occupancy API beside sizes of the program's own.
#include <cstdio>
#include <cuda_runtime.h>
__global__ void work(float *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = i; }
__global__ void grid_stride(float *x, int n) { for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) x[i] = i; }
__global__ void fixed(float *x, int n) { x[threadIdx.x] = n; }
int main()
{
    int n = 1 << 20, smallest = 0, block = 0;
    float *x;
    cudaMalloc(&x, n * sizeof(float));
    cudaOccupancyMaxPotentialBlockSize(&smallest, &block, work, 0, 0);
    int grid = (n + block - 1) / block;
    work<<<grid, block>>>(x, n);
    int device, sms, per_sm;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, grid_stride, 192, 0);
    grid_stride<<<sms * per_sm, 192>>>(x, n);
    fixed<<<8, 96>>>(x, n / 4);
    cudaDeviceProp prop;
    cudaGetDeviceProperties(&prop, 0);
    printf("%s\n", prop.name);
    fixed<<<16, 320>>>(x, grid > 0 ? n : 0);
    return 0;
}
