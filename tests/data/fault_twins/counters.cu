// kernlint: launch(grid=4, block=128)
__global__ void b_pack(const int *in, int *out) { __shared__ int n; __shared__ int kept[64]; int t = threadIdx.x, v = in[blockIdx.x * 128 + t]; if (!t) n = 0; __syncthreads(); if (v > 3) kept[atomicAdd(&n, 1)] = v; __syncthreads(); if (t < n) out[blockIdx.x * 128 + t] = kept[t]; }
// kernlint: launch(grid=4, block=128)
__global__ void g_pack(const int *in, int *out) { __shared__ int n; __shared__ int kept[128]; int t = threadIdx.x, v = in[blockIdx.x * 128 + t]; if (!t) n = 0; __syncthreads(); if (v > 3) kept[atomicAdd(&n, 1)] = v; __syncthreads(); if (t < n) out[blockIdx.x * 128 + t] = kept[t]; }
// kernlint: launch(grid=4, block=128)
__global__ void g_room(const int *in, int *out) { __shared__ int n; __shared__ int kept[64]; int t = threadIdx.x, v = in[blockIdx.x * 128 + t]; if (!t) n = 0; __syncthreads(); if (v > 3) { int k = atomicAdd(&n, 1); if (k < 64) kept[k] = v; } __syncthreads(); if (t < 64 && t < n) out[blockIdx.x * 128 + t] = kept[t]; }
// kernlint: launch(grid=4, block=128)
__global__ void g_half(const int *in, int *out) { __shared__ int n; __shared__ int kept[64]; int t = threadIdx.x, v = in[blockIdx.x * 128 + t]; if (!t) n = 0; __syncthreads(); if (t < 64 && v > 3) kept[atomicAdd(&n, 1)] = v; __syncthreads(); if (t < 64 && t < n) out[blockIdx.x * 128 + t] = kept[t]; }
__global__ void b_append(const int *in, int *list, int *count, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n && in[i] > 5) { int k = atomicAdd(count, 1); list[k] = i; } }
__global__ void g_append(const int *in, int *list, int *count, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n && in[i] > 5) { int k = atomicAdd(count, 1); list[k] = i; } }
int main() { int *in, *l, *s, *c; cudaMalloc(&in, 4000); cudaMalloc(&l, 4000); cudaMalloc(&s, 400); cudaMalloc(&c, 4); cudaMemset(c, 0, 4); b_append<<<8, 128>>>(in, s, c, 1000); g_append<<<8, 128>>>(in, l, c, 1000); }
