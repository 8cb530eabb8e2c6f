struct __align__(16) P { float x, y, z; int id; };
struct Q { double w; int a, b; };
// kernlint: launch(grid=4, block=64)
__global__ void b_rows(const float *in, float *out) { const float2 *row = (const float2 *)(in + blockIdx.x * 101); out[blockIdx.x * 64 + threadIdx.x] = row[threadIdx.x].x + row[threadIdx.x].y; }
// kernlint: launch(grid=4, block=64)
__global__ void g_rows(const float *in, float *out) { const float2 *row = (const float2 *)(in + blockIdx.x * 102); out[blockIdx.x * 64 + threadIdx.x] = row[threadIdx.x].x + row[threadIdx.x].y; }
// kernlint: launch(grid=4, block=64)
__global__ void b_struct(const char *in, float *out) { const P *p = (const P *)(in + 4); out[threadIdx.x + 64 * blockIdx.x] = p[threadIdx.x].x + p[threadIdx.x].y; }
// kernlint: launch(grid=4, block=64)
__global__ void g_struct(const P *p, float *out) { out[threadIdx.x + 64 * blockIdx.x] = p[threadIdx.x].y + p[threadIdx.x].z; }
// kernlint: launch(grid=4, block=64)
__global__ void g_q(const Q *p, float *out) { out[threadIdx.x + 64 * blockIdx.x] = p[threadIdx.x].a + p[threadIdx.x].b; }
// kernlint: launch(grid=4, block=64)
__global__ void g_shared(float *out) { __shared__ float4 s[64]; s[threadIdx.x].y = 1; s[threadIdx.x].x = 2; __syncthreads(); out[threadIdx.x + 64 * blockIdx.x] = s[threadIdx.x].y + s[threadIdx.x].x; }
// kernlint: launch(grid=4, block=64)
__global__ void b_part(const float *in, float *out, int pitch) { const float4 *row = (const float4 *)(in + 4 * threadIdx.x + 1); out[threadIdx.x + 64 * blockIdx.x] = row->y; }
struct R { float4 a; float4 b[2]; };
// kernlint: launch(grid=4, block=64)
__global__ void g_nested(R *r, float *out) { r[threadIdx.x + 64 * blockIdx.x].b[1].z = 2; out[threadIdx.x + 64 * blockIdx.x] = r[threadIdx.x + 64 * blockIdx.x].a.w; }
