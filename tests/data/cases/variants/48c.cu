// origin: our own
// right: told: warp 1.. leave, then barrier
__global__ void twice(float *d, int n)
{
    __shared__ float s[256];
    const int t = threadIdx.x;
    s[t] = t < n ? d[t] : 0;
    __syncthreads();
    if (t >= 64) return;
    float v = s[t] + s[t + 64] + s[t + 128] + s[t + 192];
    __syncthreads();  // expect: KL402 have returned between this barrier and an earlier one
    s[t] = v;
    __syncthreads();
    d[t] = s[63 - t];
}
void go(float *d) { twice<<<1, 256>>>(d, 200); }
