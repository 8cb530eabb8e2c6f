// origin: own
// `f.template operator()<4>()` of classes and lambdas, lambdas with template parameters of their own.
struct F { template <int N> __device__ void operator()(float *o) const { o[threadIdx.x * N] = N; } };    //= all: global store s=8
template <class G> __device__ void app(G g, float *o) { g.template operator()<4>(o); }
__global__ void functor(float *o) { F f; f.template operator()<2>(o); }
__global__ void lambda(float *o) {
    auto l = []<int N>(float *p) {
        p[threadIdx.x * N] = N;                                                        //= all: global store s=16
    };
    app(l, o);
}
__global__ void types(float *o) {
    auto l = []<class T>(T *p, T v) {
        p[threadIdx.x] = v;                                                            //= all: global store s=4 | global store s=8
    };
    l(o, 1.0f);
    l((double *)o, 2.0);
}
__global__ void packs(float *o) {
    [&]<int... I>(int s) {
        ((o[threadIdx.x * I] = s), ...);                                               //= all: global store s=4 | global store s=8 | global store s=16
    }.template operator()<1, 2, 4>(3);
}
__global__ void extents(float *o) {
    auto l = []<class T, int N>(T (&x)[N]) { return N; };
    float y[8];
    o[threadIdx.x * l(y)] = 1;                                                         //= all: global store s=32
}
__global__ void named(float *o) {
    auto l = [=]<int N, class T>(T v) requires (N > 0) {
        o[threadIdx.x * N] = v;                                                        //= all: global store s=8
    };
    l.template operator()<2>(0.0f);
}
__global__ void recursive(float *o) {
    auto l = [&]<int N>(auto self) -> void {
        o[threadIdx.x * N] = N;                                                        //= all: global store s=8 | global store s=16
        if constexpr (N < 4) self.template operator()<2 * N>(self);
    };
    l.template operator()<2>(l);
}
void go(float *o) {
    functor<<<1, 64>>>(o);
    lambda<<<1, 64>>>(o);
    types<<<1, 64>>>(o);
    packs<<<1, 64>>>(o);
    extents<<<1, 64>>>(o);
    named<<<1, 64>>>(o);
    recursive<<<1, 64>>>(o);
}
