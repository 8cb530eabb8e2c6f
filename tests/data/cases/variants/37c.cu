// origin: our own
// right: short lut[16] const initialised, indexed by nibble: local memory. Fix: __constant__/shared
__global__ void gray(const unsigned char *in, unsigned char *out)
{
    const unsigned short lut[16] = {0, 1, 3, 2, 6, 7, 5, 4, 12, 13, 15, 14, 10, 11, 9, 8};
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = lut[in[i] & 15] | lut[in[i] >> 4] << 4;  // expect: KL502 by `in[i]`: its 32 bytes per thread lie
}
void go(const unsigned char *a, unsigned char *b) { gray<<<64, 256>>>(a, b); }
