#include <cstdlib>
#include <cstdio>
__global__ void k(float *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = 1; }
void check(const float *d, const float *h, int n) {
    float *t = (float *)malloc(n * sizeof(float)); int bad = 0;
    cudaMemcpy(t, d, n * sizeof(float), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++) { if (t[i] != h[i]) { printf("%d\n", i); bad++; if (bad >= 10) { free(t); exit(1); } } }
    free(t);
}
int main() {
    int n = 1 << 20; float *p, *h = (float *)malloc(n * sizeof(float)); cudaMalloc(&p, n * sizeof(float));
    int block_sizes[] = {32, 64, 128, 256, 512, 1024};
    for (int j = 0; j < sizeof(block_sizes) / sizeof(int); j++) {
        int block_size = block_sizes[j];
        k<<<(n + block_size - 1) / block_size, block_size>>>(p, n);
        check(p, h, n);
    }
}
// Origin: issue cases.
