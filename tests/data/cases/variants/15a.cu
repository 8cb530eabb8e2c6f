// origin: our own
// right: float3: 12 sectors per request instead of 4
__global__ void scale3(float3 *__restrict__ v, float s, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n) { v[i].x *= s; v[i].y *= s; v[i].z *= s; }  // expect: KL206 12 sectors per request instead of 4
}
int main() { size_t n = 1000000; float3 *d; cudaMalloc((void **)&d, n * sizeof *d); scale3<<<(n + 255) / 256, 256>>>(d, 2.f, n); }
