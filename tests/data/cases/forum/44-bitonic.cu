// origin: our own  // expect: none
// question: bitonic sort in shared memory; 2-way in 40 of 55 steps, 1.73 wavefronts on average: below the threshold
__global__ void sort(unsigned *d)
{
    __shared__ unsigned s[1024];
    unsigned t = threadIdx.x;
    s[t] = d[blockIdx.x * 1024 + t]; s[t + 512] = d[blockIdx.x * 1024 + t + 512];
    for (unsigned k = 2; k <= 1024; k *= 2)
        for (unsigned j = k / 2; j > 0; j /= 2) {
            __syncthreads();
            unsigned a = 2 * t - (t & (j - 1)), b = a + j;
            bool up = (a & k) == 0;
            unsigned x = s[a], y = s[b];
            if ((x > y) == up) { s[a] = y; s[b] = x; }
        }
    __syncthreads();
    d[blockIdx.x * 1024 + t] = s[t]; d[blockIdx.x * 1024 + t + 512] = s[t + 512];
}
void go(unsigned *d) { sort<<<64, 512>>>(d); }
