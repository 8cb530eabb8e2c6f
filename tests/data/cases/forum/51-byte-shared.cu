// origin: our own
// question: unsigned char tile[64][64], lanes walk rows (column read): 64-byte rows: 16 words: 16 lanes of same parity... 16-way
__global__ void k(const unsigned char *in, unsigned char *o)
{
    __shared__ unsigned char t[64][64];
    for (int r = threadIdx.y; r < 64; r += 16) t[r][threadIdx.x] = in[r * 64 + threadIdx.x];
    __syncthreads();
    for (int r = threadIdx.y; r < 64; r += 16) o[r * 64 + threadIdx.x] = t[threadIdx.x][r];  // expect: KL101 16 wavefronts per request instead of 1
}
void go(const unsigned char *i, unsigned char *o) { k<<<1, dim3(64, 16)>>>(i, o); }
