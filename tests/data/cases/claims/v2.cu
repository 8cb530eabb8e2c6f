// origin: issue cases
// 1: halo tile then partial sums (very common reduce + stencil)
template<int B> __device__ float block_sum(float v){ __shared__ float part[B/32]; int t=threadIdx.x; for(int k=16;k;k/=2) v+=__shfl_down_sync(~0u,v,k); if(t%32==0) part[t/32]=v; __syncthreads(); float s=0; if(t==0) for(int i=0;i<B/32;i++) s+=part[i]; return s; }
__global__ void stencil_sum(const float*a,float*o){ __shared__ float s[128+2]; int t=threadIdx.x; s[t+1]=a[t+1+blockIdx.x*128]; if(t==0) s[0]=a[blockIdx.x*128]; if(t==1) s[129]=a[blockIdx.x*128+129]; __syncthreads(); float v=s[t]-2*s[t+1]+s[t+2]; v=block_sum<128>(v); if(t==0) o[blockIdx.x]=v; }
// 2: flag declared before the tile, tile read in pairs (complex as two floats)
__global__ void flagged(const float*a,float*o){ __shared__ int count; __shared__ float s[256]; int t=threadIdx.x; if(t==0) count=0; s[t]=a[t]; s[t+128]=a[t+128]; __syncthreads(); if(s[2*t]*s[2*t]+s[2*t+1]*s[2*t+1]>1.f) atomicAdd(&count,1); __syncthreads(); if(t==0) o[blockIdx.x]=count; }
// 3: two padded tiles 17x17 then matmul reading A rows of 4 unrolled
__global__ void mm(const float*a,const float*b,float*c,int n){ __shared__ float A[17][17]; __shared__ float B[16][16]; int x=threadIdx.x,y=threadIdx.y; float s=0; for(int k0=0;k0<n;k0+=16){ A[y][x]=a[(blockIdx.y*16+y)*n+k0+x]; B[y][x]=b[(blockIdx.x*16+y)*n+k0+x]; __syncthreads();
#pragma unroll
 for(int k=0;k<16;k++) s+=A[y][k]*B[x][k]; __syncthreads(); } c[(blockIdx.y*16+y)*n+blockIdx.x*16+x]=s; }
// 4: char buffer then int table read two at a time
__global__ void chars(const char*a,const int*b,int*o){ __shared__ char q[65]; __shared__ int tab[128]; int t=threadIdx.x; q[t]=a[t]; tab[t]=b[t]; tab[t+64]=b[t+64]; __syncthreads(); o[t]=q[63-t]+tab[2*t]+tab[2*t+1]; }
// 5: three partial arrays [3] then float mean,var
__global__ void stats(const float*a,float*o){ __shared__ float m[3]; __shared__ float w[8]; int t=threadIdx.x; if(t<3) m[t]=a[t]; if(t%32==0) w[t/32]=a[t]; __syncthreads(); float s=0;
#pragma unroll
 for(int i=0;i<8;i++) s+=w[i]; o[t+blockIdx.x*256]=s+m[t%3]; }
