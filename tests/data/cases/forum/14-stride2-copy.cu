// origin: our own
// question: process every second element; A: stride 2: 8 sectors instead of 4
__global__ void even(const float *in, float *out, int n)
{
    int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) out[i / 2] = in[i];  // expect: KL201 8 sectors per request instead of 4
}
void go(const float *i, float *o) { even<<<4096, 256>>>(i, o, 1 << 21); }
