// origin: own
// Class template argument deduction by guides, constructors, members and bases; aggregates with bases.
template <class T> struct A { T *p; int k; };
template <class T> A(T *, int) -> A<T>;
template <class T> struct B { T *p; int k; __device__ B(T *p, int k) : p(p), k(k) {} };
template <class T, int N> struct C { T v[N]; };
template <class T, class... U> C(T, U...) -> C<T, 1 + sizeof...(U)>;
template <class T> struct D { T *p; int k; };
template <class... O> struct S : O... { __device__ int operator()() const { return (static_cast<const O &>(*this)() + ... + 0); } };
struct F { int k; __device__ int operator()() const { return k; } };
struct G { int k; __device__ int operator()() const { return 2 * k; } };
struct Base { int a; };
struct Derived : Base { int b; };
struct Last : Derived { int c[2]; int d = 7; };
__global__ void guide(float *o) { A v{o, 2}; v.p[threadIdx.x * v.k] = 1; }                              //= all: global store s=8
__global__ void constructor(float *o) { B v(o, 2); v.p[threadIdx.x * v.k] = 1; }                        //= all: global store s=8
__global__ void expression(float *o) { auto v = B{o, 4}; v.p[threadIdx.x * v.k] = 1; }                  //= all: global store s=16
__global__ void counted(float *o) { C v{2, 4}; o[threadIdx.x * v.v[1] * sizeof(v) / 8] = 1; }           //= all: global store s=16
__global__ void members(float *o) { D v{o, 2}; v.p[threadIdx.x * v.k] = 1; }                            //= all: global store s=8
__global__ void bases(float *o) { S s{F{2}, G{1}}; o[threadIdx.x * s()] = 1; }                          //= all: global store s=16
template <class E> __global__ void launched(float *o, E e) { o[threadIdx.x * e()] = 1; }                //= all: global store s=32
__global__ void nested(float *o) { Derived d{{2}, 4}; o[threadIdx.x * d.a] = 1; o[64 + threadIdx.x * d.b] = 1; }   //= all: global store s=8 | global store s=16
__global__ void elided(float *o) { Derived d{2, 4}; o[threadIdx.x * d.a] = 1; o[64 + threadIdx.x * d.b] = 1; }     //= all: global store s=8 | global store s=16
__global__ void copied(float *o) { Base x{8}; Derived d{x, 1}; o[threadIdx.x * d.a] = 1; o[512 + threadIdx.x * d.b] = 1; }   //= all: global store s=32 | global store s=4
__global__ void deep(float *o) { Last e{{{1}, 2}, {4, 8}}; o[threadIdx.x * e.a] = 1; o[threadIdx.x * e.c[0]] = 1; o[threadIdx.x * e.d] = 1; }   //= all: global store s=4 | global store s=16 | global store s=28
__global__ void zeros(float *o) { Derived d{}; o[threadIdx.x * (d.a + 1)] = 1; o[64 + threadIdx.x * (d.b + 2)] = 1; }   //= all: global store s=4 | global store s=8
void go(float *o)
{
    guide<<<1, 64>>>(o); constructor<<<1, 64>>>(o); expression<<<1, 64>>>(o); counted<<<1, 64>>>(o); members<<<1, 64>>>(o); bases<<<1, 64>>>(o);
    launched<<<1, 64>>>(o, S{F{2}, G{3}}); nested<<<1, 64>>>(o); elided<<<1, 64>>>(o); copied<<<1, 64>>>(o); deep<<<1, 64>>>(o); zeros<<<1, 64>>>(o);
}
