// origin: our own
// question: 3D grid: threadIdx.x walks z (slowest). A: stride nx*ny*4: 32 sectors; swap
__global__ void lap(const float *u, float *v, int nx, int ny, int nz)
{
    int z = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (z < 1 || z >= nz - 1 || y < 1 || y >= ny - 1) return;
    for (int x = 1; x < nx - 1; x++) {
        int c = (z * ny + y) * nx + x;
        v[c] = u[c - 1] + u[c + 1] + u[c - nx] + u[c + nx] + u[c - nx * ny] + u[c + nx * ny] - 6.f * u[c];  // expect: KL201 up to 32 sectors per request instead of 4; KL201 up to 32 sectors per request instead of 4
    }
}
void go(const float *u, float *v, int n) { dim3 b(32, 4), g((n + 31) / 32, (n + 3) / 4); lap<<<g, b>>>(u, v, n, n, n); }
