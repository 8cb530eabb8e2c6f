struct Empty {};
struct Pair { int n; int m; };
struct Inner { int a; char b; };
struct Outer { Inner inner; char c; int n; int z; };

__global__ void empty(float *y, Empty, int n, int m, float alpha)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = alpha * m;
}

__global__ void nested(float *y, Outer o)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < o.n) y[i] = o.z;
}

__global__ void flat(float *y, Pair p)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < p.n) y[i] = p.m;
}

// kernlint: launch(grid=4, block=256)
__global__ void optional(float *y, const float *bias)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = 0;
    if (bias) v += bias[i];
    y[i] = v;
}

__global__ void __cluster_dims__(2, 1, 1) ranked(float *y)
{
    y[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

void run(float *y)
{
    Outer o;
    o.n = 1000;
    o.z = 7;
    Pair p;
    p.n = 1000;
    p.m = 7;
    empty<<<4, 256>>>(y, Empty(), 1000, 3, 2.0f);
    nested<<<4, 256>>>(y, o);
    flat<<<4, 256>>>(y, p);
    ranked<<<4, 256>>>(y);
}
