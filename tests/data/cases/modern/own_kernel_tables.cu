// origin: own
// Kernels whose addresses tables at file scope hold: each is an instance, wherever it is launched.
typedef void (*kernel_t)(float *, int);
namespace n { template <class T, int S> __global__ void k(T *o, int m) { o[threadIdx.x * S] = m; } }      //= float,1: global store s=4 | float,2: global store s=8 | float,32: global store s=32
template <int S, bool B = false> __global__ void q(float *o, int m) { o[threadIdx.x * S] = m; }           //= 4,0: global store s=16 | 8,1: global store s=32
struct Entry { int key; kernel_t kernel; };
namespace n {
kernel_t table[] = {k<float, 1>, &k<float, 2>, nullptr, (kernel_t)k<float, 1>};
static const Entry entries[] = {{1, q<4>}, {.key = 2, .kernel = &q<8, true>}};
}
kernel_t last = n::k<float, 32>;
