// origin: issue cases  // expect: none
// launch: block 1024 (1-D), grid 32x32, M = N = K = 1024 (host code below).
// right: A[row * K + i]: 1 sector (one address per warp); B[i * N + col] 4 sectors; C 4 sectors: as good as the 2-D block form. No KL201.
template <const int BS>
__global__ void mmc(int M, int N, int K, float al, const float *A, const float *B, float be, float *C)
{
    const int row = blockIdx.x * BS + (threadIdx.x / BS);
    const int col = blockIdx.y * BS + (threadIdx.x % BS);
    if (row < M && col < N) {
        float t = 0.0f;
        for (int i = 0; i < K; ++i) t += A[row * K + i] * B[i * N + col];
        C[row * N + col] = al * t + be * C[row * N + col];
    }
}
void go(const float *a, const float *b, float *c) { mmc<32><<<dim3(32, 32), dim3(32 * 32)>>>(1024, 1024, 1024, 1.f, a, b, 0.f, c); }
