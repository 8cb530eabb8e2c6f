// origin: issue cases
// A: only array, 8 bytes
__global__ void a1(int *o){ __shared__ int w[2]; int t=threadIdx.x; if(t%32==0) w[t/32]=o[t]; __syncthreads(); if(t==0) o[blockIdx.x]=max(w[0],w[1]); }
// B: odd-sized float array before (65 ints = 260 B) , then w[2]
__global__ void a2(int *o){ __shared__ int d[65]; __shared__ int w[2]; int t=threadIdx.x; d[t]=o[t]; __syncthreads(); int x=d[63-t]; if(t%32==0) w[t/32]=x; __syncthreads(); if(t==0) o[blockIdx.x]=max(w[0],w[1]); }
// C: w declared first, then d[65]
__global__ void a3(int *o){ __shared__ int w[2]; __shared__ int d[65]; int t=threadIdx.x; d[t]=o[t]; __syncthreads(); int x=d[63-t]; if(t%32==0) w[t/32]=x; __syncthreads(); if(t==0) o[blockIdx.x]=max(w[0],w[1]); }
// D: d[65], w[4] : sums
__global__ void a4(int *o){ __shared__ int d[65]; __shared__ int w[4]; int t=threadIdx.x; d[t]=o[t]; __syncthreads(); int x=d[127-t]; if(t%32==0) w[t/32]=x; __syncthreads(); if(t==0) o[blockIdx.x]=w[0]+w[1]+w[2]+w[3]; }
// E: d[65], w[32] indexed by 2t
__global__ void a5(int *o){ __shared__ int d[65]; __shared__ int w[64]; int t=threadIdx.x; d[t]=o[t]; __syncthreads(); int x=d[63-t]; w[t]=x; __syncthreads(); o[t+blockIdx.x]=w[2*(t&31)]+w[2*(t&31)+1]; }
// F: scalar flag before array
__global__ void a6(int *o){ __shared__ int flag; __shared__ int w[64]; int t=threadIdx.x; if(t==0) flag=o[7]; w[t]=o[t]; __syncthreads(); o[t+blockIdx.x]=flag+w[2*(t&31)]+w[2*(t&31)+1]; }
// G: float s[33][33]-like tile then red[2]
__global__ void a7(float *o){ __shared__ float s[33*33]; __shared__ float red[2]; int t=threadIdx.x; s[t*33]=o[t]; __syncthreads(); float x=s[(63-t)*33&1023]; if(t%32==0) red[t/32]=x; __syncthreads(); if(t==0) o[blockIdx.x]=red[0]+red[1]; }
// H: 3-float array first + w[2]
__global__ void a8(float *o){ __shared__ float m[3]; __shared__ float red[2]; int t=threadIdx.x; if(t<3) m[t]=o[t]; if(t%32==0) red[t/32]=o[t+64]; __syncthreads(); if(t<3) o[t+blockIdx.x]=red[0]+red[1]+m[2-t]; }
// I: char before
__global__ void a9(int *o,const char*c){ __shared__ char q[13]; __shared__ int w[2]; int t=threadIdx.x; if(t<13) q[t]=c[t]; if(t%32==0) w[t/32]=o[t+64]; __syncthreads(); if(t<13) o[t+blockIdx.x]=w[0]+w[1]+q[12-t]; }
