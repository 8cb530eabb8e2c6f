// kernlint --fix --unsafe-fixes: KL810, a tile that the next iteration fills while it is read.
#include "harness.cuh"

__global__ void sums(float *out, const float *in, int tiles)
{
    __shared__ float tile[256];
    int t = threadIdx.x;
    float sum = 0;
    for (int k = 0; k < tiles; ++k) {
        tile[t] = in[k * 256 + t];
        __syncthreads();
        for (int j = 0; j < 256; ++j) sum += tile[(t + j) % 256] * (j % 3);
    }
    out[blockIdx.x * 256 + t] = sum;
}

int main()
{
    const int tiles = 64, blocks = 512;
    std::vector<float> values(tiles * 256), expected(blocks * 256);
    for (int i = 0; i < tiles * 256; ++i) values[i] = (i / 256 + i % 7) % 5;
    for (int t = 0; t < 256; ++t) {
        float sum = 0;
        for (int k = 0; k < tiles; ++k)
            for (int j = 0; j < 256; ++j) sum += values[k * 256 + (t + j) % 256] * (j % 3);
        for (int block = 0; block < blocks; ++block) expected[block * 256 + t] = sum;
    }
    float *in, *out;
    check(cudaMalloc(&in, values.size() * sizeof(float)));
    check(cudaMalloc(&out, expected.size() * sizeof(float)));
    check(cudaMemcpy(in, values.data(), values.size() * sizeof(float), cudaMemcpyHostToDevice));
    sums<<<blocks, 256>>>(out, in, tiles);
    return compared(out, expected);
}
