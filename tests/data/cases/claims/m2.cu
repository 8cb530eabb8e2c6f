// origin: issue cases
// kernlint: launch(grid=8, block=128)
__global__ void k(float *d) { __shared__ float s[128]; s[threadIdx.x + 1] = d[threadIdx.x]; __syncthreads(); d[threadIdx.x] = s[threadIdx.x] + s[threadIdx.x + 200]; }
