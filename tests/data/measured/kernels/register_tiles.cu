// Register-tiled products whose loops over the depth are unrolled differently: what the column of the first tile takes.
#include <cstdio>

__global__ void tile_float_2x2_16(const float *A, const float *B, float *C, int n)
{
    __shared__ float As[16 * 2][16];
    __shared__ float Bs[16][16 * 2];
    int tx = threadIdx.x, ty = threadIdx.y, tid = ty * 16 + tx;
    float acc[2][2] = {};
    for (int k0 = 0; k0 < n; k0 += 16) {
        for (int i = tid; i < 16 * 2 * 16; i += 256)
            As[i / 16][i % 16] = A[(blockIdx.y * 16 * 2 + i / 16) * n + k0 + i % 16];
        for (int i = tid; i < 16 * 16 * 2; i += 256)
            Bs[i / (16 * 2)][i % (16 * 2)] = B[(k0 + i / (16 * 2)) * n + blockIdx.x * 16 * 2 + i % (16 * 2)];
        __syncthreads();
        for (int k = 0; k < 16; ++k) {
            float a[2], b[2];
            for (int i = 0; i < 2; ++i)
                a[i] = As[ty * 2 + i][k];
            for (int j = 0; j < 2; ++j)
                b[j] = Bs[k][tx * 2 + j];
            for (int i = 0; i < 2; ++i)
                for (int j = 0; j < 2; ++j)
                    acc[i][j] += a[i] * b[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j)
            C[(blockIdx.y * 16 * 2 + ty * 2 + i) * n + blockIdx.x * 16 * 2 + tx * 2 + j] = acc[i][j];
}

__global__ void tile_float_4x4_8(const float *A, const float *B, float *C, int n)
{
    __shared__ float As[16 * 4][8];
    __shared__ float Bs[8][16 * 4];
    int tx = threadIdx.x, ty = threadIdx.y, tid = ty * 16 + tx;
    float acc[4][4] = {};
    for (int k0 = 0; k0 < n; k0 += 8) {
        for (int i = tid; i < 16 * 4 * 8; i += 256)
            As[i / 8][i % 8] = A[(blockIdx.y * 16 * 4 + i / 8) * n + k0 + i % 8];
        for (int i = tid; i < 8 * 16 * 4; i += 256)
            Bs[i / (16 * 4)][i % (16 * 4)] = B[(k0 + i / (16 * 4)) * n + blockIdx.x * 16 * 4 + i % (16 * 4)];
        __syncthreads();
        for (int k = 0; k < 8; ++k) {
            float a[4], b[4];
            for (int i = 0; i < 4; ++i)
                a[i] = As[ty * 4 + i][k];
            for (int j = 0; j < 4; ++j)
                b[j] = Bs[k][tx * 4 + j];
            for (int i = 0; i < 4; ++i)
                for (int j = 0; j < 4; ++j)
                    acc[i][j] += a[i] * b[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j)
            C[(blockIdx.y * 16 * 4 + ty * 4 + i) * n + blockIdx.x * 16 * 4 + tx * 4 + j] = acc[i][j];
}

__global__ void tile_float_4x4_16(const float *A, const float *B, float *C, int n)
{
    __shared__ float As[16 * 4][16];
    __shared__ float Bs[16][16 * 4];
    int tx = threadIdx.x, ty = threadIdx.y, tid = ty * 16 + tx;
    float acc[4][4] = {};
    for (int k0 = 0; k0 < n; k0 += 16) {
        for (int i = tid; i < 16 * 4 * 16; i += 256)
            As[i / 16][i % 16] = A[(blockIdx.y * 16 * 4 + i / 16) * n + k0 + i % 16];
        for (int i = tid; i < 16 * 16 * 4; i += 256)
            Bs[i / (16 * 4)][i % (16 * 4)] = B[(k0 + i / (16 * 4)) * n + blockIdx.x * 16 * 4 + i % (16 * 4)];
        __syncthreads();
        for (int k = 0; k < 16; ++k) {
            float a[4], b[4];
            for (int i = 0; i < 4; ++i)
                a[i] = As[ty * 4 + i][k];
            for (int j = 0; j < 4; ++j)
                b[j] = Bs[k][tx * 4 + j];
            for (int i = 0; i < 4; ++i)
                for (int j = 0; j < 4; ++j)
                    acc[i][j] += a[i] * b[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j)
            C[(blockIdx.y * 16 * 4 + ty * 4 + i) * n + blockIdx.x * 16 * 4 + tx * 4 + j] = acc[i][j];
}

__global__ void tile_float_4x4_16_whole(const float *A, const float *B, float *C, int n)
{
    __shared__ float As[16 * 4][16];
    __shared__ float Bs[16][16 * 4];
    int tx = threadIdx.x, ty = threadIdx.y, tid = ty * 16 + tx;
    float acc[4][4] = {};
    for (int k0 = 0; k0 < n; k0 += 16) {
        for (int i = tid; i < 16 * 4 * 16; i += 256)
            As[i / 16][i % 16] = A[(blockIdx.y * 16 * 4 + i / 16) * n + k0 + i % 16];
        for (int i = tid; i < 16 * 16 * 4; i += 256)
            Bs[i / (16 * 4)][i % (16 * 4)] = B[(k0 + i / (16 * 4)) * n + blockIdx.x * 16 * 4 + i % (16 * 4)];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; ++k) {
            float a[4], b[4];
            for (int i = 0; i < 4; ++i)
                a[i] = As[ty * 4 + i][k];
            for (int j = 0; j < 4; ++j)
                b[j] = Bs[k][tx * 4 + j];
            for (int i = 0; i < 4; ++i)
                for (int j = 0; j < 4; ++j)
                    acc[i][j] += a[i] * b[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j)
            C[(blockIdx.y * 16 * 4 + ty * 4 + i) * n + blockIdx.x * 16 * 4 + tx * 4 + j] = acc[i][j];
}

__global__ void tile_float_4x4_16_by4(const float *A, const float *B, float *C, int n)
{
    __shared__ float As[16 * 4][16];
    __shared__ float Bs[16][16 * 4];
    int tx = threadIdx.x, ty = threadIdx.y, tid = ty * 16 + tx;
    float acc[4][4] = {};
    for (int k0 = 0; k0 < n; k0 += 16) {
        for (int i = tid; i < 16 * 4 * 16; i += 256)
            As[i / 16][i % 16] = A[(blockIdx.y * 16 * 4 + i / 16) * n + k0 + i % 16];
        for (int i = tid; i < 16 * 16 * 4; i += 256)
            Bs[i / (16 * 4)][i % (16 * 4)] = B[(k0 + i / (16 * 4)) * n + blockIdx.x * 16 * 4 + i % (16 * 4)];
        __syncthreads();
#pragma unroll 4
        for (int k = 0; k < 16; ++k) {
            float a[4], b[4];
            for (int i = 0; i < 4; ++i)
                a[i] = As[ty * 4 + i][k];
            for (int j = 0; j < 4; ++j)
                b[j] = Bs[k][tx * 4 + j];
            for (int i = 0; i < 4; ++i)
                for (int j = 0; j < 4; ++j)
                    acc[i][j] += a[i] * b[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j)
            C[(blockIdx.y * 16 * 4 + ty * 4 + i) * n + blockIdx.x * 16 * 4 + tx * 4 + j] = acc[i][j];
}

__global__ void tile_float_4x4_16_by2(const float *A, const float *B, float *C, int n)
{
    __shared__ float As[16 * 4][16];
    __shared__ float Bs[16][16 * 4];
    int tx = threadIdx.x, ty = threadIdx.y, tid = ty * 16 + tx;
    float acc[4][4] = {};
    for (int k0 = 0; k0 < n; k0 += 16) {
        for (int i = tid; i < 16 * 4 * 16; i += 256)
            As[i / 16][i % 16] = A[(blockIdx.y * 16 * 4 + i / 16) * n + k0 + i % 16];
        for (int i = tid; i < 16 * 16 * 4; i += 256)
            Bs[i / (16 * 4)][i % (16 * 4)] = B[(k0 + i / (16 * 4)) * n + blockIdx.x * 16 * 4 + i % (16 * 4)];
        __syncthreads();
#pragma unroll 2
        for (int k = 0; k < 16; ++k) {
            float a[4], b[4];
            for (int i = 0; i < 4; ++i)
                a[i] = As[ty * 4 + i][k];
            for (int j = 0; j < 4; ++j)
                b[j] = Bs[k][tx * 4 + j];
            for (int i = 0; i < 4; ++i)
                for (int j = 0; j < 4; ++j)
                    acc[i][j] += a[i] * b[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j)
            C[(blockIdx.y * 16 * 4 + ty * 4 + i) * n + blockIdx.x * 16 * 4 + tx * 4 + j] = acc[i][j];
}

__global__ void tile_float_8x8_8(const float *A, const float *B, float *C, int n)
{
    __shared__ float As[16 * 8][8];
    __shared__ float Bs[8][16 * 8];
    int tx = threadIdx.x, ty = threadIdx.y, tid = ty * 16 + tx;
    float acc[8][8] = {};
    for (int k0 = 0; k0 < n; k0 += 8) {
        for (int i = tid; i < 16 * 8 * 8; i += 256)
            As[i / 8][i % 8] = A[(blockIdx.y * 16 * 8 + i / 8) * n + k0 + i % 8];
        for (int i = tid; i < 8 * 16 * 8; i += 256)
            Bs[i / (16 * 8)][i % (16 * 8)] = B[(k0 + i / (16 * 8)) * n + blockIdx.x * 16 * 8 + i % (16 * 8)];
        __syncthreads();
        for (int k = 0; k < 8; ++k) {
            float a[8], b[8];
            for (int i = 0; i < 8; ++i)
                a[i] = As[ty * 8 + i][k];
            for (int j = 0; j < 8; ++j)
                b[j] = Bs[k][tx * 8 + j];
            for (int i = 0; i < 8; ++i)
                for (int j = 0; j < 8; ++j)
                    acc[i][j] += a[i] * b[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < 8; ++i)
        for (int j = 0; j < 8; ++j)
            C[(blockIdx.y * 16 * 8 + ty * 8 + i) * n + blockIdx.x * 16 * 8 + tx * 8 + j] = acc[i][j];
}

__global__ void tile_float_8x8_8_whole(const float *A, const float *B, float *C, int n)
{
    __shared__ float As[16 * 8][8];
    __shared__ float Bs[8][16 * 8];
    int tx = threadIdx.x, ty = threadIdx.y, tid = ty * 16 + tx;
    float acc[8][8] = {};
    for (int k0 = 0; k0 < n; k0 += 8) {
        for (int i = tid; i < 16 * 8 * 8; i += 256)
            As[i / 8][i % 8] = A[(blockIdx.y * 16 * 8 + i / 8) * n + k0 + i % 8];
        for (int i = tid; i < 8 * 16 * 8; i += 256)
            Bs[i / (16 * 8)][i % (16 * 8)] = B[(k0 + i / (16 * 8)) * n + blockIdx.x * 16 * 8 + i % (16 * 8)];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 8; ++k) {
            float a[8], b[8];
            for (int i = 0; i < 8; ++i)
                a[i] = As[ty * 8 + i][k];
            for (int j = 0; j < 8; ++j)
                b[j] = Bs[k][tx * 8 + j];
            for (int i = 0; i < 8; ++i)
                for (int j = 0; j < 8; ++j)
                    acc[i][j] += a[i] * b[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < 8; ++i)
        for (int j = 0; j < 8; ++j)
            C[(blockIdx.y * 16 * 8 + ty * 8 + i) * n + blockIdx.x * 16 * 8 + tx * 8 + j] = acc[i][j];
}

__global__ void tile_float_8x8_16(const float *A, const float *B, float *C, int n)
{
    __shared__ float As[16 * 8][16];
    __shared__ float Bs[16][16 * 8];
    int tx = threadIdx.x, ty = threadIdx.y, tid = ty * 16 + tx;
    float acc[8][8] = {};
    for (int k0 = 0; k0 < n; k0 += 16) {
        for (int i = tid; i < 16 * 8 * 16; i += 256)
            As[i / 16][i % 16] = A[(blockIdx.y * 16 * 8 + i / 16) * n + k0 + i % 16];
        for (int i = tid; i < 16 * 16 * 8; i += 256)
            Bs[i / (16 * 8)][i % (16 * 8)] = B[(k0 + i / (16 * 8)) * n + blockIdx.x * 16 * 8 + i % (16 * 8)];
        __syncthreads();
        for (int k = 0; k < 16; ++k) {
            float a[8], b[8];
            for (int i = 0; i < 8; ++i)
                a[i] = As[ty * 8 + i][k];
            for (int j = 0; j < 8; ++j)
                b[j] = Bs[k][tx * 8 + j];
            for (int i = 0; i < 8; ++i)
                for (int j = 0; j < 8; ++j)
                    acc[i][j] += a[i] * b[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < 8; ++i)
        for (int j = 0; j < 8; ++j)
            C[(blockIdx.y * 16 * 8 + ty * 8 + i) * n + blockIdx.x * 16 * 8 + tx * 8 + j] = acc[i][j];
}

__global__ void tile_int_2x4_32(const int *A, const int *B, int *C, int n)
{
    __shared__ int As[16 * 2][32];
    __shared__ int Bs[32][16 * 4];
    int tx = threadIdx.x, ty = threadIdx.y, tid = ty * 16 + tx;
    int acc[2][4] = {};
    for (int k0 = 0; k0 < n; k0 += 32) {
        for (int i = tid; i < 16 * 2 * 32; i += 256)
            As[i / 32][i % 32] = A[(blockIdx.y * 16 * 2 + i / 32) * n + k0 + i % 32];
        for (int i = tid; i < 32 * 16 * 4; i += 256)
            Bs[i / (16 * 4)][i % (16 * 4)] = B[(k0 + i / (16 * 4)) * n + blockIdx.x * 16 * 4 + i % (16 * 4)];
        __syncthreads();
        for (int k = 0; k < 32; ++k) {
            int a[2], b[4];
            for (int i = 0; i < 2; ++i)
                a[i] = As[ty * 2 + i][k];
            for (int j = 0; j < 4; ++j)
                b[j] = Bs[k][tx * 4 + j];
            for (int i = 0; i < 2; ++i)
                for (int j = 0; j < 4; ++j)
                    acc[i][j] += a[i] * b[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 4; ++j)
            C[(blockIdx.y * 16 * 2 + ty * 2 + i) * n + blockIdx.x * 16 * 4 + tx * 4 + j] = acc[i][j];
}

__global__ void tile_float_1x4_32(const float *A, const float *B, float *C, int n)
{
    __shared__ float As[16 * 1][32];
    __shared__ float Bs[32][16 * 4];
    int tx = threadIdx.x, ty = threadIdx.y, tid = ty * 16 + tx;
    float acc[1][4] = {};
    for (int k0 = 0; k0 < n; k0 += 32) {
        for (int i = tid; i < 16 * 1 * 32; i += 256)
            As[i / 32][i % 32] = A[(blockIdx.y * 16 * 1 + i / 32) * n + k0 + i % 32];
        for (int i = tid; i < 32 * 16 * 4; i += 256)
            Bs[i / (16 * 4)][i % (16 * 4)] = B[(k0 + i / (16 * 4)) * n + blockIdx.x * 16 * 4 + i % (16 * 4)];
        __syncthreads();
        for (int k = 0; k < 32; ++k) {
            float a[1], b[4];
            for (int i = 0; i < 1; ++i)
                a[i] = As[ty * 1 + i][k];
            for (int j = 0; j < 4; ++j)
                b[j] = Bs[k][tx * 4 + j];
            for (int i = 0; i < 1; ++i)
                for (int j = 0; j < 4; ++j)
                    acc[i][j] += a[i] * b[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < 1; ++i)
        for (int j = 0; j < 4; ++j)
            C[(blockIdx.y * 16 * 1 + ty * 1 + i) * n + blockIdx.x * 16 * 4 + tx * 4 + j] = acc[i][j];
}

__global__ void tile_float_4x2_16(const float *A, const float *B, float *C, int n)
{
    __shared__ float As[16 * 4][16];
    __shared__ float Bs[16][16 * 2];
    int tx = threadIdx.x, ty = threadIdx.y, tid = ty * 16 + tx;
    float acc[4][2] = {};
    for (int k0 = 0; k0 < n; k0 += 16) {
        for (int i = tid; i < 16 * 4 * 16; i += 256)
            As[i / 16][i % 16] = A[(blockIdx.y * 16 * 4 + i / 16) * n + k0 + i % 16];
        for (int i = tid; i < 16 * 16 * 2; i += 256)
            Bs[i / (16 * 2)][i % (16 * 2)] = B[(k0 + i / (16 * 2)) * n + blockIdx.x * 16 * 2 + i % (16 * 2)];
        __syncthreads();
        for (int k = 0; k < 16; ++k) {
            float a[4], b[2];
            for (int i = 0; i < 4; ++i)
                a[i] = As[ty * 4 + i][k];
            for (int j = 0; j < 2; ++j)
                b[j] = Bs[k][tx * 2 + j];
            for (int i = 0; i < 4; ++i)
                for (int j = 0; j < 2; ++j)
                    acc[i][j] += a[i] * b[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 2; ++j)
            C[(blockIdx.y * 16 * 4 + ty * 4 + i) * n + blockIdx.x * 16 * 2 + tx * 2 + j] = acc[i][j];
}

__global__ void tile_int_3x2_24(const int *A, const int *B, int *C, int n)
{
    __shared__ int As[16 * 3][24];
    __shared__ int Bs[24][16 * 2];
    int tx = threadIdx.x, ty = threadIdx.y, tid = ty * 16 + tx;
    int acc[3][2] = {};
    for (int k0 = 0; k0 < n; k0 += 24) {
        for (int i = tid; i < 16 * 3 * 24; i += 256)
            As[i / 24][i % 24] = A[(blockIdx.y * 16 * 3 + i / 24) * n + k0 + i % 24];
        for (int i = tid; i < 24 * 16 * 2; i += 256)
            Bs[i / (16 * 2)][i % (16 * 2)] = B[(k0 + i / (16 * 2)) * n + blockIdx.x * 16 * 2 + i % (16 * 2)];
        __syncthreads();
        for (int k = 0; k < 24; ++k) {
            int a[3], b[2];
            for (int i = 0; i < 3; ++i)
                a[i] = As[ty * 3 + i][k];
            for (int j = 0; j < 2; ++j)
                b[j] = Bs[k][tx * 2 + j];
            for (int i = 0; i < 3; ++i)
                for (int j = 0; j < 2; ++j)
                    acc[i][j] += a[i] * b[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 2; ++j)
            C[(blockIdx.y * 16 * 3 + ty * 3 + i) * n + blockIdx.x * 16 * 2 + tx * 2 + j] = acc[i][j];
}

int main()
{
    const int n = 384;
    void *a, *b, *c;
    cudaMalloc(&a, n * n * 4), cudaMalloc(&b, n * n * 4), cudaMalloc(&c, n * n * 4);
    cudaMemset(a, 0, n * n * 4), cudaMemset(b, 0, n * n * 4);
    dim3 block(16, 16);
    tile_float_2x2_16<<<dim3(n / (16 * 2), n / (16 * 2)), block>>>((const float *)a, (const float *)b, (float *)c, n);
    tile_float_4x4_8<<<dim3(n / (16 * 4), n / (16 * 4)), block>>>((const float *)a, (const float *)b, (float *)c, n);
    tile_float_4x4_16<<<dim3(n / (16 * 4), n / (16 * 4)), block>>>((const float *)a, (const float *)b, (float *)c, n);
    tile_float_4x4_16_whole<<<dim3(n / (16 * 4), n / (16 * 4)), block>>>((const float *)a, (const float *)b, (float *)c, n);
    tile_float_4x4_16_by4<<<dim3(n / (16 * 4), n / (16 * 4)), block>>>((const float *)a, (const float *)b, (float *)c, n);
    tile_float_4x4_16_by2<<<dim3(n / (16 * 4), n / (16 * 4)), block>>>((const float *)a, (const float *)b, (float *)c, n);
    tile_float_8x8_8<<<dim3(n / (16 * 8), n / (16 * 8)), block>>>((const float *)a, (const float *)b, (float *)c, n);
    tile_float_8x8_8_whole<<<dim3(n / (16 * 8), n / (16 * 8)), block>>>((const float *)a, (const float *)b, (float *)c, n);
    tile_float_8x8_16<<<dim3(n / (16 * 8), n / (16 * 8)), block>>>((const float *)a, (const float *)b, (float *)c, n);
    tile_int_2x4_32<<<dim3(n / (16 * 4), n / (16 * 2)), block>>>((const int *)a, (const int *)b, (int *)c, n);
    tile_float_1x4_32<<<dim3(n / (16 * 4), n / (16 * 1)), block>>>((const float *)a, (const float *)b, (float *)c, n);
    tile_float_4x2_16<<<dim3(n / (16 * 2), n / (16 * 4)), block>>>((const float *)a, (const float *)b, (float *)c, n);
    tile_int_3x2_24<<<dim3(n / (16 * 2), n / (16 * 3)), block>>>((const int *)a, (const int *)b, (int *)c, n);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
