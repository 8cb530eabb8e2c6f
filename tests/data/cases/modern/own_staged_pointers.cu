// origin: own
// Pointers to the stages of a ring, set by a counter of unknown length, under conditions and before the loop as well.
__global__ void __launch_bounds__(256) ring(const float *g, float *o, int k_tiles, int n_tiles)
{
    extern __shared__ float sm[];
    int first = k_tiles * n_tiles * blockIdx.x / gridDim.x, end = k_tiles * n_tiles * (blockIdx.x + 1) / gridDim.x;
    int left = end - first, it = left;
    float *p = sm + (left % 6) * 2048, *q = p;
    auto step = [&] { it--; p = sm + (it % 6) * 2048; };
    for (int i = 0; i < 5; i++)
        if (it) { p[threadIdx.x * 4] = g[threadIdx.x]; step(); }     //= all: shared store w=4 | global load s=4
    float sum = 0;
    while (left > 0) {
        if (it) { p[threadIdx.x * 2] = g[threadIdx.x]; step(); }     //= all: shared store w=2 | global load s=4
        __syncthreads();
        sum += q[threadIdx.x * 8];                                   //= all: shared load w=8
        left--;
        q = sm + (left % 6) * 2048;
        __syncthreads();
    }
    o[threadIdx.x] = sum;                                            //= all: global store s=4
}
// A pitch that shifts the banks.
__global__ void __launch_bounds__(32) shifted(float *o, int n)
{
    __shared__ float sm[4096];
    float *p = sm;
    for (int i = n; i > 0; i--) {
        p[threadIdx.x * 2] = i;                                      //= all: shared store w=2
        p = sm + (i % 7) * 33;
    }
    o[threadIdx.x] = sm[threadIdx.x];
}
void go(const float *g, float *o, int a, int b) { ring<<<100, 256, 6 * 8192>>>(g, o, a, b); shifted<<<1, 32>>>(o, a); }
