#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void probe(const int *x, int *y, int size, int stride) { y[0] = x[size * stride]; }
int main()
{
    static const int sizes[][2] = {{1024, 1}, {2048, 4}, {65536, 32}};
    int *x, *y;
    cudaMalloc(&x, 65536 * 32 * 4);
    cudaMalloc(&y, 4);
    float results[3][2];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 2; j++) {
            int size = sizes[i][0], stride = sizes[i][1];
            probe<<<1 + j, 32 * (i + 1)>>>(x, y, size, stride);
            results[i][j] = (float)size / stride;
        }
    for (int i = 0; i < 3; i++) printf("%f %f\n", results[i][0], results[i][1]);
}
