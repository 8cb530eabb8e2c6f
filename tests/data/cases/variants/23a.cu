// origin: our own
// right: barriers in both branches of a condition on the warp: error
__global__ void pipe(const float *in, float *out, int n)
{
    __shared__ float stage[2][32];
    int w = threadIdx.x / 32, l = threadIdx.x % 32;
    if (w == 0) {
        for (int i = 0; i < n; i++) { stage[i & 1][l] = in[i * 32 + l]; __syncthreads(); }  // expect: KL401 not reached by
    } else {
        for (int i = 0; i < n; i++) { __syncthreads(); out[i * 32 + l] = stage[i & 1][l]; }
    }
}
void go(const float *a, float *b) { pipe<<<1, 64>>>(a, b, 100); }
