__global__ void k(float *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (n > 0) p[i * 2] = 2.f;
}
static int count;            // set from another file or function
void set(int n) { count = n; }
void run(float *p) { k<<<4, 256>>>(p, count); }
// Origin: issue cases.
