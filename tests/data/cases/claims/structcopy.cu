// origin: issue cases
struct Body { float x[3], v[3], a[3], m; };
// only a[] is changed before the whole struct is written back
__global__ void push(Body *p, int n, float g)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Body b = p[i];
    float s = 0.f;
    for (int j = 0; j < n; ++j) {
        Body q = p[j];
        s += (q.x[0] - b.x[0]) * q.m;
    }
    b.a[0] = s * g;
    p[i] = b;
}
__global__ void sum(float *e, int n)
{
    for (int i = 1; i < n; ++i) e[0] += e[i];
}
