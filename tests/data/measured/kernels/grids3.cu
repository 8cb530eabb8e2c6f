// Structured grid stencils in two and three dimensions.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

static void die_if_error(const char* tag) {
    cudaError_t e = cudaGetLastError();
    if (e != cudaSuccess) {
        fprintf(stderr, "[%s] %s\n", tag, cudaGetErrorString(e));
        cudaDeviceReset();
        exit(2);
    }
}

template <typename T>
__global__ void seed_field(T* f, int n) {
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        f[i] = T((i * 31) % 997) / T(997);
}

// Plain five point Jacobi straight from global memory.
__global__ void jacobi5_global(const float* u, float* v, int nx, int ny) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= nx - 1 || y >= ny - 1) return;
    int c = y * nx + x;
    v[c] = 0.25f * (u[c - 1] + u[c + 1] + u[c - nx] + u[c + nx]);
}

// Nine point, shared tile with one-cell halo loaded by edge threads.
#define TW 32
#define TH 8
__global__ void ninept_halo(const float* __restrict__ u, float* __restrict__ v, int nx, int ny) {
    __shared__ float t[TH + 2][TW + 2];
    const int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    const int x = blockIdx.x * TW + tx;      // interior starts at 1
    const int y = blockIdx.y * TH + ty;
    const int c = y * nx + x;

    t[ty][tx] = u[c];
    if (threadIdx.x == 0) t[ty][0] = u[c - 1];
    if (threadIdx.x == TW - 1) t[ty][TW + 1] = u[c + 1];
    if (threadIdx.y == 0) {
        t[0][tx] = u[c - nx];
        if (threadIdx.x == 0) t[0][0] = u[c - nx - 1];
        if (threadIdx.x == TW - 1) t[0][TW + 1] = u[c - nx + 1];
    }
    if (threadIdx.y == TH - 1) {
        t[TH + 1][tx] = u[c + nx];
        if (threadIdx.x == 0) t[TH + 1][0] = u[c + nx - 1];
        if (threadIdx.x == TW - 1) t[TH + 1][TW + 1] = u[c + nx + 1];
    }
    __syncthreads();

    float cross = t[ty - 1][tx] + t[ty + 1][tx] + t[ty][tx - 1] + t[ty][tx + 1];
    float diag = t[ty - 1][tx - 1] + t[ty - 1][tx + 1] + t[ty + 1][tx - 1] + t[ty + 1][tx + 1];
    v[c] = 0.2f * cross + 0.05f * diag;
}

// Seven point 3D, marching in z with the column in registers and one shared plane.
template <int BX, int BY>
__global__ void heat7_march(const float* __restrict__ in, float* __restrict__ out, int nx, int ny, int nz, float k) {
    __shared__ float plane[BY + 2][BX + 2];
    const int x = blockIdx.x * BX + threadIdx.x + 1;
    const int y = blockIdx.y * BY + threadIdx.y + 1;
    const int lx = threadIdx.x + 1;
    const int ly = threadIdx.y + 1;
    const int slab = nx * ny;
    int idx = y * nx + x;

    float below = in[idx];
    float here = in[idx + slab];
    for (int z = 1; z < nz - 1; ++z) {
        idx += slab;
        const float above = in[idx + slab];
        plane[ly][lx] = here;
        if (threadIdx.x == 0) plane[ly][0] = in[idx - 1];
        if (threadIdx.x == BX - 1) plane[ly][BX + 1] = in[idx + 1];
        if (threadIdx.y == 0) plane[0][lx] = in[idx - nx];
        if (threadIdx.y == BY - 1) plane[BY + 1][lx] = in[idx + nx];
        __syncthreads();
        out[idx] = here + k * (plane[ly][lx - 1] + plane[ly][lx + 1] + plane[ly - 1][lx] +
                               plane[ly + 1][lx] + above + below - 6.f * here);
        __syncthreads();
        below = here;
        here = above;
    }
}

// 27 point box average, 3D thread block, full 3D shared tile.
__global__ void box27_tile(const float* in, float* out, int nx, int ny, int nz) {
    constexpr int B = 8;
    __shared__ float s[B + 2][B + 2][B + 2];
    const int bx = blockIdx.x * B, by = blockIdx.y * B, bz = blockIdx.z * B;
    const int tid = (threadIdx.z * B + threadIdx.y) * B + threadIdx.x;

    for (int i = tid; i < 1000; i += 512) {
        int lx = i % 10;
        int ly = (i / 10) % 10;
        int lz = i / 100;
        // global coordinates are shifted by one, the grid has a ghost layer
        s[lz][ly][lx] = in[((bz + lz) * ny + by + ly) * nx + bx + lx];
    }
    __syncthreads();

    float sum = 0.0f;
    for (int dz = 0; dz < 3; ++dz)
        for (int dy = 0; dy < 3; ++dy)
            for (int dx = 0; dx < 3; ++dx)
                sum += s[threadIdx.z + dz][threadIdx.y + dy][threadIdx.x + dx];

    out[((bz + threadIdx.z + 1) * ny + by + threadIdx.y + 1) * nx + bx + threadIdx.x + 1] = sum * (1.f / 27.f);
}

// High order (radius 4) second derivative along x and y, double precision, dynamic shared memory.
__global__ void laplace_r4_double(const double* u, double* lap, int nx, int ny) {
    extern __shared__ double sh[];
    constexpr int R = 4;
    const int pitch = blockDim.x + 2 * R;
    const int rows = blockDim.y + 2 * R;
    const int gx0 = blockIdx.x * blockDim.x;
    const int gy0 = blockIdx.y * blockDim.y;

    for (int j = threadIdx.y; j < rows; j += blockDim.y)
        for (int i = threadIdx.x; i < pitch; i += blockDim.x)
            if (gx0 + i < nx && gy0 + j < ny) sh[j * pitch + i] = u[(gy0 + j) * nx + gx0 + i];
    __syncthreads();

    const int x = gx0 + threadIdx.x + R;
    const int y = gy0 + threadIdx.y + R;
    if (x >= nx - R || y >= ny - R) return;

    const double w[5] = {-2.847222222, 1.6, -0.2, 0.025396825, -0.001785714};
    const double* p = &sh[(threadIdx.y + R) * pitch + threadIdx.x + R];
    double acc = 2.0 * w[0] * p[0];
#pragma unroll
    for (int r = 1; r <= R; ++r)
        acc += w[r] * (p[-r] + p[r] + p[-r * pitch] + p[r * pitch]);
    lap[y * nx + x] = acc;
}

// 1D three point smoothing, STEPS time steps fused in shared memory.
template <int BLOCK, int STEPS>
__global__ void smooth_fused(const float* in, float* out, int n) {
    __shared__ float buf[2][BLOCK + 2 * STEPS];
    constexpr int LEN = BLOCK + 2 * STEPS;
    const int base = blockIdx.x * BLOCK - STEPS;

    for (int i = threadIdx.x; i < LEN; i += BLOCK) {
        int g = base + i;
        buf[0][i] = (g >= 0 && g < n) ? in[g] : 0.f;
    }
    __syncthreads();

    int src = 0;
    for (int s = 1; s <= STEPS; ++s) {
        for (int i = threadIdx.x + s; i < LEN - s; i += BLOCK)
            buf[src ^ 1][i] = 0.25f * buf[src][i - 1] + 0.5f * buf[src][i] + 0.25f * buf[src][i + 1];
        __syncthreads();
        src ^= 1;
    }
    int g = blockIdx.x * BLOCK + threadIdx.x;
    if (g < n) out[g] = buf[src][threadIdx.x + STEPS];
}

int main() {
    constexpr int NX = 1026, NY = 514;
    constexpr int GX = 130, GY = 66, GZ = 34;
    constexpr int N1 = 300000;
    constexpr int CELLS = NX * NY;

    float *a, *b;
    double *da, *db;
    cudaMalloc(&a, CELLS * sizeof(float));
    cudaMalloc(&b, CELLS * sizeof(float));
    cudaMalloc(&da, 512 * 400 * sizeof(double));
    cudaMalloc(&db, 512 * 400 * sizeof(double));
    die_if_error("alloc");
    static_assert(GX * GY * GZ <= CELLS && N1 <= CELLS, "size");

    seed_field<float><<<256, 256>>>(a, CELLS);
    seed_field<double><<<256, 256>>>(da, 512 * 400);
    cudaMemset(b, 0, CELLS * sizeof(float));
    cudaMemset(db, 0, 512 * 400 * sizeof(double));
    die_if_error("seed");

    jacobi5_global<<<dim3((NX + 31) / 32, (NY + 7) / 8), dim3(32, 8)>>>(a, b, NX, NY);
    jacobi5_global<<<dim3((NX + 15) / 16, (NY + 15) / 16), dim3(16, 16)>>>(a, b, NX, NY);
    die_if_error("jacobi5_global");
    ninept_halo<<<dim3((NX - 2) / TW, (NY - 2) / TH), dim3(TW, TH)>>>(a, b, NX, NY);
    die_if_error("ninept_halo");
    heat7_march<32, 8><<<dim3((GX - 2) / 32, (GY - 2) / 8), dim3(32, 8)>>>(a, b, GX, GY, GZ, 0.1f);
    die_if_error("heat7_march");
    box27_tile<<<dim3((GX - 2) / 8, (GY - 2) / 8, (GZ - 2) / 8), dim3(8, 8, 8)>>>(a, b, GX, GY, GZ);
    die_if_error("box27_tile");
    laplace_r4_double<<<dim3((512 - 8 + 15) / 16, (400 - 8 + 7) / 8), dim3(16, 8), 24 * 16 * sizeof(double)>>>(da, db, 512, 400);
    die_if_error("laplace_r4_double");
    smooth_fused<256, 6><<<(N1 + 255) / 256, 256>>>(a, b, N1);
    die_if_error("smooth_fused");
    cudaDeviceSynchronize();
    die_if_error("sync");

    cudaFree(a);
    cudaFree(b);
    cudaFree(da);
    cudaFree(db);
    return 0;
}
