__global__ void selected(const float *in, float *out, int n) {
    float a[4];
    int t = threadIdx.x;
    for (int i = 0; i < 4; i++) a[i] = in[i * 32 + t];
    out[t] = a[n & 3] + a[(n + 1) & 3];
}
__global__ void scattered(const float *in, float *out, int n) {
    float a[40];
    int t = threadIdx.x;
    for (int i = 0; i < 40; i++) a[i] = in[i * 32 + t];
    float v = 0;
    for (int i = 0; i < n; i++) v += a[(i * t) % 40];
    out[t] = v;
}
__global__ void unread(const float *in, float *out) {
    __shared__ float s[128];
    __shared__ float u[64];
    u[threadIdx.x] = 1;
    s[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = s[31 - threadIdx.x];
}
int main() {
    float *x, *y;
    cudaMalloc(&x, 40000);
    cudaMalloc(&y, 40000);
    selected<<<1, 32>>>(x, y, 3);
    scattered<<<1, 32>>>(x, y, 30);
    unread<<<1, 32>>>(x, y);
}
