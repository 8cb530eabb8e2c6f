// origin: our own
// question: atomicAdd double of energy by every thread: KL208 32
__global__ void e(const float4 *p, double *E, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double v = 0;
    for (int j = 0; j < n; j++) if (j != i) v += 1.0 / sqrt((double)(p[i].x - p[j].x) * (p[i].x - p[j].x) + 1e-3);  // expect: KL206 up to 16 sectors per request instead of 3.99
    atomicAdd(E, v);  // expect: KL208 32 serial updates per request instead of 1
}
void go(const float4 *p, double *E) { e<<<40, 256>>>(p, E, 10000); }
