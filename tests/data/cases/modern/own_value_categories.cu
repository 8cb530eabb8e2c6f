// origin: own
// Functions that give what their expression names: `decltype(auto)` and `-> decltype(…)` of an element is a reference to it.
template <class T> struct View {
    T *p; int pitch;
    __device__ decltype(auto) operator()(int r, int c) const { return p[r * pitch + c]; }
    __device__ auto at(int r, int c) const -> decltype(p[0]) { return p[r * pitch + c]; }
    __device__ decltype(auto) first(int r) const { return *(p + r * pitch); }
    template <class V> __device__ V &as(int r, int c) const { return *reinterpret_cast<V *>(&(*this)(r, c)); }
};
struct Pair { float a, b; };
template <class F, class... A> __device__ decltype(auto) invoke(F &&f, A... a) { return f(a...); }
__device__ decltype(auto) half(Pair *p, int i) { return p[i].b; }                                 //= all: global load s=8
__global__ void views(float *in, float *out, Pair *pairs)
{
    __shared__ float s[32 * 33];
    View<float> tile{s, 33}, g{in, 32}, o{out, 32};
    const int t = threadIdx.x;
    tile(0, t) = reinterpret_cast<float4 *>(&g(t, 0))->x;                                         //= all: global load s=32 | shared store w=1
    tile(1, t) = 1;                                                                               //= all: shared store w=1
    tile.at(t, 2) = 2;                                                                            //= all: shared store w=1
    tile.first(t) = 3;                                                                            //= all: shared store w=1
    o.as<float2>(t, 0) = make_float2(0, 0);                                                       //= all: global store s=32
    invoke(o, 4 * t, 1) = 4;                                                                      //= all: global store s=32
    out[t] = half(pairs, t);                                                                      //= all: global store s=4
}
int main()
{
    float *a, *b; Pair *c;
    cudaMalloc(&a, 1 << 20); cudaMalloc(&b, 1 << 20); cudaMalloc(&c, 1 << 20);
    views<<<1, 32>>>(a, b, c);
}
