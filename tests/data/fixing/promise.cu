// kernlint --fix --unsafe-fixes: KL209, `__restrict__` at the kernel's pointers, so that values stay in registers.
#include "harness.cuh"

__global__ void chebyshev(float *t1, float *t2, float *t3, float *t4, float *t5, const float *x)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    t1[i] = x[i];
    t2[i] = 2 * x[i] * t1[i] - 1;
    t3[i] = 2 * x[i] * t2[i] - t1[i];
    t4[i] = 2 * x[i] * t3[i] - t2[i];
    t5[i] = 2 * x[i] * t4[i] - t3[i];
}

int main(int count, char **words)
{
    const int n = 1 << 18;
    Buffer<float> x(n, 7u), t1(n), t2(n), t3(n), t4(n), t5(n);
    auto launch = [&] { chebyshev<<<n / 256, 256>>>(t1.device, t2.device, t3.device, t4.device, t5.device, x.device); };
    return measured(count, words, launch, t1, t2, t3, t4, t5);
}
