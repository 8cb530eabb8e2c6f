#include <cstdio>
#include <cstring>
#include <string>
#include <map>
#include <vector>
#include <functional>
#include <cuda_runtime.h>
__global__ void a(float *x, int n) { x[threadIdx.x] = n; }
__global__ void b(float *x, int n) { x[threadIdx.x] = n; }
__global__ void c(float *x, int n) { x[threadIdx.x] = n; }
__global__ void d(float *x, int n) { x[threadIdx.x] = n; }
__global__ void e(float *x, int n) { x[threadIdx.x] = n; }
static void run_a(float *x, int n) { a<<<n / 32, 32>>>(x, n); }
static void run_b(float *x, int n) { b<<<n / 64, 64>>>(x, n); }
struct Entry { const char *name; void (*run)(float *, int); };
static const Entry entries[] = { {"a", run_a}, {"b", run_b} };
typedef void (*Kernel)(float *, int);
struct Variant { const char *name; Kernel kernel; int threads; };
Variant variants[] = { {"c", c, 96}, {"d", d, 160} };
static Kernel plain[2] = {c, d};
std::vector<Variant> more = { {"e", e, 224} };
int main()
{
    float *x; int n = 4096;
    cudaMalloc(&x, n * 4);
    for (const Entry &entry : entries) entry.run(x, n);
    for (size_t i = 0; i < sizeof(variants) / sizeof(variants[0]); ++i) variants[i].kernel<<<i + 1, variants[i].threads>>>(x, n);
    for (int i = 0; i < 2; ++i) plain[i]<<<7, 192>>>(x, i);
    for (auto &v : more) v.kernel<<<9, v.threads>>>(x, 5);
}
