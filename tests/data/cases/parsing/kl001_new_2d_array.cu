// origin: issue cases
#define FP float
constexpr int M = 64, N = 128;
__global__ void k(float *x) { x[threadIdx.x] = 1; }
int main() { float (*a)[N] = new float[M][N]; a[0][0] = 1; float *p = nullptr; k<<<1, 32>>>(p); delete[] a; }
