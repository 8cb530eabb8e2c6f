// origin: our own
// question: "why is my double tile with [32][32] slow, do bank conflicts apply to 8 byte words?" A: column read: 16 lanes... half-warp 16 lanes*stride 256B -> all on one bank pair: 32 wavefronts instead of 2 (16-way)
__global__ void tr(const double *in, double *out, int n)
{
    __shared__ double t[32][32];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    t[threadIdx.y][threadIdx.x] = in[y * n + x];
    __syncthreads();
    out[(blockIdx.x * 32 + threadIdx.y) * n + blockIdx.y * 32 + threadIdx.x] = t[threadIdx.x][threadIdx.y];  // expect: KL101 32 wavefronts per request instead of 2
}
void go(const double *i, double *o) { tr<<<dim3(64, 64), dim3(32, 32)>>>(i, o, 2048); }
