__global__ void k(float *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i * 2] = 2.f;
}
struct Config { int n; };
static Config cfg;
void configure(int n) { cfg.n = n; }
void run(float *p) { k<<<4, 256>>>(p, cfg.n); }
class Runner { int n = 0; public: void set(int m) { n = m; } void run(float *p) { k<<<4, 256>>>(p, n); } };
// Origin: issue cases.
