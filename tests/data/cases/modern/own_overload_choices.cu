// origin: own
// Which of several functions a call means: generic lambdas behind plain ones, packs behind single parameters, an ellipsis behind every conversion, sets within sets.
template <class... Fs> struct overloaded : Fs... { using Fs::operator()...; };
template <class... Fs> overloaded(Fs...) -> overloaded<Fs...>;
template <class F> struct Hiding : F { float *p; __device__ void operator()(float x) const { p[threadIdx.x * 9] = x; } };
template <class F> Hiding(F, float *) -> Hiding<F>;  //= all: global store s=32
struct Wrapped { int i; __device__ Wrapped(int n) : i(n) {} };
struct Plain { float *p; __device__ void operator()(int i) const { p[i * 5] = 1; } };
__device__ int taken(...) { return 0; }
__device__ int taken(long i) { return int(i) * 2; }
__device__ int wrapped(...) { return 0; }
__device__ int wrapped(Wrapped w) { return w.i * 3; }
template <class... T> __device__ int single(T...) { return 0; }
template <class T> __device__ int single(T i) { return i * 4; }
template <class T, class... R> __device__ int first(T i, R...) { return i * 5; }
template <class... R> __device__ int first(R...) { return 0; }
__device__ int generic(auto... i) { return 0; }
__device__ int generic(auto i) { return i * 6; }
__device__ int generic(long i) { return int(i) * 7; }
__device__ int pointed(auto i) { return 0; }
__device__ int pointed(auto *p) { return int(threadIdx.x) * 3; }
__global__ void functions(float *o)
{
    const int t = threadIdx.x;
    o[taken(t)] = 1;           //= all: global store s=8
    o[wrapped(t)] = 1;         //= all: global store s=12
    o[single(t)] = 1;          //= all: global store s=16
    o[first(t)] = 1;           //= all: global store s=20
    o[first(t, 1)] = 1;        //= all: global store s=20
    o[generic(t)] = 1;         //= all: global store s=24
    o[generic(long(t))] = 1;   //= all: global store s=28
    o[pointed(o)] = 1;         //= all: global store s=12
    o[pointed(t)] = 1;         //= all: global store s=1
}
__global__ void lambdas(float *o, float *p)
{
    const int t = threadIdx.x;
    auto packed = overloaded{[=](auto... xs) { o[0] = 1; }, [=](int i) { o[i * 2] = 1; }};
    packed(t);                 //= all: global store s=8
    auto generic = overloaded{[=](auto... xs) { o[0] = 1; }, [=](auto i) { o[i * 3] = 1; }};
    generic(t);                //= all: global store s=12
    auto plain = overloaded{[=](auto i) { o[0] = 1; }, [=](int i) { o[i * 4] = 1; }};
    plain(t);                  //= all: global store s=16
    auto spelled = overloaded{[=]<class T>(T i) { o[0] = 1; }, [=](int i) { o[i * 5] = 1; }};
    spelled(t);                //= all: global store s=20
    auto exact = overloaded{[=](auto i) { o[i * 6] = 1; }, [=](long i) { o[0] = 1; }};
    exact(t);                  //= all: global store s=24
    auto open = overloaded{[=](...) { o[0] = 1; }, [=](long i) { o[i * 7] = 1; }};
    open(t);                   //= all: global store s=28
    auto pointer = overloaded{[=](auto x) { o[t] = 1; }, [=](auto *x) { x[t * 8] = 1; }};
    pointer(o);                //= all: global store s=32
    pointer(t);                //= all: global store s=4
    auto nested = overloaded{overloaded{[=](int i) { o[i] = 1; }, [=](float x) { o[0] = x; }}, [=](double x) { o[t * 2] = 1; }};
    nested(t);                 //= all: global store s=4
    nested(1.0f);              //= all: global store s=1
    nested(1.0);               //= all: global store s=8
    auto inner = overloaded{[=](int i) { o[i * 3] = 1; }, [=](float x) { o[0] = x; }};
    auto outer = overloaded{[=](double x) { o[t * 2] = 1; }, inner};
    outer(t);                  //= all: global store s=12
    overloaded<decltype(inner), Plain> beside{inner, {p}};
    beside(1.0f);              //= all: global store s=1
    auto after = overloaded{Plain{p}, overloaded{[=](float x) { o[t * 6] = 1; }, [=](char *x) { o[0] = 1; }}};
    after(1.0f);               //= all: global store s=24
    Hiding hides{[=](int i) { o[i] = 1; }, p};
    hides(t);
}
void go(float *o, float *p) { functions<<<1, 32>>>(o); lambdas<<<1, 32>>>(o, p); }
