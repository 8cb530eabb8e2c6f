// origin: issue cases
template <const int BM, const int BK>
__global__ void k(float *A, float *C) {
    __shared__ float As[BM * BK];
    const unsigned innerRowA = threadIdx.x / (BK / 4);
    const unsigned innerColA = threadIdx.x % (BK / 4);
    As[(innerColA * -1 + 3) * BM + innerRowA] = A[threadIdx.x];
    __syncthreads();
    C[threadIdx.x] = As[threadIdx.x];
}
