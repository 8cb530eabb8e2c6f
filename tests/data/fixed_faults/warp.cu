// kernlint --fix --unsafe-fixes: KL811, lanes of a warp that exchange values through shared memory.
#include "harness.cuh"

__global__ void mirrored(float *out, const float *in)
{
    __shared__ float row[8][32];
    int lane = threadIdx.x % 32, w = threadIdx.x / 32, i = blockIdx.x * 256 + threadIdx.x;
    row[w][lane] = in[i];
    out[i] = row[w][31 - lane];
}

int main()
{
    const int n = 256 * 1024;
    std::vector<float> values(n), expected(n);
    for (int i = 0; i < n; ++i) values[i] = i, expected[i] = i / 32 * 32 + 31 - i % 32;
    float *in, *out;
    check(cudaMalloc(&in, n * sizeof(float)));
    check(cudaMalloc(&out, n * sizeof(float)));
    check(cudaMemcpy(in, values.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    mirrored<<<n / 256, 256>>>(out, in);
    return compared(out, expected);
}
