__global__ void shift(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i * 2];
}
extern "C" __global__ void plain(float *x) { x[threadIdx.x * 3] = 1; }
