#include "common.h"
#include <cstdint>
struct Particle { float x, y, z; int id; float w; };          // 20 bytes
struct __align__(16) Packet { float v[4]; int tag; };
struct Pair12 { float3 a; };
__global__ void b_cast4(const float *in, float *out) { int i = threadIdx.x; float4 v = *reinterpret_cast<const float4 *>(in + 4 * i + 1); out[i] = v.x + v.w; }
__global__ void g_cast4(const float *in, float *out) { int i = threadIdx.x; float4 v = *reinterpret_cast<const float4 *>(in + 4 * i + 4); out[i] = v.x + v.w; }
__global__ void b_pitch(const float *in, float *out, int pitch) { const float4 *row = (const float4 *)(in + blockIdx.x * pitch); float4 v = row[threadIdx.x]; out[blockIdx.x * 16 + threadIdx.x] = v.y; }
__global__ void g_pitch(const float *in, float *out, int pitch) { const float4 *row = (const float4 *)(in + blockIdx.x * pitch); float4 v = row[threadIdx.x]; out[blockIdx.x * 16 + threadIdx.x] = v.y; }
__global__ void b_part(const Particle *p, float *out) { int i = threadIdx.x; float2 v = *(const float2 *)&p[i].x; out[i] = v.x + v.y; }   // 20 i: odd multiples of 4
__global__ void g_part(const Particle *p, float *out) { int i = threadIdx.x; float2 v = make_float2(p[i].x, p[i].y); out[i] = v.x + v.y; }
__global__ void b_tile(const float4 *in, float *out) {
    __shared__ float t[32][33];
    int r = threadIdx.x / 8, c = threadIdx.x % 8;
    *(float4 *)&t[r][4 * c] = in[threadIdx.x];       // rows of 132 bytes
    __syncthreads();
    out[threadIdx.x] = t[c][r];
}
__global__ void g_tile(const float4 *in, float *out) {
    __shared__ __align__(16) float t[32][36];
    int r = threadIdx.x / 8, c = threadIdx.x % 8;
    *(float4 *)&t[r][4 * c] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = t[c][r];
}
__global__ void b_carved(double *out, int n) {
    extern __shared__ char raw[];
    int *idx = (int *)raw; double *w = (double *)(idx + n);
    int t = threadIdx.x; if (t < n) idx[t] = t;
    w[t] = t * 0.5; __syncthreads();
    out[t] = w[63 - t] + (t < n ? idx[n - 1 - t] : 0);
}
__global__ void g_carved(double *out, int n) {
    extern __shared__ char raw[];
    double *w = (double *)raw; int *idx = (int *)(w + 64);
    int t = threadIdx.x; if (t < n) idx[t] = t;
    w[t] = t * 0.5; __syncthreads();
    out[t] = w[63 - t] + (t < n ? idx[n - 1 - t] : 0);
}
__global__ void b_bytes8(const unsigned char *msg, unsigned long long *out) { int i = blockIdx.x * blockDim.x + threadIdx.x; out[i] = *(const unsigned long long *)(msg + 12 * i); }
__global__ void g_bytes8(const unsigned char *msg, unsigned long long *out) { int i = blockIdx.x * blockDim.x + threadIdx.x; out[i] = *(const unsigned long long *)(msg + 16 * i); }
__global__ void b_cpasync(const float *in, float *out) {
    __shared__ __align__(16) float s[64 * 5];
    unsigned dst = (unsigned)__cvta_generic_to_shared(&s[5 * threadIdx.x]);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(dst), "l"(in + 4 * threadIdx.x));
    asm volatile("cp.async.commit_group;"); asm volatile("cp.async.wait_group 0;");
    __syncthreads();
    out[threadIdx.x] = s[5 * (63 - threadIdx.x)];
}
__global__ void g_cpasync(const float *in, float *out) {
    __shared__ __align__(16) float s[64 * 4];
    unsigned dst = (unsigned)__cvta_generic_to_shared(&s[4 * threadIdx.x]);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(dst), "l"(in + 4 * threadIdx.x));
    asm volatile("cp.async.commit_group;"); asm volatile("cp.async.wait_group 0;");
    __syncthreads();
    out[threadIdx.x] = s[4 * (63 - threadIdx.x)];
}
__global__ void b_ldm(const unsigned short *in, unsigned *out) {
    __shared__ __align__(16) unsigned short a[16][20];    // rows of 40 bytes: odd rows at 8 mod 16
    for (int i = threadIdx.x; i < 256; i += 32) a[i / 16][i % 16] = in[i];
    __syncthreads();
    unsigned r0, r1, r2, r3; unsigned addr = (unsigned)__cvta_generic_to_shared(&a[threadIdx.x % 16][threadIdx.x / 16 * 8]);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3) : "r"(addr));
    out[threadIdx.x] = r0 + r1 + r2 + r3;
}
__global__ void g_ldm(const unsigned short *in, unsigned *out) {
    __shared__ __align__(16) unsigned short a[16][24];
    for (int i = threadIdx.x; i < 256; i += 32) a[i / 16][i % 16] = in[i];
    __syncthreads();
    unsigned r0, r1, r2, r3; unsigned addr = (unsigned)__cvta_generic_to_shared(&a[threadIdx.x % 16][threadIdx.x / 16 * 8]);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3) : "r"(addr));
    out[threadIdx.x] = r0 + r1 + r2 + r3;
}
__global__ void b_member(const float *in, float *out) { const float4 *p = (const float4 *)(in + 2); out[threadIdx.x] = p[threadIdx.x].x + p[threadIdx.x].y + p[threadIdx.x].z + p[threadIdx.x].w; }
__global__ void g_member(const float *in, float *out) { const float2 *p = (const float2 *)(in + 2); out[threadIdx.x] = p[threadIdx.x].x + p[threadIdx.x].y; }
__global__ void b_packet(const char *in, int *out) { const Packet *p = (const Packet *)(in + 8); Packet q = p[threadIdx.x]; out[threadIdx.x] = q.tag + (int)(q.v[0] + q.v[1] + q.v[2] + q.v[3]); }
__global__ void g_packet(const char *in, int *out) { const Packet *p = (const Packet *)(in + 16); Packet q = p[threadIdx.x]; out[threadIdx.x] = q.tag + (int)(q.v[0] + q.v[1] + q.v[2] + q.v[3]); }
__global__ void b_atomic64(int *x) { unsigned long long *p = (unsigned long long *)(x + 1); atomicAdd(p + threadIdx.x, 1ull); }
__global__ void g_atomic64(int *x) { unsigned long long *p = (unsigned long long *)(x + 2); atomicAdd(p + threadIdx.x, 1ull); }
int main(int argc, char **argv) {
    float *f, *o; char *c; double *d;
    MUST(cudaMalloc(&f, 1 << 20)); MUST(cudaMalloc(&o, 1 << 20)); MUST(cudaMalloc(&c, 1 << 20)); MUST(cudaMalloc(&d, 1 << 20));
    MUST(cudaMemset(f, 0, 1 << 20)); MUST(cudaMemset(c, 0, 1 << 20));
#define R(name, ...) if (wanted(argc, argv, #name)) { name<<<__VA_ARGS__; done(#name); }
    R(b_cast4, 1, 64>>>(f, o)) R(g_cast4, 1, 64>>>(f, o))
    R(b_pitch, 4, 16>>>(f, o, 66)) R(g_pitch, 4, 16>>>(f, o, 68))
    R(b_part, 1, 64>>>((Particle *)f, o)) R(g_part, 1, 64>>>((Particle *)f, o))
    R(b_tile, 1, 256>>>((float4 *)f, o)) R(g_tile, 1, 256>>>((float4 *)f, o))
    R(b_carved, 1, 64, 64 * 12>>>(d, 63)) R(g_carved, 1, 64, 64 * 12>>>(d, 63))
    R(b_bytes8, 1, 64>>>((unsigned char *)c, (unsigned long long *)o)) R(g_bytes8, 1, 64>>>((unsigned char *)c, (unsigned long long *)o))
    R(b_cpasync, 1, 64>>>(f, o)) R(g_cpasync, 1, 64>>>(f, o))
    R(b_ldm, 1, 32>>>((unsigned short *)f, (unsigned *)o)) R(g_ldm, 1, 32>>>((unsigned short *)f, (unsigned *)o))
    R(b_member, 1, 64>>>(f, o)) R(g_member, 1, 64>>>(f, o))
    R(b_packet, 1, 64>>>(c, (int *)o)) R(g_packet, 1, 64>>>(c, (int *)o))
    R(b_atomic64, 1, 64>>>((int *)f)) R(g_atomic64, 1, 64>>>((int *)f))
    return 0;
}
