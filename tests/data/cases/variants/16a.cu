// origin: our own  // expect: none
// right: nothing
__global__ void axpy(size_t n, float a, const float4 *x, float4 *y)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        float4 u = x[i], v = y[i];
        v.x += a * u.x; v.y += a * u.y; v.z += a * u.z; v.w += a * u.w;
        y[i] = v;
    }
}
int main() { size_t n = 1ull << 31; float4 *x, *y; cudaMalloc(&x, n * 16); cudaMalloc(&y, n * 16); axpy<<<132 * 8, 256>>>(n, 3.f, x, y); }
