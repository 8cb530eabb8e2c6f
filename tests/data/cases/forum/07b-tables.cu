// origin: our own
__constant__ float4 palette[256];
__constant__ float w[64];
__constant__ int tab[1024];
__global__ void colour(const unsigned char *p, float4 *o) { int i = blockIdx.x * blockDim.x + threadIdx.x; o[i] = palette[p[i]]; }  // expect: KL501 up to 32 different words
__global__ void uni(const int *p, float *o) { int i = blockIdx.x * blockDim.x + threadIdx.x; o[i] = w[p[blockIdx.x] & 63]; }
__global__ void loop(const int *p, float *o, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; float s = 0; for (int k = 0; k < n; k++) s += w[(p[i] + k) & 63]; o[i] = s; }  // expect: KL501 up to 32 different words
__global__ void chain(const int *p, int *o) { int i = blockIdx.x * blockDim.x + threadIdx.x; int v = p[i]; o[i] = tab[tab[v & 1023] & 1023]; }  // expect: KL501 up to 32 different words
__global__ void arg(float *o, int k) { int i = blockIdx.x * blockDim.x + threadIdx.x; o[i] = w[k]; }
__global__ void warpu(float *o, const int *p) { int i = blockIdx.x * blockDim.x + threadIdx.x; o[i] = w[p[i / 32]]; }
void go(const unsigned char *p, float4 *o, const int *q, float *f, int *g) { colour<<<1024, 256>>>(p, o); uni<<<10, 256>>>(q, f); loop<<<10,128>>>(q, f, 10); chain<<<4, 64>>>(q, g); arg<<<1, 32>>>(f, 3); warpu<<<4, 64>>>(f, q); }
