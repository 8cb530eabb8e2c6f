// kernlint --fix --unsafe-fixes: KL701, double literals among floats. Rounds otherwise: compared with a tolerance.
#include "harness.cuh"

__global__ void blend(float *out, const float *in)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    float v = in[i];
    for (int k = 0; k < 64; ++k) v = v * 0.9 + 1.7;
    out[i] = v;
}

int main(int count, char **words)
{
    const int n = 1 << 22;
    Buffer<float> in(n, 7u), out(n);
    return measured(count, words, [&] { blend<<<n / 256, 256>>>(out.device, in.device); }, out);
}
