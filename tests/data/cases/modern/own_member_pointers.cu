// origin: own
// Members named through pointers to them, and templates of classes named in a class.
struct Body {
    float x, y, z, m;
    __device__ void store(float *o) const { o[threadIdx.x * 2] = x; }                             //= all: global store s=8 | global load s=16
    __device__ void scale(float *o) const { o[threadIdx.x * 8] = y; }                             //= all: global store s=32 | global load s=16
};
struct Heavy : Body { float pad[4]; };
template <auto Member> __global__ void column(const Body *b, float *out)
{
    out[threadIdx.x] = b[threadIdx.x].*Member;                                                    //= all: global store s=4 | global load s=16
}
template <class T, class M> __device__ M pick(const T &t, M T::*p) { return t.*p; }               //= all: global load s=16
template <void (Body::*Step)(float *) const> __global__ void stepped(const Body *b, float *out)
{
    (b[threadIdx.x].*Step)(out);
    ((b + threadIdx.x)->*Step)(out);
}
__global__ void picked(const Body *b, const Heavy *h, float *out)
{
    constexpr auto y = &Body::y;
    out[threadIdx.x] = pick(b[threadIdx.x], &Body::z);
    out[32 + threadIdx.x] = (h + threadIdx.x)->*y;                                                //= all: global store s=4 | global load s=32
}
struct Quad {
    template <class T> struct alignas(16) Four { T x, y, z, w; };
    template <class T> using Pack = Four<T>;
};
template <template <class> class Pack, class T> __device__ void copy(Pack<T> *out, const Pack<T> *in)
{
    out[threadIdx.x] = in[threadIdx.x];                                                           //= all: global load s=16 | global store s=16
}
template <class P> __global__ void packs(float *out, const float *in)
{
    using Packed = typename P::template Pack<float>;
    copy<P::template Pack, float>(reinterpret_cast<Packed *>(out), reinterpret_cast<const Packed *>(in));
}
int main()
{
    float *a; Body *b; Heavy *h;
    cudaMalloc(&a, 1 << 20); cudaMalloc(&b, 1 << 20); cudaMalloc(&h, 1 << 20);
    column<&Body::m><<<1, 32>>>(b, a);
    stepped<&Body::store><<<1, 32>>>(b, a);
    stepped<&Body::scale><<<1, 32>>>(b, a);
    picked<<<1, 32>>>(b, h, a);
    packs<Quad><<<1, 32>>>(a, a + 4096);
}
