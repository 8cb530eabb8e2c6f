// origin: our own
// right: KL401 may: continue by data before a barrier
__global__ void relax(float *x, const int *flag, int n)
{
    __shared__ float s[256];
    int t = threadIdx.x;
    for (int k = 0; k < n; k++) {
        if (flag[k * 256 + t]) continue;
        s[t] = x[t] + k;
        __syncthreads();  // expect: KL401 may not be reached
        x[t] = s[255 - t];
    }
}
void go(float *x, const int *f) { relax<<<1, 256>>>(x, f, 100); }
