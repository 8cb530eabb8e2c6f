// origin: issue cases
// launch: block 128, grid 512, n = 65536 (host code below).
// right: `tab` (52 bytes) is indexed by data, so it lies in local memory (off-chip, through L1); fix: shared memory, registers with a
//        fully unrolled search, or shuffles/bit packing. Array of 4 indexed by an unrolled constant (`k4`) stays in registers: no finding.
__global__ void decode(const unsigned char *s, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned char tab[52];
    for (int k = 0; k < 52; k++) tab[k] = (unsigned char)(k * 7 + s[k]);
    int k4[4];
#pragma unroll
    for (int k = 0; k < 4; k++) k4[k] = s[i * 4 + k];  // expect: KL201 4 sectors per request instead of 1
    int r = 0;
#pragma unroll
    for (int k = 0; k < 4; k++) r += tab[k4[k] % 52];  // expect: KL502 by `k4[k]`: its 52 bytes per thread lie | `k4[k]`: its 52 bytes per thread lie in local memory | shared memory
    out[i] = r;
}
void go(const unsigned char *s, int *o) { decode<<<512, 128>>>(s, o, 65536); }
