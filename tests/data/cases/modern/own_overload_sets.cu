// origin: own
// Objects whose class derives from lambdas: overload sets made by deduction, by a function, copied, handed on, beside own operators.
template <class... Fs> struct overloaded : Fs... { using Fs::operator()...; };
template <class... Fs> overloaded(Fs...) -> overloaded<Fs...>;
template <class... Fs> __device__ auto overload(Fs... fs) { return overloaded<Fs...>{fs...}; }
template <class... Fs> struct Made : Fs... { __device__ Made(Fs... f) : Fs(f)... {} using Fs::operator()...; };
template <class... Fs> struct Braced : Fs... { __device__ Braced(Fs... f) : Fs{f}... {} using Fs::operator()...; };
template <class F, class G> struct Two : F, G { __device__ Two(F f, G g) : F(f), G(g) {} using F::operator(); using G::operator(); };
struct First { float *a; __device__ First(float *p) : a(p) {} };
struct Second { float *b; __device__ Second(float *p) : b(p + 4) {} };
template <class... M> struct Mixed : M... { __device__ Mixed(float *p) : M(p)... {} };
struct Row { int r; }; struct Col { int c; }; template <int N> struct Strided { int i; };
template <class V, class... S> __device__ void visit_all(V &&v, S... s) { (v(s), ...); }
struct Own { float *p; __device__ void operator()(Col c) const { p[c.c * 6] = 1; } };      //= all: global store s=24
__global__ void k(float *o, float *p)
{
    __shared__ float s[32][32];
    const int t = threadIdx.x, w = threadIdx.y;
    auto at = overloaded{
        [&](Row r) -> float & { return s[r.r][t]; },
        [&](Col c) -> float & { return s[t][c.c]; },
    };
    at(Row{w}) = 1; //= all: shared store w=1
    __syncthreads();
    at(Col{w}) += 2; //= all: shared load w=32 | shared store w=32
    auto st = overloaded{
        [o](Row r, auto v) { o[r.r] = v; },
        [o]<int N>(Strided<N> x, float v) { o[x.i * N] = v; },
        [p](int i, auto... v) { p[i * int(sizeof...(v))] = (v + ...); },
    };
    st(Row{t}, 1.0f);          //= all: global store s=4
    st(Strided<4>{t}, 1.0f);   //= all: global store s=16
    st(t, 1, 2, 3);            //= all: global store s=12
    visit_all(overloaded{[&](Row r) { p[r.r * 2] = 1; }, [&](Col c) { p[c.c * 8] = 2; }}, Row{t}, Col{t}); //= all: global store s=8 | global store s=32
    auto copied = overload([=](Row r) { o[r.r * 5] = 1; }, [=](Col c) { o[c.c * 7] = 1; });
    auto other = copied;
    other(Row{t});             //= all: global store s=20
    other(Col{t});             //= all: global store s=28
    const overloaded mixed{[=](Row r) { o[r.r * 3] = 1; }, Own{p}};
    mixed(Row{t});             //= all: global store s=12
    mixed(Col{t});
}
__global__ void constructed(float *o)
{
    const int t = threadIdx.x;
    Made f{[&](Row r) { o[r.r] = 1; }, [&](Col c) { o[c.c * 4] = 2; }};
    f(Row{t});                 //= all: global store s=4
    f(Col{t});                 //= all: global store s=16
    Braced g{[&](Row r) { o[r.r * 3] = 1; }, [&](Col c) { o[c.c * 6] = 2; }};
    g(Row{t});                 //= all: global store s=12
    g(Col{t});                 //= all: global store s=24
    Two h{[&](Row r) { o[r.r * 2] = 1; }, [&](Col c) { o[c.c * 8] = 2; }};
    h(Row{t});                 //= all: global store s=8
    h(Col{t});                 //= all: global store s=32
    Mixed<First, Second> m(o);
    m.b[t] = m.a[t];           //= all: global store s=5 | global load s=4
}
void go(float *o, float *p) { k<<<1, dim3(32, 4)>>>(o, p); constructed<<<1, 32>>>(o); }
