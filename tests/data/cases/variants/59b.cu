// origin: our own
// right: block 128 through do/while macro; column access 32 sectors
#define CHECK() do { auto e = cudaGetLastError(); if (e != cudaSuccess) throw e; } while (0)
#define DISPATCH(TYPE, NAME, ...) switch (TYPE) { case 0: { using scalar_t = float; __VA_ARGS__(); break; } case 1: { using scalar_t = double; __VA_ARGS__(); break; } }
template <typename S> __global__ void cols(const S *x, S *y, int rows, int c)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < rows) { S s = 0; for (int k = 0; k < c; k++) s += x[r * c + k]; y[r] = s; }  // expect: KL201 32 sectors per request instead of 4
}
void run(int type, const void *x, void *y, int rows, int c)
{
    const dim3 grid((rows + 127) / 128), block(128);
    DISPATCH(type, "cols", [&] { cols<scalar_t><<<grid, block>>>((const scalar_t *)x, (scalar_t *)y, rows, c); CHECK(); });
}
