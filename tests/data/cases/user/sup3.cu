// origin: issue cases
__global__ void k(float *o, int a, int b) {
  __shared__ float s[64][32];
  s[threadIdx.x][a] = 1; // kernlint: ignore[KL101] accepted here only
  __syncthreads();
  o[threadIdx.x] = s[0][threadIdx.x & 31];
  __syncthreads();
  s[threadIdx.x][b] = 2;
}
void l(float*o){ k<<<1,64>>>(o, 1, 2); }
