// origin: our own
// question: like CPU: each thread handles a contiguous chunk. A: uncoalesced 32 sectors; grid stride
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, total = gridDim.x * blockDim.x;
    int per = (n + total - 1) / total;
    for (int i = t * per; i < (t + 1) * per && i < n; i++) c[i] = a[i] + b[i];  // expect: KL201 32 sectors per request instead of 4; KL201 32 sectors per request instead of 4; KL201 32 sectors per request instead of 4
}
int main() { int n = 1 << 24; float *a, *b, *c; cudaMalloc(&a, n * 4); cudaMalloc(&b, n * 4); cudaMalloc(&c, n * 4); add<<<128, 256>>>(a, b, c, n); }
