// Origin: written for kernlint.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cfloat>
#include <cmath>
#include <algorithm>
#include <vector>
#include <cuda_runtime.h>
#include <cuda_fp16.h>


struct Particle { float3 pos; float mass; float3 vel; int kind; };
struct __align__(16) Packed { float x, y; unsigned short id; unsigned char flag, tag; unsigned bits : 5, level : 11, rest : 16; };
struct Soa { float *x, *y, *z; };
__global__ void aos_step(Particle *p, int n, float dt) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Particle q = p[i];
    q.pos.x += q.vel.x * dt;
    q.pos.y += q.vel.y * dt;
    q.pos.z += q.vel.z * dt;
    p[i].pos = q.pos;
}
__global__ void soa_step(Soa pos, const Soa vel, int n, float dt) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        pos.x[i] += vel.x[i] * dt;
        pos.y[i] += vel.y[i] * dt;
        pos.z[i] += vel.z[i] * dt;
    }
}
__global__ void bits(Packed *p, unsigned *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned v = p[i].bits + p[i].level;
    p[i].flag = v & 1;
    p[i].bits = v & 31;
    out[i] = v + p[i].id;
}
__global__ void kinds(const int *kind, const float *a, float *out, int n) {
    int i = threadIdx.x + blockDim.x * blockIdx.x;
    if (i >= n) return;
    float v;
    switch (kind[i] & 3) {
    case 0: v = a[i]; break;
    case 1: v = a[2 * i]; break;
    case 2: v = a[n - 1 - i] * 2.f; break;
    default: v = 0.f;
    }
    out[i] = v;
}
__global__ void lane_switch(const float *a, float *out) {
    __shared__ float s[4][64];
    int t = threadIdx.x;
    s[t & 3][t >> 2] = a[t];
    __syncthreads();
    float v = 0.f;
    switch (t % 3) {
    case 0: v = s[0][t / 4]; break;
    case 1: v = s[1][t % 64]; break;
    case 2: v = s[2][(t * 2) % 64]; break;
    }
    out[blockIdx.x * blockDim.x + t] = v;
}
__global__ void split_shared(const double *d, const char *c, double *out, int n, int m) {
    extern __shared__ __align__(16) char raw[];
    double *a = reinterpret_cast<double *>(raw);
    int *b = reinterpret_cast<int *>(a + n);
    short *e = (short *)&b[n];
    char *f = (char *)(e + m);
    int t = threadIdx.x;
    if (t < n) { a[t] = d[t]; b[t] = t; }
    if (t < m) { e[t] = t * 3; f[t] = c[t]; }
    __syncthreads();
    if (t < n && t < m) out[blockIdx.x * n + t] = a[n - 1 - t] + b[(t * 4) % n] + e[t / 2] + f[m - 1 - t];
}
__global__ void nested(const float (*m)[12], float (*o)[10][4], int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        for (int k = 0; k < 4; k++) o[i / 10][i % 10][k] = m[i][k * 3] - m[i][k * 3 + 1];
}
__global__ void triple(const uchar3 *rgb, unsigned char *grey, float3 *f, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        uchar3 c = rgb[i];
        grey[i] = (c.x * 77 + c.y * 150 + c.z * 29) >> 8;
        f[i] = make_float3(c.x / 255.f, c.y / 255.f, c.z / 255.f);
    }
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

    Particle *p = zeros<Particle>(500);
    aos_step<<<4, 128>>>(p, 450, 0.1f);
    Soa pos = {floats(1000), floats(1000), floats(1000)}, vel = {floats(1000), floats(1000), floats(1000)};
    soa_step<<<3, 96>>>(pos, vel, 1000, 0.1f);
    bits<<<3, 128>>>(zeros<Packed>(400), zeros<unsigned>(400), 333);
    kinds<<<5, 64>>>(ints<int>(400, 11, 3), floats(800), zeros<float>(400), 300);
    lane_switch<<<3, 256>>>(floats(256), zeros<float>(768));
    split_shared<<<2, 128, 100 * 12 + 120 * 3>>>(zeros<double>(128), ints<char>(128, 100), zeros<double>(300), 100, 120);
    nested<<<3, 64>>>((const float (*)[12])floats(2400), (float (*)[10][4])zeros<float>(800), 190);
    triple<<<3, 160>>>((const uchar3 *)ints<unsigned char>(1500, 255), zeros<unsigned char>(500), zeros<float3>(500), 470);
    return finish("matrices");
}
