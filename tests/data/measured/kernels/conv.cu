/*
 * 1-D and separable 2-D convolution with coefficients in constant memory.
 */
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

#define KERNEL_RADIUS 5
#define KERNEL_LENGTH (2 * KERNEL_RADIUS + 1)
#define IMUL(a, b) ((a) * (b))

__constant__ float c_Kernel[KERNEL_LENGTH];

#define SAFE(call)                                                                     \
    do {                                                                               \
        cudaError_t e = (call);                                                        \
        if (e != cudaSuccess) {                                                        \
            fprintf(stderr, "%s(%d): %s\n", __FILE__, __LINE__, cudaGetErrorString(e)); \
            exit(EXIT_FAILURE);                                                        \
        }                                                                              \
    } while (0)

////////////////////////////////////////////////////////////////////////////////
// Straightforward 1-D version
////////////////////////////////////////////////////////////////////////////////
__global__ void conv1dBasic(const float *N, float *P, int width)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float Pvalue = 0;
    int start = i - KERNEL_RADIUS;
    for (int j = 0; j < KERNEL_LENGTH; j++) {
        if (start + j >= 0 && start + j < width) {
            Pvalue += N[start + j] * c_Kernel[j];
        }
    }
    if (i < width)
        P[i] = Pvalue;
}

////////////////////////////////////////////////////////////////////////////////
// Tile with left and right halo cells
////////////////////////////////////////////////////////////////////////////////
#define TILE_SIZE 256

__global__ void conv1dTiled(const float *N, float *P, int width)
{
    __shared__ float N_ds[TILE_SIZE + KERNEL_LENGTH - 1];
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    int halo_left = (blockIdx.x - 1) * blockDim.x + threadIdx.x;
    if (threadIdx.x >= blockDim.x - KERNEL_RADIUS) {
        N_ds[threadIdx.x - (blockDim.x - KERNEL_RADIUS)] = (halo_left < 0) ? 0 : N[halo_left];
    }
    N_ds[KERNEL_RADIUS + threadIdx.x] = i < width ? N[i] : 0.0f;
    int halo_right = (blockIdx.x + 1) * blockDim.x + threadIdx.x;
    if (threadIdx.x < KERNEL_RADIUS) {
        N_ds[KERNEL_RADIUS + blockDim.x + threadIdx.x] = (halo_right >= width) ? 0 : N[halo_right];
    }
    __syncthreads();

    float Pvalue = 0;
    for (int j = 0; j < KERNEL_LENGTH; j++) {
        Pvalue += N_ds[threadIdx.x + j] * c_Kernel[j];
    }
    if (i < width)
        P[i] = Pvalue;
}

////////////////////////////////////////////////////////////////////////////////
// Row convolution filter
////////////////////////////////////////////////////////////////////////////////
#define ROWS_BLOCKDIM_X 16
#define ROWS_BLOCKDIM_Y 4
#define ROWS_RESULT_STEPS 4
#define ROWS_HALO_STEPS 1

__global__ void convolutionRowsKernel(float *d_Dst, const float *d_Src, int imageW, int imageH, int pitch)
{
    __shared__ float s_Data[ROWS_BLOCKDIM_Y][(ROWS_RESULT_STEPS + 2 * ROWS_HALO_STEPS) * ROWS_BLOCKDIM_X];

    const int baseX = (blockIdx.x * ROWS_RESULT_STEPS - ROWS_HALO_STEPS) * ROWS_BLOCKDIM_X + threadIdx.x;
    const int baseY = blockIdx.y * ROWS_BLOCKDIM_Y + threadIdx.y;

    d_Src += baseY * pitch + baseX;
    d_Dst += baseY * pitch + baseX;

    // main data
#pragma unroll
    for (int i = ROWS_HALO_STEPS; i < ROWS_HALO_STEPS + ROWS_RESULT_STEPS; i++) {
        s_Data[threadIdx.y][threadIdx.x + i * ROWS_BLOCKDIM_X] = d_Src[i * ROWS_BLOCKDIM_X];
    }

    // left halo
#pragma unroll
    for (int i = 0; i < ROWS_HALO_STEPS; i++) {
        s_Data[threadIdx.y][threadIdx.x + i * ROWS_BLOCKDIM_X] = (baseX >= -i * ROWS_BLOCKDIM_X) ? d_Src[i * ROWS_BLOCKDIM_X] : 0;
    }

    // right halo
#pragma unroll
    for (int i = ROWS_HALO_STEPS + ROWS_RESULT_STEPS; i < ROWS_HALO_STEPS + ROWS_RESULT_STEPS + ROWS_HALO_STEPS; i++) {
        s_Data[threadIdx.y][threadIdx.x + i * ROWS_BLOCKDIM_X] = (imageW - baseX > i * ROWS_BLOCKDIM_X) ? d_Src[i * ROWS_BLOCKDIM_X] : 0;
    }

    __syncthreads();
#pragma unroll
    for (int i = ROWS_HALO_STEPS; i < ROWS_HALO_STEPS + ROWS_RESULT_STEPS; i++) {
        float sum = 0;
#pragma unroll
        for (int j = -KERNEL_RADIUS; j <= KERNEL_RADIUS; j++) {
            sum += c_Kernel[KERNEL_RADIUS - j] * s_Data[threadIdx.y][threadIdx.x + i * ROWS_BLOCKDIM_X + j];
        }
        d_Dst[i * ROWS_BLOCKDIM_X] = sum;
    }
}

////////////////////////////////////////////////////////////////////////////////
// Column filter without tiles
////////////////////////////////////////////////////////////////////////////////
__global__ void convolutionColumnsPlain(float *d_Dst, const float *d_Src, int imageW, int imageH, int pitch)
{
    const int x = IMUL(blockIdx.x, blockDim.x) + threadIdx.x;
    const int y = IMUL(blockIdx.y, blockDim.y) + threadIdx.y;
    if (x >= imageW || y >= imageH) return;

    float sum = 0;
#pragma unroll
    for (int j = -KERNEL_RADIUS; j <= KERNEL_RADIUS; j++) {
        int yy = y + j;
        if (yy >= 0 && yy < imageH)
            sum += c_Kernel[KERNEL_RADIUS - j] * d_Src[yy * pitch + x];
    }
    d_Dst[y * pitch + x] = sum;
}

int main(int argc, char **argv)
{
    float h_Kernel[KERNEL_LENGTH];
    for (int i = 0; i < KERNEL_LENGTH; i++) h_Kernel[i] = (float)(i % 4 + 1);
    SAFE(cudaMemcpyToSymbol(c_Kernel, h_Kernel, KERNEL_LENGTH * sizeof(float)));

    const int imageW = 768, imageH = 320;
    const int count = imageW * imageH;
    float *h_in = (float *)malloc(count * sizeof(float));
    float *h_out = (float *)malloc(count * sizeof(float));
    for (int i = 0; i < count; i++) h_in[i] = (float)(i * 7 % 32);
    float *d_in, *d_out, *d_tmp;
    SAFE(cudaMalloc((void **)&d_in, count * sizeof(float)));
    SAFE(cudaMalloc((void **)&d_out, count * sizeof(float)));
    SAFE(cudaMalloc((void **)&d_tmp, count * sizeof(float)));
    SAFE(cudaMemcpy(d_in, h_in, count * sizeof(float), cudaMemcpyHostToDevice));
    int errors = 0;

    const int width = 200003;
    for (int which = 0; which < 2; which++) {
        if (which == 0)
            conv1dBasic<<<(width + 255) / 256, 256>>>(d_in, d_out, width);
        else
            conv1dTiled<<<(width + TILE_SIZE - 1) / TILE_SIZE, TILE_SIZE>>>(d_in, d_out, width);
        SAFE(cudaGetLastError());
        SAFE(cudaMemcpy(h_out, d_out, width * sizeof(float), cudaMemcpyDeviceToHost));
        int wrong = 0;
        for (int i = 0; i < width; i++) {
            float s = 0;
            for (int j = 0; j < KERNEL_LENGTH; j++) {
                int k = i - KERNEL_RADIUS + j;
                if (k >= 0 && k < width) s += h_in[k] * h_Kernel[j];
            }
            wrong += fabsf(s - h_out[i]) > 1e-3f;
        }
        printf("conv1d %d: %s\n", which, wrong ? "FAILED" : "PASSED");
        errors += wrong;
    }

    dim3 blocks(imageW / (ROWS_RESULT_STEPS * ROWS_BLOCKDIM_X), imageH / ROWS_BLOCKDIM_Y);
    dim3 threads(ROWS_BLOCKDIM_X, ROWS_BLOCKDIM_Y);
    convolutionRowsKernel<<<blocks, threads>>>(d_tmp, d_in, imageW, imageH, imageW);
    SAFE(cudaGetLastError());
    dim3 cthreads(48, 5);
    dim3 cblocks((imageW + cthreads.x - 1) / cthreads.x, (imageH + cthreads.y - 1) / cthreads.y);
    convolutionColumnsPlain<<<cblocks, cthreads>>>(d_out, d_tmp, imageW, imageH, imageW);
    SAFE(cudaGetLastError());
    SAFE(cudaMemcpy(h_out, d_out, count * sizeof(float), cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int y = 0; y < imageH; y += 7)
        for (int x = 0; x < imageW; x += 3) {
            double s = 0;
            for (int j = -KERNEL_RADIUS; j <= KERNEL_RADIUS; j++)
                for (int i = -KERNEL_RADIUS; i <= KERNEL_RADIUS; i++)
                    if (x + i >= 0 && x + i < imageW && y + j >= 0 && y + j < imageH)
                        s += (double)h_Kernel[KERNEL_RADIUS - j] * h_Kernel[KERNEL_RADIUS - i] * h_in[(y + j) * imageW + x + i];
            wrong += fabs(s - h_out[y * imageW + x]) > 1e-2;
        }
    printf("separable: %s\n", wrong ? "FAILED" : "PASSED");
    errors += wrong;
    printf("%s\n", errors ? "FAIL" : "OK");
    return errors ? 1 : 0;
}
