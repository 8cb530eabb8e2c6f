// origin: own
// Enumerators brought in by using; a switch on a constant with a label that no file defines may mean that label.
#include <lib/codes.h>
enum class Mode : unsigned { none = 0, b32 = 1, b64 = 2, b128 = 3 };
enum Plain { p2 = 2, p4 = 4 };
struct S { enum class Kind { a = 1, b = 8 }; using enum Kind; };
namespace n { enum class E { x = 2, y = 8 }; }
template <Mode M> __device__ constexpr unsigned by_switch(unsigned a) { using enum Mode; switch (M) { case b32: return a * 2; case b64: return a * 4; case b128: return a * 8; default: return a; } }
template <Mode M> __device__ constexpr unsigned by_if(unsigned a) { using enum Mode; if constexpr (M == b32) return a * 2; else if (M == b64) return a * 4; return a; }
using enum n::E;
__global__ void cases(float *o) { o[by_switch<Mode::b32>(threadIdx.x)] = 1; }                            //= all: global store s=8
__global__ void conditions(float *o) { o[by_if<Mode::b64>(threadIdx.x)] = 1; }                           //= all: global store s=16
__global__ void of_class(float *o) { o[threadIdx.x * (int)S::b] = 1; }                                   //= all: global store s=32
__global__ void of_namespace(float *o) { o[threadIdx.x * (int)y] = 1; }                                  //= all: global store s=32
__global__ void one(float *o) { using Mode::b64; o[threadIdx.x * (int)b64] = 1; }                        //= all: global store s=8
__global__ void inside(float *o, int m) { switch (m) { using enum Plain; case p2: o[threadIdx.x] = 1; break; case p4: o[threadIdx.x * 2] = 1; } }   //= all: global store s=8
enum class Pad { none, one };
template <Pad P> constexpr int pitch() { switch (P) { using enum Pad; int n; case none: n = 32; return n; default: return 33; } }
template <Pad P> __global__ void first(float *o) { o[threadIdx.x * (pitch<P>() - 30)] = 1; }             //= (Pad)0: global store s=8 | (Pad)1: global store s=12
__global__ void open(float *o) {
    switch (3) {
    case LIB_CODE: o[threadIdx.x] = 1; break;                                                            //= all: global store s=4
    default: o[threadIdx.x * 2] = 1;                                                                     //= all: global store s=8
    }
}
void go(float *o) { cases<<<1, 64>>>(o); conditions<<<1, 64>>>(o); of_class<<<1, 64>>>(o); of_namespace<<<1, 64>>>(o); one<<<1, 64>>>(o); inside<<<1, 64>>>(o, 4); first<Pad::none><<<1, 64>>>(o); first<Pad::one><<<1, 64>>>(o); open<<<1, 64>>>(o); }
