// origin: our own  // expect: none
// right: a guard at the top alone: a note
__global__ void k(float *x, int n)
{
    __shared__ float s[128];
    int i = blockIdx.x * 128 + threadIdx.x;
    if (i >= n) return;
    s[threadIdx.x] = x[i];
    __syncthreads();
    for (int k = 64; k > 0; k /= 2) { if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k]; __syncthreads(); }
    if (threadIdx.x) return;
    x[blockIdx.x] = s[0];
}
void go(float *x) { k<<<8, 128>>>(x, 1000); }
