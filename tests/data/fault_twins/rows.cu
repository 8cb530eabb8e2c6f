// rows of unknown length: nobody knows the launch
__global__ void b_row_1(float *u, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > 0 && x < w - 1 && y > 0 && y < h - 1)
        u[y * w + x] = 0.25f * (u[y * w + x - 1] + u[y * w + x + 1] + u[(y - 1) * w + x] + u[(y + 1) * w + x]);
}
__global__ void g_row_1(const float *u, float *v, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > 0 && x < w - 1 && y > 0 && y < h - 1)
        v[y * w + x] = 0.25f * (u[y * w + x - 1] + u[y * w + x + 1] + u[(y - 1) * w + x] + u[(y + 1) * w + x]);
}
__global__ void g_row_2(float *m, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < n && y < x) { float a = m[y * n + x]; m[y * n + x] = m[x * n + y]; m[x * n + y] = a; }
}
__global__ void g_row_3(float *m, int n, int k) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < n && y < n) m[y * n + x] -= m[(y) * n + x] * 2.0f + n;
}
__global__ void g_row_4(float *a, int n, int stride) {
    int t = threadIdx.x;
    for (int i = 0; i < n; i++) { a[t * stride + i] = a[t * stride + i] + 1 ; }
}
__global__ void g_row_5(float *lu, int n, int k) {   // row k is read by all, rows beyond are written
    int j = blockIdx.x * blockDim.x + threadIdx.x + k + 1, i = blockIdx.y * blockDim.y + threadIdx.y + k + 1;
    if (i < n && j < n) lu[i * n + j] -= lu[i * n + k] * lu[k * n + j];
}
__global__ void g_row_6(float *d, int n, int k) {   // Floyd-Warshall: row and column k do not change
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < n && j < n && i != k && j != k) d[i * n + j] = fminf(d[i * n + j], d[i * n + k] + d[k * n + j]);
}
__global__ void g_row_7(const float *u, float *v, int nx, int ny, int nz) {   // planes of rows
    int z = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (z < nz && y < ny) for (int x = 0; x < nx; x++) v[(z * ny + y) * nx + x] = u[(z * ny + y) * nx + x];
}
__global__ void b_row_7(float *v, int nx, int ny, int nz) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x > 0 && x < nx && y < ny && z < nz) v[(z * ny + y) * nx + x] = 0.5f * v[(z * ny + y) * nx + x - 1];
}
