// kernlint --fix --unsafe-fixes: KL810, a tile that is read before all of it is filled.
#include "harness.cuh"

__global__ void turned(float *out, const float *in)
{
    __shared__ float tile[1024];
    int t = threadIdx.x, first = blockIdx.x * 1024;
    tile[t] = in[first + t];
    out[first + t] = tile[1023 - t];
}

int main()
{
    const int n = 1024 * 1024;
    std::vector<float> values(n), expected(n);
    for (int i = 0; i < n; ++i) values[i] = i, expected[i] = i / 1024 * 1024 + 1023 - i % 1024;
    float *in, *out;
    check(cudaMalloc(&in, n * sizeof(float)));
    check(cudaMalloc(&out, n * sizeof(float)));
    check(cudaMemcpy(in, values.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    turned<<<n / 1024, 1024>>>(out, in);
    return compared(out, expected);
}
