// origin: our own
// right: 1e-3, 3.14159265358979 and 0.1 compute in double; 2.0 * x does not
__global__ void wave(float *y, float t, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = i * 1e-3;  // expect: KL701 `1e-3` promotes
    float a = 2.0 * x;
    y[i] = sinf(3.14159265358979 * a + t) + 0.1 * cosf(x);  // expect: KL701 `3.14159265358979` promotes
}
void go(float *y) { wave<<<40, 256>>>(y, 0.f, 10000); }
