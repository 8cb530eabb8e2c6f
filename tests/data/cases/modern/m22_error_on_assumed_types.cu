// origin: issue cases
// torchao mxfp8_quantize.cuh:462: KL602 as an *error* ("it does not compile") on types that kernlint assumed (IType is int, OType is float).
// With the types of its users (bf16, fp8) the kernel takes a third of it. expected: no error on an assumption (a note at most)
template <typename IType, typename OType>
__global__ void __launch_bounds__(64) quant(const IType *g, OType *o)
{
    __shared__ alignas(128) IType in_sh[2][64][64];
    __shared__ alignas(128) OType out_sh[2][64][64];
    for (int b = 0; b < 2; b++)
        for (int r = 0; r < 64; r++) in_sh[b][r][threadIdx.x] = g[(b * 64 + r) * 64 + threadIdx.x];
    __syncthreads();
    for (int b = 0; b < 2; b++)
        for (int r = 0; r < 64; r++) out_sh[b][threadIdx.x][r] = (OType)(float)in_sh[b][threadIdx.x][r];
    __syncthreads();
    for (int b = 0; b < 2; b++)
        for (int r = 0; r < 64; r++) o[(b * 64 + r) * 64 + threadIdx.x] = out_sh[b][r][threadIdx.x];
}
