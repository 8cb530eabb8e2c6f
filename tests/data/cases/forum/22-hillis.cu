// origin: our own  // expect: none
// question: scan slow? Hillis-Steele double buffered, no conflicts; nothing at all
__global__ void scan(float *o, const float *in)
{
    __shared__ float t[2][512];
    int x = threadIdx.x, p = 0;
    t[0][x] = x > 0 ? in[x - 1] : 0;
    __syncthreads();
    for (int d = 1; d < 512; d <<= 1) {
        p = 1 - p;
        t[p][x] = x >= d ? t[1 - p][x] + t[1 - p][x - d] : t[1 - p][x];
        __syncthreads();
    }
    o[x] = t[p][x];
}
void go(float *o, const float *i) { scan<<<1, 512>>>(o, i); }
