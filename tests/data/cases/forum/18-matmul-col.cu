// origin: our own
// question: row from threadIdx.x: B[k*n+col] uniform, A[row*n+k] strided, C strided. A: swap
#define N 1024
__global__ void mm(float *C, const float *A, const float *B)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x, col = blockIdx.y * blockDim.y + threadIdx.y;
    float s = 0;
    for (int k = 0; k < N; k++) s += A[row * N + k] * B[k * N + col];  // expect: KL201 16 sectors per request instead of 2
    C[row * N + col] = s;
}
void go(float *C, const float *A, const float *B) { mm<<<dim3(N / 16, N / 16), dim3(16, 16)>>>(C, A, B); }
