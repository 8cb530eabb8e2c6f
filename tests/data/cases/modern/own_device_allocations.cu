// origin: own
// Memory that a kernel allocates: each thread has a block of its own, whose place nobody knows.
struct N { N *next; int v; };
__device__ N *head;
__global__ void news(int *o) {
    int *p = new int[4];
    p[0] = 1;                                             //= all: global store unknown
    o[threadIdx.x] = p[0];                                //= all: global store s=4
    delete[] p;
}
__global__ void mallocs(int *o) {
    int *p = (int *)malloc(64);
    p[threadIdx.x] = 2;                                   //= all: global store unknown
    o[threadIdx.x * 2] = p[0];                            //= all: global store s=8 | global load unknown
}
__global__ void places(float **o, int n) {
    cudaMalloc(&o[threadIdx.x], 4 * n);                   //= all: global store s=8
    __syncthreads();
    if (threadIdx.x == 0) o[64] = o[0];                   //= all: global load s=1 | global store s=1
}
void go(int *o, float **f) { news<<<1, 64>>>(o); mallocs<<<1, 64>>>(o); places<<<1, 64>>>(f, 4); }
