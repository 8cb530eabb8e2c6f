// origin: issue cases
// dynamic after a static scalar
__global__ void dyn1(const float*a,float*o){ extern __shared__ float s[]; __shared__ int flag; int t=threadIdx.x; if(t==0) flag=a[3]; s[t]=a[t]; s[t+64]=a[t+64]; __syncthreads(); o[t]=s[2*t]+s[2*t+1]+flag; }
// dynamic alone
__global__ void dyn0(const float*a,float*o){ extern __shared__ float s2[]; int t=threadIdx.x; s2[t]=a[t]; s2[t+64]=a[t+64]; __syncthreads(); o[t]=s2[2*t]+s2[2*t+1]; }
// dynamic split by pointer: second half starts at n floats (unknown n)
__global__ void dyn2(const float*a,float*o,int n){ extern __shared__ float s3[]; float*q=s3+n; int t=threadIdx.x; s3[t]=a[t]; q[t]=a[t]; q[t+64]=a[t+64]; __syncthreads(); o[t]=q[2*t]+q[2*t+1]+s3[63-t]; }
// order of use differs from declaration
__global__ void ord(const float*a,float*o){ __shared__ float x[3]; __shared__ float y[64]; __shared__ float z[5]; int t=threadIdx.x; y[t]=a[t]; if(t<5) z[t]=a[t]; if(t<3) x[t]=a[t+9]; __syncthreads(); o[t]=y[2*(t&31)]+y[2*(t&31)+1]+z[t%5]+x[t%3]; }
// unused variable in front: is it dropped?
__global__ void unused(const float*a,float*o){ __shared__ float x[3]; __shared__ float y[64]; int t=threadIdx.x; y[t]=a[t]; __syncthreads(); o[t]=y[2*(t&31)]+y[2*(t&31)+1]; }
// aligned declared
__global__ void al(const float*a,float*o){ __shared__ float x[3]; __shared__ __align__(16) float y[64]; int t=threadIdx.x; y[t]=a[t]; if(t<3) x[t]=a[t+9]; __syncthreads(); o[t]=y[2*(t&31)]+y[2*(t&31)+1]+x[t%3]; }
// file scope shared
__shared__ float gx[3]; __shared__ float gy[64];
__global__ void fs(const float*a,float*o){ int t=threadIdx.x; gy[t]=a[t]; if(t<3) gx[t]=a[t+9]; __syncthreads(); o[t]=gy[2*(t&31)]+gy[2*(t&31)+1]+gx[t%3]; }
// store-only eliminated array in front (never read)
__global__ void dead(const float*a,float*o){ __shared__ float x[3]; __shared__ float y[64]; int t=threadIdx.x; y[t]=a[t]; if(t<3) x[t]=a[t+9]; __syncthreads(); o[t]=y[2*(t&31)]+y[2*(t&31)+1]; }
// local arrays of odd size
__global__ void loc(const float*a,float*o,int n,int m){ float p[33]; float q[32]; for(int i=0;i<33;i++) p[i]=a[i*n]; for(int i=0;i<32;i++) q[i]=a[i*m+7]; o[threadIdx.x]=p[n]+q[2*m]+q[2*m+1]; }
