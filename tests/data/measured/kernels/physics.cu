#include <cstdio>
#include <vector>
#include <cuda_fp16.h>
#include <cuda_bf16.h>

__global__ void heat2d(const float *u, float *v, int nx, int ny, float k) {
    __shared__ float s[10][34];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    int lx = threadIdx.x + 1, ly = threadIdx.y + 1;
    bool in = x < nx && y < ny;
    if (in) s[ly][lx] = u[y * nx + x];
    if (in && threadIdx.x == 0 && x > 0) s[ly][0] = u[y * nx + x - 1];
    if (in && threadIdx.x == 31 && x < nx - 1) s[ly][33] = u[y * nx + x + 1];
    if (in && threadIdx.y == 0 && y > 0) s[0][lx] = u[(y - 1) * nx + x];
    if (in && threadIdx.y == 7 && y < ny - 1) s[9][lx] = u[(y + 1) * nx + x];
    __syncthreads();
    if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1)
        v[y * nx + x] = s[ly][lx] + k * (s[ly][lx - 1] + s[ly][lx + 1] + s[ly - 1][lx] + s[ly + 1][lx] - 4 * s[ly][lx]);
}
__global__ void wave3d(const float *__restrict__ now, float *__restrict__ next, int nx, int ny, int nz) {
    int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
    if (x >= nx - 1 || y >= ny - 1) return;
    int plane = nx * ny, at = y * nx + x;
    float below = now[at], here = now[at + plane];
    for (int z = 1; z < nz - 1; z++) {
        float above = now[at + (z + 1) * plane];
        float sum = now[at + z * plane - 1] + now[at + z * plane + 1] + now[at + z * plane - nx] + now[at + z * plane + nx];
        next[at + z * plane] = sum + above + below - 6.f * here;
        below = here;
        here = above;
    }
}
__constant__ int ex[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
__constant__ int ey[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
__global__ void lbm_stream(const float *f, float *g, int nx, int ny) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= nx) return;
#pragma unroll
    for (int q = 0; q < 9; q++) {
        int sx = (x - ex[q] + nx) % nx, sy = (y - ey[q] + ny) % ny;
        g[(q * ny + y) * nx + x] = f[(q * ny + sy) * nx + sx];
    }
}
__global__ void lbm_collide(float *f, float omega, int cells) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= cells) return;
    float c[9], rho = 0, ux = 0, uy = 0;
    for (int q = 0; q < 9; q++) {
        c[q] = f[q * cells + i];
        rho += c[q];
    }
    ux = (c[1] + c[5] + c[8] - c[3] - c[6] - c[7]) / rho;
    uy = (c[2] + c[5] + c[6] - c[4] - c[7] - c[8]) / rho;
    for (int q = 0; q < 9; q++) {
        float w = q == 0 ? 4.f / 9 : q < 5 ? 1.f / 9 : 1.f / 36;
        float eq = w * rho * (1 + 3 * (ux + uy) - 1.5f * (ux * ux + uy * uy));
        f[q * cells + i] = c[q] + omega * (eq - c[q]);
    }
}
struct Particle { float x, y, z, vx, vy, vz, mass; int cell; };
__global__ void drift(Particle *p, int n, float dt) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    p[i].x += dt * p[i].vx;
    p[i].y += dt * p[i].vy;
    p[i].z += dt * p[i].vz;
    p[i].cell = i / 3;
}
__global__ void energy(const Particle *p, int n, float *out) {
    float e = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const Particle q = p[i];
        e += 0.5f * q.mass * (q.vx * q.vx + q.vy * q.vy + q.vz * q.vz);
    }
    __shared__ float sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    atomicAdd(&sum, e);
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}
__global__ void red_black(double *u, const double *f, int n, int colour) {
    int j = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + 1, i = blockIdx.y * blockDim.y + threadIdx.y + 1;
    j += (i + colour) & 1;
    if (i < n - 1 && j < n - 1)
        u[i * n + j] = 0.25 * (u[(i - 1) * n + j] + u[(i + 1) * n + j] + u[i * n + j - 1] + u[i * n + j + 1] - f[i * n + j]);
}
__global__ void cyclic_reduction(const float *a, const float *b, const float *c, const float *d, float *x, int n) {
    __shared__ float sa[64], sb[64], sc[64], sd[64];
    int t = threadIdx.x, base = blockIdx.x * n;
    sa[t] = a[base + t]; sb[t] = b[base + t];
    sc[t] = c[base + t]; sd[t] = d[base + t];
    __syncthreads();
    for (int step = 1; step < n; step *= 2) {
        int lo = max(t - step, 0), hi = min(t + step, n - 1);
        float k1 = t >= step ? sa[t] / sb[lo] : 0, k2 = t + step < n ? sc[t] / sb[hi] : 0;
        float na = -sa[lo] * k1, nb = sb[t] - sc[lo] * k1 - sa[hi] * k2, nc = -sc[hi] * k2, nd = sd[t] - sd[lo] * k1 - sd[hi] * k2;
        __syncthreads();
        sa[t] = na; sb[t] = nb; sc[t] = nc; sd[t] = nd;
        __syncthreads();
    }
    x[base + t] = sd[t] / sb[t];
}
__device__ float3 pull(float4 me, float4 other, float3 a) {
    float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
    float inv = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
    float s = other.w * inv * inv * inv;
    a.x += dx * s;
    a.y += dy * s;
    a.z += dz * s;
    return a;
}
__global__ void gravity(const float4 *pos, float3 *acc, int n) {
    extern __shared__ float4 tile[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 me = pos[min(i, n - 1)];
    float3 a = {0, 0, 0};
    for (int t = 0; t < gridDim.x; t++) {
        int j = t * blockDim.x + threadIdx.x;
        tile[threadIdx.x] = j < n ? pos[j] : make_float4(0, 0, 0, 0);
        __syncthreads();
#pragma unroll 4
        for (int k = 0; k < blockDim.x; k++) a = pull(me, tile[k], a);
        __syncthreads();
    }
    if (i < n) acc[i] = a;
}
__global__ void fdtd_hx(const float *ez, float *hx, float *hy, int nx, int ny) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < nx - 1 && j < ny - 1) {
        float e = ez[j * nx + i];
        hx[j * nx + i] -= 0.5f * (ez[(j + 1) * nx + i] - e);
        hy[j * nx + i] += 0.5f * (ez[j * nx + i + 1] - e);
    }
}
__global__ void advect(const float2 *vel, const float *q, float *out, int n, float dt) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= n) return;
    float2 v = vel[y * n + x];
    float fx = fminf(fmaxf(x - dt * v.x, 0.f), n - 1.001f), fy = fminf(fmaxf(y - dt * v.y, 0.f), n - 1.001f);
    int i = (int)fx, j = (int)fy;
    float s = fx - i, t = fy - j;
    out[y * n + x] = (1 - t) * ((1 - s) * q[j * n + i] + s * q[j * n + i + 1]) + t * ((1 - s) * q[(j + 1) * n + i] + s * q[(j + 1) * n + i + 1]);
}

static float *floats(size_t n, float scale = 1.0f, float shift = 0.0f) {
    std::vector<float> h(n);
    unsigned s = 12345u;
    for (size_t i = 0; i < n; i++) { s = s * 1664525u + 1013904223u; h[i] = shift + scale * float((s >> 8) & 0xffff) / 65536.0f; }
    float *d;
    cudaMalloc(&d, n * sizeof(float));
    cudaMemcpy(d, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    return d;
}
static __half *halves(size_t n, float scale = 1.0f, float shift = 0.0f) {
    std::vector<__half> h(n);
    unsigned s = 54321u;
    for (size_t i = 0; i < n; i++) { s = s * 1664525u + 1013904223u; h[i] = __float2half(shift + scale * float((s >> 8) & 0xffff) / 65536.0f); }
    __half *d;
    cudaMalloc(&d, n * sizeof(__half));
    cudaMemcpy(d, h.data(), n * sizeof(__half), cudaMemcpyHostToDevice);
    return d;
}
template <typename T> static T *ints(size_t n, unsigned modulus, unsigned step = 7, T first = 0) {
    std::vector<T> h(n);
    for (size_t i = 0; i < n; i++) h[i] = first + T((i * step) % modulus);
    T *d;
    cudaMalloc(&d, n * sizeof(T));
    cudaMemcpy(d, h.data(), n * sizeof(T), cudaMemcpyHostToDevice);
    return d;
}
template <typename T> static T *zeros(size_t n) {
    T *d;
    cudaMalloc(&d, n * sizeof(T));
    cudaMemset(d, 0, n * sizeof(T));
    return d;
}
static int finish(const char *name) {
    cudaError_t e = cudaDeviceSynchronize();
    printf("%s %s\n", name, cudaGetErrorString(e));
    return e != cudaSuccess;
}


int main() {
    heat2d<<<dim3(3, 4), dim3(32, 8)>>>(floats(75 * 29), zeros<float>(75 * 29), 75, 29, 0.1f);
    wave3d<<<dim3(2, 3), dim3(32, 4)>>>(floats(50 * 13 * 9), zeros<float>(50 * 13 * 9), 50, 13, 9);
    lbm_stream<<<dim3(2, 11), 64>>>(floats(9 * 100 * 11), zeros<float>(9 * 100 * 11), 100, 11);
    lbm_collide<<<9, 128>>>(floats(9 * 1100, 1.f, 1.f), 1.2f, 1100);
    drift<<<4, 64>>>((Particle *)floats(8 * 230), 230, 0.01f);
    energy<<<3, 64>>>((Particle *)floats(8 * 230), 230, zeros<float>(3));
    red_black<<<dim3(1, 6), dim3(32, 4)>>>((double *)zeros<double>(26 * 26), zeros<double>(26 * 26), 26, 1);
    cyclic_reduction<<<4, 64>>>(floats(256), floats(256, 1, 3), floats(256), floats(256), zeros<float>(256), 64);
    gravity<<<3, 64, 64 * 16>>>((float4 *)floats(4 * 170), (float3 *)zeros<float>(3 * 170), 170);
    fdtd_hx<<<dim3(2, 5), dim3(32, 4)>>>(floats(60 * 18), floats(60 * 18), floats(60 * 18), 60, 18);
    advect<<<dim3(2, 9), dim3(32, 4)>>>((float2 *)floats(2 * 36 * 36), floats(36 * 36), zeros<float>(36 * 36), 36, 0.5f);
    return finish("physics");
}
