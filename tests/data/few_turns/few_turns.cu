// Loops whose lanes run few and different counts, of which nvcc may know a bound. h100.json: what an NVIDIA H100 counted (nvcc 13.0.88,
// tests/measured/measure.py's flags, 2026-11-22).
#include <cstdio>
#include <cuda_runtime.h>
__global__ void  c20(float *__restrict__ out, const float *__restrict__ in, float *in2, int n) {
    __shared__ float s[512];
    float r = 0;
    for (int i = threadIdx.x % 32; i < 20; i += 32)
        s[i % 512] = in[i];
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x] + r;
}
__global__ void  c32(float *__restrict__ out, const float *__restrict__ in, float *in2, int n) {
    __shared__ float s[512];
    float r = 0;
    for (int i = threadIdx.x % 32; i < 32; i += 32)
        s[i % 512] = in[i];
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x] + r;
}
__global__ void  c40(float *__restrict__ out, const float *__restrict__ in, float *in2, int n) {
    __shared__ float s[512];
    float r = 0;
    for (int i = threadIdx.x % 32; i < 40; i += 32)
        s[i % 512] = in[i];
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x] + r;
}
__global__ void  c50(float *__restrict__ out, const float *__restrict__ in, float *in2, int n) {
    __shared__ float s[512];
    float r = 0;
    for (int i = threadIdx.x % 32; i < 50; i += 32)
        s[i % 512] = in[i];
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x] + r;
}
__global__ void  c64(float *__restrict__ out, const float *__restrict__ in, float *in2, int n) {
    __shared__ float s[512];
    float r = 0;
    for (int i = threadIdx.x % 32; i < 64; i += 32)
        s[i % 512] = in[i];
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x] + r;
}
__global__ void  c72(float *__restrict__ out, const float *__restrict__ in, float *in2, int n) {
    __shared__ float s[512];
    float r = 0;
    for (int i = threadIdx.x % 32; i < 72; i += 32)
        s[i % 512] = in[i];
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x] + r;
}
__global__ void  c96(float *__restrict__ out, const float *__restrict__ in, float *in2, int n) {
    __shared__ float s[512];
    float r = 0;
    for (int i = threadIdx.x % 32; i < 96; i += 32)
        s[i % 512] = in[i];
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x] + r;
}
__global__ void  c104(float *__restrict__ out, const float *__restrict__ in, float *in2, int n) {
    __shared__ float s[512];
    float r = 0;
    for (int i = threadIdx.x % 32; i < 104; i += 32)
        s[i % 512] = in[i];
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x] + r;
}
__global__ void  c128(float *__restrict__ out, const float *__restrict__ in, float *in2, int n) {
    __shared__ float s[512];
    float r = 0;
    for (int i = threadIdx.x % 32; i < 128; i += 32)
        s[i % 512] = in[i];
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x] + r;
}
__global__ void  c136(float *__restrict__ out, const float *__restrict__ in, float *in2, int n) {
    __shared__ float s[512];
    float r = 0;
    for (int i = threadIdx.x % 32; i < 136; i += 32)
        s[i % 512] = in[i];
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x] + r;
}
__global__ void  c168(float *__restrict__ out, const float *__restrict__ in, float *in2, int n) {
    __shared__ float s[512];
    float r = 0;
    for (int i = threadIdx.x % 32; i < 168; i += 32)
        s[i % 512] = in[i];
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x] + r;
}
__global__ void  c200(float *__restrict__ out, const float *__restrict__ in, float *in2, int n) {
    __shared__ float s[512];
    float r = 0;
    for (int i = threadIdx.x % 32; i < 200; i += 32)
        s[i % 512] = in[i];
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x] + r;
}
__global__ void  h24(float *__restrict__ out, const float *__restrict__ in, float *in2, int n) {
    __shared__ float s[512];
    float r = 0;
    for (int i = threadIdx.x % 32; i < 24; i += 16)
        s[i % 512] = in[i];
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x] + r;
}
__global__ void  h40(float *__restrict__ out, const float *__restrict__ in, float *in2, int n) {
    __shared__ float s[512];
    float r = 0;
    for (int i = threadIdx.x % 32; i < 40; i += 16)
        s[i % 512] = in[i];
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x] + r;
}
__global__ void  h48(float *__restrict__ out, const float *__restrict__ in, float *in2, int n) {
    __shared__ float s[512];
    float r = 0;
    for (int i = threadIdx.x % 32; i < 48; i += 16)
        s[i % 512] = in[i];
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x] + r;
}
__global__ void  h56(float *__restrict__ out, const float *__restrict__ in, float *in2, int n) {
    __shared__ float s[512];
    float r = 0;
    for (int i = threadIdx.x % 32; i < 56; i += 16)
        s[i % 512] = in[i];
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x] + r;
}
__global__ void  h60(float *__restrict__ out, const float *__restrict__ in, float *in2, int n) {
    __shared__ float s[512];
    float r = 0;
    for (int i = threadIdx.x % 32; i < 60; i += 16)
        s[i % 512] = in[i];
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x] + r;
}
__global__ void  h70(float *__restrict__ out, const float *__restrict__ in, float *in2, int n) {
    __shared__ float s[512];
    float r = 0;
    for (int i = threadIdx.x % 32; i < 70; i += 16)
        s[i % 512] = in[i];
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x] + r;
}
__global__ void  h90(float *__restrict__ out, const float *__restrict__ in, float *in2, int n) {
    __shared__ float s[512];
    float r = 0;
    for (int i = threadIdx.x % 32; i < 90; i += 16)
        s[i % 512] = in[i];
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x] + r;
}
__global__ void  d40(float *__restrict__ out, const float *__restrict__ in, float *in2, int n) {
    __shared__ float s[512];
    float r = 0;
    for (int i = threadIdx.x % 32; i < 40; i += 64)
        s[i % 512] = in[i];
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x] + r;
}
__global__ void  d80(float *__restrict__ out, const float *__restrict__ in, float *in2, int n) {
    __shared__ float s[512];
    float r = 0;
    for (int i = threadIdx.x % 32; i < 80; i += 64)
        s[i % 512] = in[i];
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x] + r;
}
__global__ void  d100(float *__restrict__ out, const float *__restrict__ in, float *in2, int n) {
    __shared__ float s[512];
    float r = 0;
    for (int i = threadIdx.x % 32; i < 100; i += 64)
        s[i % 512] = in[i];
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x] + r;
}
__global__ void  d130(float *__restrict__ out, const float *__restrict__ in, float *in2, int n) {
    __shared__ float s[512];
    float r = 0;
    for (int i = threadIdx.x % 32; i < 130; i += 64)
        s[i % 512] = in[i];
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x] + r;
}
__global__ void  q10(float *__restrict__ out, const float *__restrict__ in, float *in2, int n) {
    __shared__ float s[512];
    float r = 0;
    for (int i = threadIdx.x % 8; i < 10; i += 8)
        s[i % 512] = in[i];
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x] + r;
}
__global__ void  q12(float *__restrict__ out, const float *__restrict__ in, float *in2, int n) {
    __shared__ float s[512];
    float r = 0;
    for (int i = threadIdx.x % 8; i < 12; i += 8)
        s[i % 512] = in[i];
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x] + r;
}
__global__ void  q20(float *__restrict__ out, const float *__restrict__ in, float *in2, int n) {
    __shared__ float s[512];
    float r = 0;
    for (int i = threadIdx.x % 8; i < 20; i += 8)
        s[i % 512] = in[i];
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x] + r;
}
__global__ void  q28(float *__restrict__ out, const float *__restrict__ in, float *in2, int n) {
    __shared__ float s[512];
    float r = 0;
    for (int i = threadIdx.x % 8; i < 28; i += 8)
        s[i % 512] = in[i];
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x] + r;
}
__global__ void  q36(float *__restrict__ out, const float *__restrict__ in, float *in2, int n) {
    __shared__ float s[512];
    float r = 0;
    for (int i = threadIdx.x % 8; i < 36; i += 8)
        s[i % 512] = in[i];
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x] + r;
}
__global__ void  u40(float *__restrict__ out, const float *__restrict__ in, float *in2, int n) {
    __shared__ float s[512];
    float r = 0;
    for (int i = threadIdx.x % 32; i < 40; i += 32)
        s[i % 512] = in[i];
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x] + r;
}
__global__ void  u50(float *__restrict__ out, const float *__restrict__ in, float *in2, int n) {
    __shared__ float s[512];
    float r = 0;
    for (int i = threadIdx.x % 32; i < 50; i += 32)
        s[i % 512] = in[i];
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x] + r;
}
__global__ void  u72(float *__restrict__ out, const float *__restrict__ in, float *in2, int n) {
    __shared__ float s[512];
    float r = 0;
    for (int i = threadIdx.x % 32; i < 72; i += 32)
        s[i % 512] = in[i];
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x] + r;
}
__global__ void  sum40(float *__restrict__ out, const float *__restrict__ in, float *in2, int n) {
    __shared__ float s[512];
    float r = 0;
    for (int i = threadIdx.x % 32; i < 40; i += 32)
        r += in[i];
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x] + r;
}
__global__ void  sum50(float *__restrict__ out, const float *__restrict__ in, float *in2, int n) {
    __shared__ float s[512];
    float r = 0;
    for (int i = threadIdx.x % 32; i < 50; i += 32)
        r += in[i];
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x] + r;
}
__global__ void  sum72(float *__restrict__ out, const float *__restrict__ in, float *in2, int n) {
    __shared__ float s[512];
    float r = 0;
    for (int i = threadIdx.x % 32; i < 72; i += 32)
        r += in[i];
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x] + r;
}
__global__ void  sum104(float *__restrict__ out, const float *__restrict__ in, float *in2, int n) {
    __shared__ float s[512];
    float r = 0;
    for (int i = threadIdx.x % 32; i < 104; i += 32)
        r += in[i];
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x] + r;
}
__global__ void  two40(float *__restrict__ out, const float *__restrict__ in, float *in2, int n) {
    __shared__ float s[512];
    float r = 0;
    for (int i = threadIdx.x % 32; i < 40; i += 32)
        { s[i % 512] = in[i] * in[i + 300] + in[i + 700]; }
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x] + r;
}
__global__ void  two50(float *__restrict__ out, const float *__restrict__ in, float *in2, int n) {
    __shared__ float s[512];
    float r = 0;
    for (int i = threadIdx.x % 32; i < 50; i += 32)
        { s[i % 512] = in[i] * in[i + 300] + in[i + 700]; }
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x] + r;
}
__global__ void  two72(float *__restrict__ out, const float *__restrict__ in, float *in2, int n) {
    __shared__ float s[512];
    float r = 0;
    for (int i = threadIdx.x % 32; i < 72; i += 32)
        { s[i % 512] = in[i] * in[i + 300] + in[i + 700]; }
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x] + r;
}
__global__ void  mod40(float *__restrict__ out, const float *__restrict__ in, float *in2, int n) {
    __shared__ float s[512];
    float r = 0;
    for (int i = threadIdx.x % 32; i < 40; i += 32)
        { in2[i] = in2[i] * 2.0f + 1.0f; }
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x] + r;
}
__global__ void  mod50(float *__restrict__ out, const float *__restrict__ in, float *in2, int n) {
    __shared__ float s[512];
    float r = 0;
    for (int i = threadIdx.x % 32; i < 50; i += 32)
        { in2[i] = in2[i] * 2.0f + 1.0f; }
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x] + r;
}
__global__ void  mod72(float *__restrict__ out, const float *__restrict__ in, float *in2, int n) {
    __shared__ float s[512];
    float r = 0;
    for (int i = threadIdx.x % 32; i < 72; i += 32)
        { in2[i] = in2[i] * 2.0f + 1.0f; }
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x] + r;
}
__global__ void  p1_50(float *__restrict__ out, const float *__restrict__ in, float *in2, int n) {
    __shared__ float s[512];
    float r = 0;
#pragma unroll 1
    for (int i = threadIdx.x % 32; i < 50; i += 32)
        s[i % 512] = in[i];
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x] + r;
}
__global__ void  p1_72(float *__restrict__ out, const float *__restrict__ in, float *in2, int n) {
    __shared__ float s[512];
    float r = 0;
#pragma unroll 1
    for (int i = threadIdx.x % 32; i < 72; i += 32)
        s[i % 512] = in[i];
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x] + r;
}
__global__ void  p1_104(float *__restrict__ out, const float *__restrict__ in, float *in2, int n) {
    __shared__ float s[512];
    float r = 0;
#pragma unroll 1
    for (int i = threadIdx.x % 32; i < 104; i += 32)
        s[i % 512] = in[i];
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x] + r;
}
__global__ void  p2_50(float *__restrict__ out, const float *__restrict__ in, float *in2, int n) {
    __shared__ float s[512];
    float r = 0;
#pragma unroll 2
    for (int i = threadIdx.x % 32; i < 50; i += 32)
        s[i % 512] = in[i];
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x] + r;
}
__global__ void  p2_72(float *__restrict__ out, const float *__restrict__ in, float *in2, int n) {
    __shared__ float s[512];
    float r = 0;
#pragma unroll 2
    for (int i = threadIdx.x % 32; i < 72; i += 32)
        s[i % 512] = in[i];
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x] + r;
}
__global__ void  p2_104(float *__restrict__ out, const float *__restrict__ in, float *in2, int n) {
    __shared__ float s[512];
    float r = 0;
#pragma unroll 2
    for (int i = threadIdx.x % 32; i < 104; i += 32)
        s[i % 512] = in[i];
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x] + r;
}
__global__ void  p4_50(float *__restrict__ out, const float *__restrict__ in, float *in2, int n) {
    __shared__ float s[512];
    float r = 0;
#pragma unroll 4
    for (int i = threadIdx.x % 32; i < 50; i += 32)
        s[i % 512] = in[i];
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x] + r;
}
__global__ void  p4_72(float *__restrict__ out, const float *__restrict__ in, float *in2, int n) {
    __shared__ float s[512];
    float r = 0;
#pragma unroll 4
    for (int i = threadIdx.x % 32; i < 72; i += 32)
        s[i % 512] = in[i];
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x] + r;
}
__global__ void  p4_104(float *__restrict__ out, const float *__restrict__ in, float *in2, int n) {
    __shared__ float s[512];
    float r = 0;
#pragma unroll 4
    for (int i = threadIdx.x % 32; i < 104; i += 32)
        s[i % 512] = in[i];
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x] + r;
}
__global__ void  p8_50(float *__restrict__ out, const float *__restrict__ in, float *in2, int n) {
    __shared__ float s[512];
    float r = 0;
#pragma unroll 8
    for (int i = threadIdx.x % 32; i < 50; i += 32)
        s[i % 512] = in[i];
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x] + r;
}
__global__ void  p8_72(float *__restrict__ out, const float *__restrict__ in, float *in2, int n) {
    __shared__ float s[512];
    float r = 0;
#pragma unroll 8
    for (int i = threadIdx.x % 32; i < 72; i += 32)
        s[i % 512] = in[i];
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x] + r;
}
__global__ void  p8_104(float *__restrict__ out, const float *__restrict__ in, float *in2, int n) {
    __shared__ float s[512];
    float r = 0;
#pragma unroll 8
    for (int i = threadIdx.x % 32; i < 104; i += 32)
        s[i % 512] = in[i];
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x] + r;
}
__global__ void  pp50(float *__restrict__ out, const float *__restrict__ in, float *in2, int n) {
    __shared__ float s[512];
    float r = 0;
#pragma unroll
    for (int i = threadIdx.x % 32; i < 50; i += 32)
        s[i % 512] = in[i];
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x] + r;
}
__global__ void  pp72(float *__restrict__ out, const float *__restrict__ in, float *in2, int n) {
    __shared__ float s[512];
    float r = 0;
#pragma unroll
    for (int i = threadIdx.x % 32; i < 72; i += 32)
        s[i % 512] = in[i];
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x] + r;
}
__global__ void __launch_bounds__(128) b100(float *__restrict__ out, const float *__restrict__ in, float *in2, int n) {
    __shared__ float s[512];
    float r = 0;
    for (int i = threadIdx.x; i < 100; i += 128)
        s[i % 512] = in[i];
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x] + r;
}
__global__ void __launch_bounds__(128) b200(float *__restrict__ out, const float *__restrict__ in, float *in2, int n) {
    __shared__ float s[512];
    float r = 0;
    for (int i = threadIdx.x; i < 200; i += 128)
        s[i % 512] = in[i];
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x] + r;
}
__global__ void __launch_bounds__(128) b300(float *__restrict__ out, const float *__restrict__ in, float *in2, int n) {
    __shared__ float s[512];
    float r = 0;
    for (int i = threadIdx.x; i < 300; i += 128)
        s[i % 512] = in[i];
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x] + r;
}
__global__ void  t100(float *__restrict__ out, const float *__restrict__ in, float *in2, int n) {
    __shared__ float s[512];
    float r = 0;
    for (int i = threadIdx.x; i < 100; i += 128)
        s[i % 512] = in[i];
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x] + r;
}
__global__ void  t200(float *__restrict__ out, const float *__restrict__ in, float *in2, int n) {
    __shared__ float s[512];
    float r = 0;
    for (int i = threadIdx.x; i < 200; i += 128)
        s[i % 512] = in[i];
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x] + r;
}
__global__ void  t300(float *__restrict__ out, const float *__restrict__ in, float *in2, int n) {
    __shared__ float s[512];
    float r = 0;
    for (int i = threadIdx.x; i < 300; i += 128)
        s[i % 512] = in[i];
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x] + r;
}
__global__ void  rev50(float *__restrict__ out, const float *__restrict__ in, float *in2, int n) {
    __shared__ float s[512];
    float r = 0;
    for (int i = 49 - (int)(threadIdx.x % 32); i >= 0; i -= 32)
        s[i % 512] = in[i];
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x] + r;
}
__global__ void  rev72(float *__restrict__ out, const float *__restrict__ in, float *in2, int n) {
    __shared__ float s[512];
    float r = 0;
    for (int i = 71 - (int)(threadIdx.x % 32); i >= 0; i -= 32)
        s[i % 512] = in[i];
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x] + r;
}
__global__ void  uns50(float *__restrict__ out, const float *__restrict__ in, float *in2, int n) {
    __shared__ float s[512];
    float r = 0;
    for (unsigned i = threadIdx.x % 32; i < 50; i += 32)
        s[i % 512] = in[i];
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x] + r;
}
__global__ void  uns72(float *__restrict__ out, const float *__restrict__ in, float *in2, int n) {
    __shared__ float s[512];
    float r = 0;
    for (unsigned i = threadIdx.x % 32; i < 72; i += 32)
        s[i % 512] = in[i];
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x] + r;
}
__global__ void  lng50(float *__restrict__ out, const float *__restrict__ in, float *in2, int n) {
    __shared__ float s[512];
    float r = 0;
    for (long long i = threadIdx.x % 32; i < 50; i += 32)
        s[i % 512] = in[i];
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x] + r;
}
__global__ void  lng72(float *__restrict__ out, const float *__restrict__ in, float *in2, int n) {
    __shared__ float s[512];
    float r = 0;
    for (long long i = threadIdx.x % 32; i < 72; i += 32)
        s[i % 512] = in[i];
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x] + r;
}
__global__ void  off50(float *__restrict__ out, const float *__restrict__ in, float *in2, int n) {
    __shared__ float s[512];
    float r = 0;
    const int base = blockIdx.x * 100;
    for (int i = base + (int)(threadIdx.x % 32); i < base + 50; i += 32)
        s[i % 512] = in[i];
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x] + r;
}
__global__ void  off72(float *__restrict__ out, const float *__restrict__ in, float *in2, int n) {
    __shared__ float s[512];
    float r = 0;
    const int base = blockIdx.x * 100;
    for (int i = base + (int)(threadIdx.x % 32); i < base + 72; i += 32)
        s[i % 512] = in[i];
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x] + r;
}
__global__ void  offn50(float *__restrict__ out, const float *__restrict__ in, float *in2, int n) {
    __shared__ float s[512];
    float r = 0;
    for (int i = n + (int)(threadIdx.x % 32); i < n + 50; i += 32)
        s[i % 512] = in[i];
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x] + r;
}
__global__ void  offn72(float *__restrict__ out, const float *__restrict__ in, float *in2, int n) {
    __shared__ float s[512];
    float r = 0;
    for (int i = n + (int)(threadIdx.x % 32); i < n + 72; i += 32)
        s[i % 512] = in[i];
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x] + r;
}
__global__ void  le50(float *__restrict__ out, const float *__restrict__ in, float *in2, int n) {
    __shared__ float s[512];
    float r = 0;
    for (int i = threadIdx.x % 32; i <= 49; i += 32)
        s[i % 512] = in[i];
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x] + r;
}
__global__ void  le72(float *__restrict__ out, const float *__restrict__ in, float *in2, int n) {
    __shared__ float s[512];
    float r = 0;
    for (int i = threadIdx.x % 32; i <= 71; i += 32)
        s[i % 512] = in[i];
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x] + r;
}
__global__ void  sh50(float *__restrict__ out, const float *__restrict__ in, float *in2, int n) {
    __shared__ float s[512];
    float r = 0;
    for (int i = (threadIdx.x & 31) + 1; i < 50; i += 32)
        s[i % 512] = in[i];
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x] + r;
}
__global__ void  sh72(float *__restrict__ out, const float *__restrict__ in, float *in2, int n) {
    __shared__ float s[512];
    float r = 0;
    for (int i = (threadIdx.x & 31) + 1; i < 72; i += 32)
        s[i % 512] = in[i];
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x] + r;
}
__global__ void  nest50(float *__restrict__ out, const float *__restrict__ in, float *in2, int n) {
    __shared__ float s[512];
    float r = 0;
    for (int j = 0; j < 3; j++)
    for (int i = threadIdx.x % 32; i < 50; i += 32)
        s[(i + j) % 512] = in[i + j * 100];
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x] + r;
}
__global__ void  nest72(float *__restrict__ out, const float *__restrict__ in, float *in2, int n) {
    __shared__ float s[512];
    float r = 0;
    for (int j = 0; j < 3; j++)
    for (int i = threadIdx.x % 32; i < 72; i += 32)
        s[(i + j) % 512] = in[i + j * 100];
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x] + r;
}
__global__ void  nestn50(float *__restrict__ out, const float *__restrict__ in, float *in2, int n) {
    __shared__ float s[512];
    float r = 0;
    for (int j = 0; j < n; j++)
    for (int i = threadIdx.x % 32; i < 50; i += 32)
        s[(i + j) % 512] = in[i + j * 100];
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x] + r;
}
__global__ void  nestn72(float *__restrict__ out, const float *__restrict__ in, float *in2, int n) {
    __shared__ float s[512];
    float r = 0;
    for (int j = 0; j < n; j++)
    for (int i = threadIdx.x % 32; i < 72; i += 32)
        s[(i + j) % 512] = in[i + j * 100];
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x] + r;
}
__global__ void  iff50(float *__restrict__ out, const float *__restrict__ in, float *in2, int n) {
    __shared__ float s[512];
    float r = 0;
    for (int i = threadIdx.x % 32; i < 50; i += 32)
        if (in[i] > 0) s[i % 512] = in[i + 512];
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x] + r;
}
__global__ void  iff72(float *__restrict__ out, const float *__restrict__ in, float *in2, int n) {
    __shared__ float s[512];
    float r = 0;
    for (int i = threadIdx.x % 32; i < 72; i += 32)
        if (in[i] > 0) s[i % 512] = in[i + 512];
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x] + r;
}
__global__ void  act50(float *__restrict__ out, const float *__restrict__ in, float *in2, int n) {
    __shared__ float s[512];
    float r = 0;
    for (int i = threadIdx.x % 32; i < 50; i += 32)
        { int w = i * 7; if (w > 100) w -= 90; s[w % 512] = in[i] * w; }
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x] + r;
}
__global__ void  act72(float *__restrict__ out, const float *__restrict__ in, float *in2, int n) {
    __shared__ float s[512];
    float r = 0;
    for (int i = threadIdx.x % 32; i < 72; i += 32)
        { int w = i * 7; if (w > 100) w -= 90; s[w % 512] = in[i] * w; }
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x] + r;
}
__global__ void  big50(float *__restrict__ out, const float *__restrict__ in, float *in2, int n) {
    __shared__ float s[512];
    float r = 0;
    for (int i = threadIdx.x % 32; i < 50; i += 32)
        { float v = in[i]; for (int e = 0; e < 12; e++) v = __sinf(v) * 1.5f + e; s[i % 512] = v; }
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x] + r;
}
__global__ void  big72(float *__restrict__ out, const float *__restrict__ in, float *in2, int n) {
    __shared__ float s[512];
    float r = 0;
    for (int i = threadIdx.x % 32; i < 72; i += 32)
        { float v = in[i]; for (int e = 0; e < 12; e++) v = __sinf(v) * 1.5f + e; s[i % 512] = v; }
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x] + r;
}
__global__ void  rn40(float *__restrict__ out, const float *__restrict__ in, float *in2, int n) {
    __shared__ float s[512];
    float r = 0;
    for (int i = threadIdx.x % 32; i < n; i += 32)
        s[i % 512] = in[i];
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x] + r;
}
__global__ void  rn50(float *__restrict__ out, const float *__restrict__ in, float *in2, int n) {
    __shared__ float s[512];
    float r = 0;
    for (int i = threadIdx.x % 32; i < n; i += 32)
        s[i % 512] = in[i];
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x] + r;
}
__global__ void  rn100(float *__restrict__ out, const float *__restrict__ in, float *in2, int n) {
    __shared__ float s[512];
    float r = 0;
    for (int i = threadIdx.x % 32; i < n; i += 32)
        s[i % 512] = in[i];
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x] + r;
}
__global__ void  half40(float *__restrict__ out, const float *__restrict__ in, float *in2, int n) {
    __shared__ float s[512];
    float r = 0;
    for (int i = threadIdx.x % 16; i < 40; i += 16)
        s[i % 512] = in[i];
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x] + r;
}
__global__ void  half50(float *__restrict__ out, const float *__restrict__ in, float *in2, int n) {
    __shared__ float s[512];
    float r = 0;
    for (int i = threadIdx.x % 16; i < 50; i += 16)
        s[i % 512] = in[i];
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x] + r;
}
__global__ void  half72(float *__restrict__ out, const float *__restrict__ in, float *in2, int n) {
    __shared__ float s[512];
    float r = 0;
    for (int i = threadIdx.x % 16; i < 72; i += 16)
        s[i % 512] = in[i];
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x] + r;
}
int main() {
    float *o, *a, *b;
    cudaMalloc(&o, 1 << 20); cudaMalloc(&a, 1 << 20); cudaMalloc(&b, 1 << 20);
    cudaMemset(a, 63, 1 << 20); cudaMemset(b, 63, 1 << 20);
    c20<<<4, 128>>>(o, a, b, 3);
    c32<<<4, 128>>>(o, a, b, 3);
    c40<<<4, 128>>>(o, a, b, 3);
    c50<<<4, 128>>>(o, a, b, 3);
    c64<<<4, 128>>>(o, a, b, 3);
    c72<<<4, 128>>>(o, a, b, 3);
    c96<<<4, 128>>>(o, a, b, 3);
    c104<<<4, 128>>>(o, a, b, 3);
    c128<<<4, 128>>>(o, a, b, 3);
    c136<<<4, 128>>>(o, a, b, 3);
    c168<<<4, 128>>>(o, a, b, 3);
    c200<<<4, 128>>>(o, a, b, 3);
    h24<<<4, 128>>>(o, a, b, 3);
    h40<<<4, 128>>>(o, a, b, 3);
    h48<<<4, 128>>>(o, a, b, 3);
    h56<<<4, 128>>>(o, a, b, 3);
    h60<<<4, 128>>>(o, a, b, 3);
    h70<<<4, 128>>>(o, a, b, 3);
    h90<<<4, 128>>>(o, a, b, 3);
    d40<<<4, 128>>>(o, a, b, 3);
    d80<<<4, 128>>>(o, a, b, 3);
    d100<<<4, 128>>>(o, a, b, 3);
    d130<<<4, 128>>>(o, a, b, 3);
    q10<<<4, 128>>>(o, a, b, 3);
    q12<<<4, 128>>>(o, a, b, 3);
    q20<<<4, 128>>>(o, a, b, 3);
    q28<<<4, 128>>>(o, a, b, 3);
    q36<<<4, 128>>>(o, a, b, 3);
    u40<<<4, 128>>>(o, a, b, 3);
    u50<<<4, 128>>>(o, a, b, 3);
    u72<<<4, 128>>>(o, a, b, 3);
    sum40<<<4, 128>>>(o, a, b, 3);
    sum50<<<4, 128>>>(o, a, b, 3);
    sum72<<<4, 128>>>(o, a, b, 3);
    sum104<<<4, 128>>>(o, a, b, 3);
    two40<<<4, 128>>>(o, a, b, 3);
    two50<<<4, 128>>>(o, a, b, 3);
    two72<<<4, 128>>>(o, a, b, 3);
    mod40<<<4, 128>>>(o, a, b, 3);
    mod50<<<4, 128>>>(o, a, b, 3);
    mod72<<<4, 128>>>(o, a, b, 3);
    p1_50<<<4, 128>>>(o, a, b, 3);
    p1_72<<<4, 128>>>(o, a, b, 3);
    p1_104<<<4, 128>>>(o, a, b, 3);
    p2_50<<<4, 128>>>(o, a, b, 3);
    p2_72<<<4, 128>>>(o, a, b, 3);
    p2_104<<<4, 128>>>(o, a, b, 3);
    p4_50<<<4, 128>>>(o, a, b, 3);
    p4_72<<<4, 128>>>(o, a, b, 3);
    p4_104<<<4, 128>>>(o, a, b, 3);
    p8_50<<<4, 128>>>(o, a, b, 3);
    p8_72<<<4, 128>>>(o, a, b, 3);
    p8_104<<<4, 128>>>(o, a, b, 3);
    pp50<<<4, 128>>>(o, a, b, 3);
    pp72<<<4, 128>>>(o, a, b, 3);
    b100<<<4, 128>>>(o, a, b, 3);
    b200<<<4, 128>>>(o, a, b, 3);
    b300<<<4, 128>>>(o, a, b, 3);
    t100<<<4, 128>>>(o, a, b, 3);
    t200<<<4, 128>>>(o, a, b, 3);
    t300<<<4, 128>>>(o, a, b, 3);
    rev50<<<4, 128>>>(o, a, b, 3);
    rev72<<<4, 128>>>(o, a, b, 3);
    uns50<<<4, 128>>>(o, a, b, 3);
    uns72<<<4, 128>>>(o, a, b, 3);
    lng50<<<4, 128>>>(o, a, b, 3);
    lng72<<<4, 128>>>(o, a, b, 3);
    off50<<<4, 128>>>(o, a, b, 3);
    off72<<<4, 128>>>(o, a, b, 3);
    offn50<<<4, 128>>>(o, a, b, 3);
    offn72<<<4, 128>>>(o, a, b, 3);
    le50<<<4, 128>>>(o, a, b, 3);
    le72<<<4, 128>>>(o, a, b, 3);
    sh50<<<4, 128>>>(o, a, b, 3);
    sh72<<<4, 128>>>(o, a, b, 3);
    nest50<<<4, 128>>>(o, a, b, 3);
    nest72<<<4, 128>>>(o, a, b, 3);
    nestn50<<<4, 128>>>(o, a, b, 3);
    nestn72<<<4, 128>>>(o, a, b, 3);
    iff50<<<4, 128>>>(o, a, b, 3);
    iff72<<<4, 128>>>(o, a, b, 3);
    act50<<<4, 128>>>(o, a, b, 3);
    act72<<<4, 128>>>(o, a, b, 3);
    big50<<<4, 128>>>(o, a, b, 3);
    big72<<<4, 128>>>(o, a, b, 3);
    rn40<<<4, 128>>>(o, a, b, 40);
    rn50<<<4, 128>>>(o, a, b, 50);
    rn100<<<4, 128>>>(o, a, b, 100);
    half40<<<4, 128>>>(o, a, b, 3);
    half50<<<4, 128>>>(o, a, b, 3);
    half72<<<4, 128>>>(o, a, b, 3);
    return cudaDeviceSynchronize();
}
