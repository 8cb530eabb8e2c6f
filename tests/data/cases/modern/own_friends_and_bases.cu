// origin: own
// Functions found through their arguments' namespaces, friends that a class defines, bases named by a template parameter or an alias.
namespace lib {
struct V { float *p; };
__device__ void put(V v, int i, float x) { v.p[i * 4] = x; }                                           //= all: global store s=16
template <class T> struct W {
    T *p;
    friend __device__ T load(const W &w, int i) { return w.p[i * 8]; }                                  //= all: global load s=32
    template <class U> friend __device__ void store(const W &w, int i, U u) { w.p[i * 2] = u; }         //= all: global store s=8
    friend __device__ bool operator==(const W &a, const W &b) { return a.p == b.p; }
    friend __device__ W operator+(W a, int k) { return {a.p + k * 32}; }
    friend struct V;
    friend __device__ void declared(W, int);
};
}
struct Base { float *base; __device__ float &operator()(int i, int j) const { return base[i * 32 + j]; } };
template <class A> struct Named : A {
    using inner = A;
    __device__ Named(float *p) : A{p} {}
    __device__ auto &get(int i, int j) const { return inner::operator()(i, j); }
};
template <class A> struct Aliased : A { using inner = A; __device__ Aliased(float *p) : inner{p} {} };
__device__ void put(int i, float *p) { p[i] = 0; }                                                      //= all: global store s=4
__global__ void found(float *o)
{
    lib::V v{o}; lib::W<float> w{o};
    put(v, threadIdx.x, 1);
    put(threadIdx.x, o);
    store(w, threadIdx.x, load(w, threadIdx.x));
    store(w + 1, threadIdx.x, 2.0);
    if (w == w) o[threadIdx.x * 5] = 3;                                                                 //= all: global store s=20
}
__global__ void bases(float *o)
{
    __shared__ float s[32 * 32];
    Named<Base> n(s); Aliased<Base> a{s};
    n.get(threadIdx.x, 0) = 1;                                                                          //= all: shared store w=32
    a(0, threadIdx.x) = 1;                                                                              //= all: shared store w=1
    __syncthreads();
    o[threadIdx.x] = s[threadIdx.x];
}
void go(float *o) { found<<<1, 32>>>(o); bases<<<1, 32>>>(o); }
