// origin: our own
// right: KL403 may: lanes leave the loop by data before a ballot with a full mask
__global__ void vote(const int *x, int *o, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < n; k++) {
        int v = x[k * 4096 + i];
        if (v < 0) break;
        o[i] += __popc(__ballot_sync(0xffffffff, v & 1));  // expect: KL403 may not execute it
    }
}
void go(const int *x, int *o) { vote<<<16, 256>>>(x, o, 50); }
