// origin: our own
// question: each thread inverts an own 4x4 matrix m[i*16+k]: stride 64 bytes, 32 sectors
__global__ void tr(const float *m, float *o, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float a[16];
    for (int k = 0; k < 16; k++) a[k] = m[i * 16 + k];  // expect: KL201 32 sectors per request instead of 4
    for (int r = 0; r < 4; r++) for (int c = 0; c < 4; c++) o[i * 16 + r * 4 + c] = a[c * 4 + r];  // expect: KL201 32 sectors per request instead of 4
}
void go(const float *m, float *o) { tr<<<100, 128>>>(m, o, 12800); }
