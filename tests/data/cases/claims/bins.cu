// origin: issue cases
__global__ void h(unsigned *out) {
  __shared__ unsigned s[1536];
  for (unsigned i = 0; i < 8; i++) s[threadIdx.x + i * 192] = i;
  __syncthreads();
  for (unsigned bin = threadIdx.x; bin < 256; bin += 192) {
    unsigned sum = 0;
    for (unsigned i = 0; i < 6; i++) sum += s[bin + i * 256] & 0xFFFFFFFFU;
    out[blockIdx.x * 256 + bin] = sum;
  }
}
