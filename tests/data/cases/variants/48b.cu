// origin: our own
// right: threads drop out in the loop: told
__global__ void tree(float *d)
{
    extern __shared__ float s[];
    int t = threadIdx.x;
    s[t] = d[t];
    for (int k = blockDim.x / 2; k > 0; k /= 2) {
        __syncthreads();  // expect: KL402 have returned between this barrier and an earlier one
        if (t >= k) return;
        s[t] += s[t + k];
    }
    d[0] = s[0];
}
void go(float *d) { tree<<<1, 256, 1024>>>(d); }
