#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void step(const float *in, float *out, int w, int h) { out[threadIdx.x] = in[blockIdx.y * w + h]; }
__global__ void clear(float *x, int n) { x[threadIdx.x] = n; }
class Solver {
  public:
    Solver(int w, int h, int steps) : width(w), height(h), count(steps), block(16, 16), grid((w + 15) / 16, (h + 15) / 16)
    {
        cudaMalloc(&a, bytes());
        cudaMalloc(&b, bytes());
        clear<<<width * height / 128, 128>>>(a, width * height);
    }
    ~Solver() { cudaFree(a); cudaFree(b); }
    size_t bytes() const { return width * height * sizeof(float); }
    void run()
    {
        for (int i = 0; i < count; ++i) {
            step<<<grid, block>>>(a, b, width, height);
            float *t = a; a = b; b = t;
        }
    }
  private:
    int width, height, count;
    dim3 block, grid;
    float *a, *b;
};
int main()
{
    Solver small(64, 48, 3), large(512, 256, 2);
    small.run();
    large.run();
}
