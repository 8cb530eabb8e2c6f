// origin: our own
// question: fully connected: w[o * in + k] each thread an output: uncoalesced, 32 sectors
__global__ void fc(const float *__restrict__ w, const float *__restrict__ x, float *y, int in, int out)
{
    int o = blockIdx.x * blockDim.x + threadIdx.x;
    if (o >= out) return;
    float s = 0;
    for (int k = 0; k < in; ++k) s = fmaf(w[o * in + k], x[k], s);  // expect: KL201 32 sectors per request instead of 4
    y[o] = s;
}
int main() { int in = 784, out = 1024; float *w, *x, *y; cudaMalloc(&w, in * out * 4); cudaMalloc(&x, in * 4); cudaMalloc(&y, out * 4); fc<<<(out + 127) / 128, 128>>>(w, x, y, in, out); }
