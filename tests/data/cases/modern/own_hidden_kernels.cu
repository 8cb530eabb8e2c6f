// origin: own
// Kernels behind macros of a header that is not there: by the macro's name, by __launch_bounds__, by a launch in the file.
#include <lib/lib.h>
LIB_GLOBAL void named(float *o) { o[threadIdx.x * 2] = 1; }                                                                     //= all: global store s=8
template <int N> CUTLASS_GLOBAL void __launch_bounds__(128, 1) both(float *o) { o[blockIdx.x * 4096 + threadIdx.x * 32] = N; }  //= all: global store s=32
LIB_FN void __launch_bounds__(64) bounded(float *o) { o[threadIdx.x * 8] = 1; }                                                  //= all: global store s=32
LIB_ENTRY(128) void launched(float *o) { o[threadIdx.x * 4] = 1; }                                                               //= all: global store s=16
LIB_INLINE void helper(float *o) { o[threadIdx.x] = 1; }
template <class T> LIB_ENTRY void typed(T *o) { helper((float *)o); o[64 + threadIdx.x] = 1; }                                            //= all: global store s=8
LIB_DEFINE(made)(float *o) { o[threadIdx.x * 2] = 1; }                                                                          //= all: global store s=8
LIB_ENTRY_OF(64) untyped(float *o) { o[threadIdx.x * 8] = 1; }                                                                   //= all: global store s=32
LIB_FN(put)(float *o, int i) { o[i] = 1; }
LIB_DEVICE(float) lane(const float *o) { return o[threadIdx.x]; }
LIB_HOST void run(float *o);
void go(float *o, double *d) { named<<<1, 64>>>(o); both<3><<<1, 128>>>(o); launched<<<1, 64>>>(o); made<<<1, 64>>>(o); typed<double><<<1, 64>>>(d); run(o); helper(o); }
