// origin: own
// Names for the object file behind declarators.
extern "C" __global__ void a(float *o) __asm__("kernel_a");
extern "C" __global__ void a(float *o) { o[threadIdx.x * 2] = 1; }                                  //= all: global store s=8
__device__ float helper(float x) asm("_Zhelper_impl");
__device__ float helper(float x) { return x; }
__device__ __attribute__((noinline)) int lane() __asm("lane_of") ;
__device__ int lane() { return threadIdx.x & 31; }
struct S { __device__ static int f() asm("s_f"); };
__device__ int S::f() { return 4; }
__global__ void b(float *o) { o[lane() * S::f()] = helper(1); }                                      //= all: global store s=16
__device__ int counter asm("the_counter");
__global__ void c(float *o) { register int x asm("r1") = threadIdx.x; o[x * 4] = counter; }   //= all: global store s=16 | global load s=1
void go(float *o) { a<<<1, 64>>>(o); b<<<1, 64>>>(o); c<<<1, 64>>>(o); }
