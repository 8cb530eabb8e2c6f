// origin: own
// Operators of the program next to operands of types that no file seen defines.
#include <lib/x.h>
struct V {
    float x, y;
    __device__ V(float a) : x(a), y(a) {}
    __device__ V(float a, float b) : x(a), y(b) {}
    __device__ V &operator+=(const V &o) { x += o.x; y += o.y; return *this; }
};
__device__ V operator*(const V &a, float s) { return V(a.x * s, a.y * s); }
__device__ V operator*(float s, const V &a) { return a * s; }
__device__ int operator%(int a, const V &v) { lib::divider d; return a % d; }
__global__ void scaled(float *o, lib::scale s) { V v(o[threadIdx.x]); V w = v * s; o[threadIdx.x] = w.x; }    //= all: global load s=4 | global store s=4
__global__ void summed(float *o, lib::scale s) { V v(o[threadIdx.x]); v += s; o[threadIdx.x] = v.x; }         //= all: global load s=4 | global store s=4
__global__ void divided(float *o, V v) { o[threadIdx.x + 5 % v] = 1; }                                         //= all: global store unknown
__global__ void known(float *o, V v) { V w = v * 2.0f; w += 3.0f * w; o[threadIdx.x] = w.x; }                  //= all: global store s=4
void go(float *o, lib::scale s, V v) { scaled<<<1, 64>>>(o, s); summed<<<1, 64>>>(o, s); divided<<<1, 64>>>(o, v); known<<<1, 64>>>(o, v); }
