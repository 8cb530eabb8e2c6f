// kernlint --fix --unsafe-fixes: KL804, a last block that reaches behind the arrays.
#include "harness.cuh"

__global__ void scaled(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = 2.0f * in[i];
}

int main()
{
    const int n = 1000;
    std::vector<float> values(n), expected(n);
    for (int i = 0; i < n; ++i) values[i] = i, expected[i] = 2 * i;
    float *in, *out;
    check(cudaMalloc(&in, n * sizeof(float)));
    check(cudaMalloc(&out, n * sizeof(float)));
    check(cudaMemcpy(in, values.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    scaled<<<(n + 255) / 256, 256>>>(out, in, n);
    return compared(out, expected);
}
