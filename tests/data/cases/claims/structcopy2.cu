// origin: issue cases
struct Body { float x[2], a[2], m; };
__global__ void push(Body *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Body b = p[i];
    b.a[0] = b.x[0];
    b.a[1] = b.x[1];
    p[i] = b;
}
__global__ void push2(Body *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    auto b = p[i];
    float s = b.a[0];
    for (int j = 0; j < n; ++j)
        s += p[j].m - b.x[0];
    b.a[0] = s;
    p[i] = b;
}
