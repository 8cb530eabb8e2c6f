// origin: our own
// right: 0.7 compares and 1.5 accumulates in double; s / 3.0 does not
__global__ void clip(float *y, const float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
    for (int k = 0; k < n; k++) {
        float v = x[i * n + k];  // expect: KL201 32 sectors per request instead of 4
        if (v > 0.7) v = 0.7;  // expect: KL701 `0.7` promotes
        s += v * 1.5;  // expect: KL701 `1.5` promotes
    }
    y[i] = s / 3.0;
}
