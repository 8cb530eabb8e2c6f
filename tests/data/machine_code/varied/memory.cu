#include "common.h"
// shared, local arrays, vectors, bytes, dynamic shared memory
__global__ void reversed(const float *in, float *out) {
    __shared__ float s[256];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    out[blockIdx.x * 256 + t] = s[255 - t];
}
__global__ void indirect_shared(const float *in, float *out) {
    __shared__ int index[64];
    __shared__ float s[64 * 3];
    int t = threadIdx.x;
    index[t] = t * 5 % 64;
    for (int k = 0; k < 3; k++) s[k * 64 + t] = in[t + k];
    __syncthreads();
    float v = 0;
    for (int k = 0; k < 3; k++) v += s[index[t] * 3 + k];
    out[blockIdx.x * 64 + t] = v;
}
__global__ void local_array(const float *in, float *out, int n) {
    float a[24];
    int t = threadIdx.x;
    for (int i = 0; i < 24; i++) a[i] = in[i * 64 + t];
    float v = 0;
    for (int i = 0; i < n; i++) v += a[(i * 7 + t) % 24];
    out[t] = v;
}
__global__ void vectors(const float4 *in, float4 *out, const double2 *d, double2 *e) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 a = in[i], b = in[i ^ 1];
    out[i] = make_float4(a.x + b.w, a.y, b.z, a.w);
    e[i / 2 + (i & 1) * 256] = d[i];
}
__global__ void bytes(const unsigned char *in, unsigned char *out, unsigned short *halfs, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ unsigned char s[512];
    if (i < n) {
        s[threadIdx.x * 3 & 511] = in[i];
        s[threadIdx.x + 200] = in[i * 2];
        __syncwarp();
        out[i] = s[threadIdx.x];
        halfs[i * 3] = s[threadIdx.x * 2];
    }
}
extern __shared__ char pool[];
__global__ void carved(const float *in, float *out, int n) {
    float *a = (float *)pool;
    double *b = (double *)(pool + n * 4);
    int *c = (int *)(b + n);
    int t = threadIdx.x;
    if (t < n) {
        a[t] = in[t];
        b[n - 1 - t] = in[t + n];
        c[t * 3 % n] = t;
    }
    __syncthreads();
    if (t < n) out[t] = a[n - 1 - t] + b[t] + c[t];
}
struct Node { int kind; double weight; char tag[3]; float at[2]; };
__global__ void records(const Node *in, Node *out, float *sum, int n) {
    __shared__ Node keep[32];
    int t = threadIdx.x;
    keep[t] = in[blockIdx.x * 32 + t];
    __syncthreads();
    Node me = keep[31 - t];
    me.at[1] += me.weight;
    me.tag[1] = 3;
    out[blockIdx.x * 32 + t] = me;
    if (t < n) sum[t] = keep[t].at[0] + keep[t ^ 1].kind;
}
__global__ void transposed(const float *in, float *out, int n) {
    __shared__ float tile[16][17];
    __shared__ float plain[16][16];
    int x = threadIdx.x, y = threadIdx.y;
    tile[y][x] = in[(blockIdx.y * 16 + y) * n + blockIdx.x * 16 + x];
    plain[x][y] = tile[y][x];
    __syncthreads();
    out[(blockIdx.x * 16 + y) * n + blockIdx.y * 16 + x] = tile[x][y] + plain[y][x];
}
__global__ void scan_block(const int *in, int *out) {
    __shared__ int s[2][128];
    int t = threadIdx.x, cur = 0;
    s[0][t] = in[t];
    __syncthreads();
    for (int d = 1; d < 128; d *= 2) {
        s[1 - cur][t] = s[cur][t] + (t >= d ? s[cur][t - d] : 0);
        cur = 1 - cur;
        __syncthreads();
    }
    out[t] = s[cur][t];
}
__global__ void private_stack(const int *in, int *out, int n) {
    int stack[16], top = 0, t = threadIdx.x, visited = 0;
    stack[top++] = t;
    while (top > 0 && visited < n) {
        int at = stack[--top];
        visited += 1;
        out[at & 255] = in[at & 511];
        if (at * 2 + 1 < 300 && top < 14) { stack[top++] = at * 2 + 1; stack[top++] = at * 2 + 2; }
    }
    out[256 + t] = visited;
}
int main() {
    float *f = fill<float>(1 << 16, 1000), *o = room<float>(1 << 16);
    int *g = fill<int>(1 << 14, 501), *h = room<int>(1 << 14);
    reversed<<<2, 256>>>(f, o);
    indirect_shared<<<2, 64>>>(f, o);
    local_array<<<1, 64>>>(f, o, 30);
    vectors<<<4, 64>>>((float4 *)f, (float4 *)o, (double2 *)fill<double>(1024, 99), (double2 *)room<double>(2048));
    bytes<<<3, 128>>>(fill<unsigned char>(2048, 251), room<unsigned char>(2048), room<unsigned short>(2048), 330);
    carved<<<1, 64, 50 * 16>>>(f, o, 50);
    records<<<4, 32>>>((Node *)fill<int>(4096, 50), (Node *)room<int>(4096), o, 20);
    transposed<<<dim3(3, 2), dim3(16, 16)>>>(f, o, 64);
    scan_block<<<1, 128>>>(g, h);
    private_stack<<<1, 64>>>(g, h, 25);
    return finish("memory");
}
