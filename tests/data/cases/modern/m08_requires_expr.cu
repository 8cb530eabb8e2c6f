// origin: issue cases
// nunchaku gemm_base.cuh: if constexpr (requires { kernel::MIN_ARCH; }); every kernel of the repository goes through it.
// expected: parsed; shared load 32-way
template <class K> __host__ __device__ constexpr int min_arch() { if constexpr (requires { K::MIN_ARCH; }) { return K::MIN_ARCH; } else { return 0; } }
struct Turn {
    static constexpr int MIN_ARCH = 800;
    __device__ void operator()(float *o, const float *i) {
        __shared__ float t[32][32];
        t[threadIdx.y][threadIdx.x] = i[threadIdx.y * 32 + threadIdx.x];
        __syncthreads();
        o[threadIdx.y * 32 + threadIdx.x] = t[threadIdx.x][threadIdx.y];   //= all: shared load w=32 | global store s=4
    }
};
template <class K, class... A> __global__ void invoke_kernel(A... a) {
    if constexpr (900 >= min_arch<K>()) K()(a...);
}
void go(float *o, const float *i) { invoke_kernel<Turn><<<64, dim3(32, 32)>>>(o, i); }
