// origin: our own
// right: block 192 through a launch macro with named arguments: 8 sectors
#define THREADS 192
#define BLOCKS(n) (((n) + THREADS - 1) / THREADS)
#define LAUNCH_KERNEL(name, n, stream, ...)                 \
    do {                                                    \
        dim3 grid_(BLOCKS(n)), block_(THREADS);             \
        name<<<grid_, block_, 0, stream>>>(__VA_ARGS__);    \
        check_last(#name);                                  \
    } while (0)
void check_last(const char *);
__global__ void pairs(const float *a, float *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) b[i] = a[2 * i];  // expect: KL201 8 sectors per request instead of 4
}
void run(const float *a, float *b, int n, cudaStream_t s) { LAUNCH_KERNEL(pairs, n, s, a, b, n); }
