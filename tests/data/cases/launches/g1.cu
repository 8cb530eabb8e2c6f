__global__ void k(float *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i * 2] = 2.f;
}
int count;                                  // not static: other files may set it
void run(float *p) { k<<<4, 256>>>(p, count); }
// Origin: issue cases.
