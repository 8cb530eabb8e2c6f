__constant__ int offs[4] = {0, 7, 16, 33};
__constant__ int filled[4];
__global__ void gathered(float *out, const float *a, const float *b, const int *ids) {
    __shared__ float tile[64];
    int t = threadIdx.x;
    tile[t] = 1;
    __syncthreads();
    out[t] = a[ids[t]] + b[2 * t] + tile[t ^ 1];
}
__global__ void constants(float *out, const float *in, int n) {
    int t = threadIdx.x;
    float s = 0;
    for (int i = 0; i < n; ++i)
        s += in[t + offs[i]];
    out[t * offs[1]] = s;
    out[filled[t & 3] + 64 * t] = 2;
}
__global__ void frame(int *out, const int *ids, int n) {
    int a[256];
    int t = threadIdx.x;
    for (int i = 0; i < n; ++i) {
        int at = (i * 7 + t) % n;
        a[at] = ids[t + i];
    }
    out[t] = a[(t * 3) % n];
}
int main() {
    float *o, *a, *b;
    int *ids;
    gathered<<<2, 64>>>(o, a, b, ids);
    constants<<<2, 64>>>(o, a, 4);
    frame<<<2, 64>>>(ids, ids, 200);
}
