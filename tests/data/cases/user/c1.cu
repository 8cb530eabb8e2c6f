// origin: issue cases
template <class T> concept Arith = sizeof(T) == 4;
template <Arith T> __global__ void a(T *o) { __shared__ T s[1024]; s[threadIdx.x * 32] = 1; __syncthreads(); o[threadIdx.x] = s[threadIdx.x]; }
template <typename T> requires Arith<T> __global__ void b(T *o) { __shared__ T s[1024]; s[threadIdx.x * 32] = 1; __syncthreads(); o[threadIdx.x] = s[threadIdx.x]; }
template <Arith T, int N> __global__ void d(T *o) { __shared__ T s[N * 32]; s[threadIdx.x * N] = 1; __syncthreads(); o[threadIdx.x] = s[threadIdx.x]; }
void go(float *o) { a<float><<<1, 32>>>(o); b<float><<<1, 32>>>(o); d<float, 32><<<1, 32>>>(o); }
