// origin: our own
// question: GPU gems 3 ch. 39 scan without conflict avoidance. A: bank conflicts up to 16/32-way with offset
__global__ void prescan(float *o, const float *in)
{
    __shared__ float t[1024];
    int x = threadIdx.x, off = 1;
    t[2 * x] = in[2 * x];  // expect: KL206 8 sectors per request instead of 4; KL101 2 wavefronts per request instead of 1
    t[2 * x + 1] = in[2 * x + 1];
    for (int d = 512; d > 0; d >>= 1) {
        __syncthreads();
        if (x < d) { int a = off * (2 * x + 1) - 1, b = off * (2 * x + 2) - 1; t[b] += t[a]; }
        off *= 2;
    }
    if (x == 0) t[1023] = 0;
    for (int d = 1; d < 1024; d *= 2) {
        off >>= 1;
        __syncthreads();
        if (x < d) { int a = off * (2 * x + 1) - 1, b = off * (2 * x + 2) - 1; float v = t[a]; t[a] = t[b]; t[b] += v; }  // expect: KL101 5.31 (1 to 32) wavefronts per request instead of 1
    }
    __syncthreads();
    o[2 * x] = t[2 * x];  // expect: KL206 8 sectors per request instead of 4
    o[2 * x + 1] = t[2 * x + 1];
}
void go(float *o, const float *i) { prescan<<<1, 512>>>(o, i); }
