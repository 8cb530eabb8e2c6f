// origin: our own
// question: shared array of struct {float x,y,z,w} read by member: A: stride 16 bytes: 4-way conflicts
struct P { float x, y, z, w; };
__global__ void interact(const P *g, float *out, int n)
{
    __shared__ P s[128];
    s[threadIdx.x] = g[blockIdx.x * 128 + threadIdx.x];  // expect: KL206 16 sectors per request instead of 4
    __syncthreads();
    float a = 0;
    for (int k = 0; k < 128; k++) a += s[(threadIdx.x + k) % 128].x;  // expect: KL101 4 wavefronts per request instead of 1
    out[blockIdx.x * 128 + threadIdx.x] = a;
}
void go(const P *g, float *o) { interact<<<64, 128>>>(g, o, 0); }
