// origin: issue cases
__device__ float bs(float v){ __shared__ float part[5]; part[threadIdx.x%5]=v; __syncthreads(); return part[(threadIdx.x+1)%5]; }
template<int N> __device__ float bt(float v){ __shared__ float part[N]; part[threadIdx.x%N]=v; __syncthreads(); return part[(threadIdx.x+1)%N]; }
__global__ void c1(float*o){ __shared__ float s[3]; int t=threadIdx.x; s[t%3]=o[t]; __syncthreads(); o[t]=bs(s[(t+1)%3]); }
__global__ void c2(float*o){ __shared__ float s[3]; int t=threadIdx.x; s[t%3]=o[t]; __syncthreads(); o[t]=bt<7>(s[(t+1)%3]); }
__global__ void c3(float*o){ int t=threadIdx.x; float v=bs(o[t]); __shared__ float s[3]; s[t%3]=v; __syncthreads(); o[t]=s[(t+1)%3]; }
__global__ void c4(float*o){ int t=threadIdx.x; float v=bs(o[t]); __shared__ float s[3]; __shared__ float q[9]; q[t%9]=v; s[t%3]=v; __syncthreads(); o[t]=s[(t+1)%3]+q[(t+1)%9]; }
