// origin: our own
// question: bank conflicts with short arrays / char: consecutive shorts share a word: no conflict; stride 2 shorts none; column of short[32][32]: 16 lanes per bank -> 16-way
__global__ void k(short *o, const short *in)
{
    __shared__ short t[32][32];
    t[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
    __syncthreads();
    o[threadIdx.y * 32 + threadIdx.x] = t[threadIdx.x][threadIdx.y];  // expect: KL101 16 wavefronts per request instead of 1
}
void go(short *o, const short *i) { k<<<1, dim3(32, 32)>>>(o, i); }
