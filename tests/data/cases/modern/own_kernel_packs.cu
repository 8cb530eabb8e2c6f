// origin: own
// Kernels whose parameters are a pack: wrappers that hand all arguments on.
struct Copy {
    int step;
    __device__ void operator()(float *o, const float *i, int n) const {
        int t = blockIdx.x * blockDim.x + threadIdx.x;
        if (t < n) o[t * step] = i[t];                                       //= Copy,float*,constfloat*,int: global store s=8 | global load s=4
    }
};
template <class F, class... A> __global__ void invoke(F f, A... a) { f(a...); }
template <class... T> __device__ void fill(int n, T *...p) { ((p[threadIdx.x * sizeof(T)] = n), ...); }
template <class... T> __global__ void each(int n, T *...p) {
    fill(n, p...);                                                           //= all: global store s=16 | global store s=32
}
template <int... N> __global__ void values(float *o) {
    ((o[threadIdx.x * N] = N), ...);                                         //= 1,2,8: global store s=4 | global store s=8 | global store s=32
}
template <class... T> __global__ void first(T... p) {
    auto pick = [](auto x, auto...) { return x; };
    pick(p...)[threadIdx.x * sizeof...(p)] = 1;                              //= all: global store s=8
}
void go(float *o, const float *i, int n, double *d)
{
    invoke<<<4, 256>>>(Copy{2}, o, i, 1024);
    each<<<1, 64>>>(n, o, d);
    values<1, 2, 8><<<1, 64>>>(o);
    first<<<1, 64>>>(o, n);
}
