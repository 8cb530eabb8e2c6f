#include <cstdio>
#include <cstdlib>
__global__ void k(float *p, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i] = 1; }
void cpu(float *out, int n) { for (int i = 0; i < n; ++i) out[i] = 1.f; }
void launch(float *p, int n, int block_size) { k<<<(n + block_size - 1) / block_size, block_size>>>(p, n); }
int main(int argc, char **argv)
{
    int n = 8 * 1024 * 768;
    float *out = (float *)malloc(n * sizeof(float)), *p;
    cudaMalloc(&p, n * sizeof(float));
    int block_sizes[] = {32, 64, 128};
    cpu(out, n);
    for (int j = 0; j < sizeof(block_sizes) / sizeof(int); j++) {
        int block_size = block_sizes[j];
        launch(p, n, block_size);
    }
}
// Origin: issue cases.
