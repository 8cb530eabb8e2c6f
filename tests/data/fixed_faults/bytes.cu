// kernlint --fix --unsafe-fixes: KL803, elements in the place of bytes, and no room for the halo.
#include "harness.cuh"

__global__ void smoothed(float *out, const float *in)
{
    extern __shared__ float s[];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    s[t + 1] = in[i];
    if (t == 0) s[0] = 0;
    if (t == blockDim.x - 1) s[t + 2] = 0;
    __syncthreads();
    out[i] = s[t] + s[t + 1] + s[t + 2];
}

int main()
{
    const int block = 1024, n = block * 256;
    std::vector<float> values(n), expected(n);
    for (int i = 0; i < n; ++i) values[i] = i % 1000;
    for (int i = 0; i < n; ++i) {
        float before = i % block ? values[i - 1] : 0, behind = (i + 1) % block ? values[i + 1] : 0;
        expected[i] = before + values[i] + behind;
    }
    float *in, *out;
    check(cudaMalloc(&in, n * sizeof(float)));
    check(cudaMalloc(&out, n * sizeof(float)));
    check(cudaMemcpy(in, values.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    smoothed<<<n / block, block, block + 2>>>(out, in);
    return compared(out, expected);
}
