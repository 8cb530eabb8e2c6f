// origin: our own
// question: palette in __constant__ indexed by pixel; A: serialised: each lane differs; use shared / global __ldg
__constant__ float4 palette[256];
__global__ void colour(const unsigned char *p, float4 *o)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    o[i] = palette[p[i]];  // expect: KL501 up to 32 different words
}
void go(const unsigned char *p, float4 *o) { colour<<<1024, 256>>>(p, o); }
