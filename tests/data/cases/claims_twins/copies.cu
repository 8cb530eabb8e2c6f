// origin: twins of issue cases
#include <cuda_fp16.h>
#define K(name) __global__ void name(float*o,const float*q,int*f,int n,int m)
#define IN __shared__ float s[512]; int t=threadIdx.x; for(int k=t;k<512;k+=64) s[k]=q[k]; __syncthreads();
struct P { float x[3]; float v[3]; float a[2]; };
struct Q { int a,b,c; };
__device__ float part_sum(float v){ __shared__ float part[3]; int t=threadIdx.x; if(t<3) part[t]=v; __syncthreads(); return part[t%3]; }
template<int N> __device__ float tsum(float v){ __shared__ float w[N]; int t=threadIdx.x; if(t%32==0) w[t/32]=v; __syncthreads(); float r=0; for(int i=0;i<N;i++) r+=w[i]; return r; }
__shared__ float gfile[7];
K(b1){ __shared__ float s[64]; int t=threadIdx.x; s[t]=q[t]; __syncthreads(); float v=s[2*(t&15)]+s[2*(t&15)+1]; o[t]=part_sum(v); }
K(b2){ __shared__ float s[65]; int t=threadIdx.x; s[t]=q[t]; __syncthreads(); o[t]=tsum<4>(s[t^1]); }
K(b3){ __shared__ float s[64]; int t=threadIdx.x; if(t<7) gfile[t]=q[t]; s[t]=q[t]; __syncthreads(); o[t]=s[2*(t&15)]+s[2*(t&15)+1]+gfile[t%7]; }
K(b4){ int t=threadIdx.x; P*p=(P*)o; P a=p[t]; a.a[0]=a.x[0]*n; p[t]=a; }
K(b5){ int t=threadIdx.x; P*p=(P*)o; P a=p[t]; a.v[0]+=a.a[0]; a.v[1]+=a.a[1]; p[t]=a; }
K(b6){ int t=threadIdx.x; Q*p=(Q*)o; Q a=p[t]; p[t+64]=a; }
K(b7){ int t=threadIdx.x; for(int b=t;b<n*16;b+=32){ int v=f[b]; atomicAdd(&f[b+512],v); } }
K(b8){ int t=threadIdx.x; for(int b=t;b<256;b+=64) atomicAdd(&f[b+512],f[b]); }
K(b9){ __shared__ int h[64]; int t=threadIdx.x; h[t]=0; __syncthreads(); for(int i=t;i<n*64;i+=64) atomicAdd(&h[f[i]&63],1); __syncthreads(); atomicAdd(&f[t],h[t]); }
K(b10){ __shared__ half s[256]; int t=threadIdx.x; const half*h=(const half*)q; for(int k=t;k<256;k+=64) s[k]=h[k]; __syncthreads(); o[t]=__half2float(s[2*t])+__half2float(s[2*t+1]); }
K(b11){ __shared__ short s[256]; int t=threadIdx.x; for(int k=t;k<256;k+=64) s[k]=f[k]; __syncthreads(); o[t]=s[2*t]*s[2*t+1]; }
K(b12){ __shared__ unsigned char s[256]; int t=threadIdx.x; for(int k=t;k<256;k+=64) s[k]=f[k]; __syncthreads(); o[t]=s[4*(t&31)]+s[4*(t&31)+1]+s[4*(t&31)+2]+s[4*(t&31)+3]; }
K(b13){ IN float r=0; for(int d=0;d<4;d++) r+=s[t+d]*(d+1); if(t<n) o[t]=r; }
K(b14){ IN float r=0; for(int d=0;d<4;d++) r+=s[t+d]; if(t<n) o[t]=r; }
K(b15){ IN float r=s[t]*s[t+64]; if(t<n) o[t]=r; }
K(b16){ IN for(int k=0;k<m;k++){ if(q[k]>t) break; o[t+k*64]=q[t+k*64]; } }
K(b17){ IN int k=0; while(true){ if(k>=t%7) break; o[t+k*64]=s[t+k]; k++; } }
K(b18){ IN for(int k=t;k<n;k++) s[t]+=q[k]; o[t]=s[t]; }
K(b19){ float4*p=(float4*)o; const float4*r=(const float4*)q; int t=threadIdx.x; if(n>3){ float4 v=r[t]; p[t]=v; } else { float4 v=r[t+64]; v.x=m; p[t+128]=v; } }
K(b20){ const float4*r=(const float4*)q; __shared__ float4 s4[64]; int t=threadIdx.x; { float4 a=r[t]; s4[t]=a; } __syncthreads(); for(int i=0;i<2;i++){ float4 a=s4[(t+i)&63]; ((float4*)o)[t+i*64]=a; } }
K(b21){ __shared__ int flag; __shared__ float4 s4[64]; int t=threadIdx.x; if(t==0) flag=n; s4[t]=((const float4*)q)[t]; __syncthreads(); o[t]=s4[63-t].x+flag+s4[63-t].y; }
K(b22){ __shared__ Q s3[64]; int t=threadIdx.x; s3[t].a=f[t]; s3[t].b=f[t+64]; s3[t].c=n; __syncthreads(); o[t]=s3[63-t].a+s3[63-t].b; }
K(b23){ IN float a[4]; for(int i=0;i<4;i++) a[i]=s[4*t+i]; o[t]=a[0]*a[1]+a[2]*a[3]; }
K(b24){ IN int idx[4]; for(int i=0;i<4;i++) idx[i]=(t+i)*4; o[t]=s[idx[0]]+s[idx[0]+1]+s[idx[1]]; }
K(b25){ IN auto g=[&](int i)->float&{ return s[i^3]; }; g(t)=n; g(t+64)=m; __syncthreads(); o[t]=g(2*t)+g(2*t+1); }
K(b26){ IN for(int j=0;j<n;j++){ float r=0; for(int k=0;k<4;k++) r+=s[j*4+k]; o[t+j*64]=r; } }
K(b27){ IN for(int j=1;j<n;j++){ o[t+j*64]=s[t+j-1]+s[t+j]; } }
K(b28){ IN if(t<n) s[t]=q[t]; else s[t]=q[t+64]; __syncthreads(); o[t]=s[t^1]; }
K(b29){ IN float x=0; if(t==0) x=s[t]; o[t]=x+s[0]; }
K(b30){ IN if(t>=32 && t<33) o[t]=s[t]+s[t+1]; }
int main(){ float*o,*q;int*f; cudaMalloc(&o,1<<18); cudaMalloc(&q,1<<18); cudaMalloc(&f,1<<18); 
#define L(k) k<<<2,64>>>(o,q,f,10,5);
L(b1)L(b2)L(b3)L(b4)L(b5)L(b6)L(b7)L(b8)L(b9)L(b10)L(b11)L(b12)L(b13)L(b14)L(b15)L(b16)L(b17)L(b18)L(b19)L(b20)L(b21)L(b22)L(b23)L(b24)L(b25)L(b26)L(b27)L(b28)L(b29)L(b30) }
