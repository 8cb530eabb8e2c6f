// origin: our own
// right: swapped: row = t % 32, col = t / 32: A[row*K+i] 32 sectors, C[row*N+col] 32 sectors
__global__ void slow(int M, int N, int K, const float *A, const float *B, float *C)
{
    const int row = blockIdx.x * 32 + threadIdx.x % 32, col = blockIdx.y * 32 + threadIdx.x / 32;
    float t = 0;
    for (int i = 0; i < K; ++i) t += A[row * K + i] * B[i * N + col];  // expect: KL201 32 sectors per request instead of 4
    C[row * N + col] = t;
}
void go(const float *a, const float *b, float *c) { slow<<<dim3(32, 32), 1024>>>(1024, 1024, 1024, a, b, c); }
