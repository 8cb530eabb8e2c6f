// origin: our own
// right: told: drop by data between barriers (may)
__global__ void gather(const int *in, int *out, int n)
{
    __shared__ int s[256];
    const int t = threadIdx.x;
    s[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    int v = s[255 - t];
    if (v < 0) return;
    __syncthreads();  // expect: KL402 may have returned between this barrier and an earlier one
    s[t] = v;
    __syncthreads();
    out[t] = s[255 - t];
}
void go(const int *a, int *b) { gather<<<10, 256>>>(a, b, 200); }
