// origin: issue cases
// kernlint: launch(grid=8, block=128)
__global__ void k(const float *s, float *d) { int i = blockIdx.x * 128 + threadIdx.x; *(float4 *)(d + 4 * i) = *(const float4 *)(s + 4 * i + 1); }
