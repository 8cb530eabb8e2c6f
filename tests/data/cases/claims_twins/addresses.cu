// origin: twins of issue cases
#define K(name) __global__ void name(float*o,const float*q,const int*f,int n,int m)
#define IN __shared__ float s[512]; int t=threadIdx.x; for(int k=t;k<512;k+=64) s[k]=q[k]; __syncthreads();
K(a1){ IN if(t==5) o[t]=s[t+3]+s[t+4]; }
K(a2){ IN if(t==n) o[t]=s[4*t]+s[4*n+1]; }
K(a3){ IN if(t==2*m){ o[t]=s[t]+s[t+1]; } }
K(a4){ IN if(!(t&3)) o[t]=s[t]*s[t+1]; }
K(a5){ IN int c=t<32?2*t:4*t; o[t]=s[c]+s[c+1]; }
K(a6){ IN int c=(t*2)^6; o[t]=s[c]-s[c^1]; }
K(a7){ IN int v[3]={t,2*t,3*t}; o[t]=s[v[1]]+s[v[1]+1]+s[v[2]]; }
K(a8){ IN int r=t/8,c=t%8; o[t]=s[r*8+c]+s[t]*2; }
K(a9){ IN int r=t>>4,c=t&15; o[t]=s[r*32+c*2]+s[r*32+c*2+1]; }
K(a10){ IN int c=0; for(int k=0;k<n;k++) c+=4; o[t]=s[c]+s[c+1]; }
K(a11){ IN unsigned u=threadIdx.x; if(u<1u) o[t]=s[u]+s[u+1]; }
K(a12){ IN int l=t%32,w=t/32; if(l==0) o[w]=s[w*2]+s[w*2+1]; }
K(a13){ __shared__ float a[5]; __shared__ float b[64]; int t=threadIdx.x; if(t<5) a[t]=q[t]; b[t]=q[t+9]; __syncthreads(); o[t]=a[t%5]+b[2*(t%32)]+b[2*(t%32)+1]; }
K(a14){ __shared__ float a[6]; __shared__ float b[64]; int t=threadIdx.x; if(t<6) a[t]=q[t]; b[t]=q[t+9]; __syncthreads(); o[t]=a[t%6]+b[2*(t%32)]+b[2*(t%32)+1]; }
K(a15){ __shared__ double a[1]; __shared__ int flag; __shared__ float b[64]; int t=threadIdx.x; if(t==0){ a[0]=q[3]; flag=n;} b[t]=q[t]; __syncthreads(); o[t]=a[0]+flag+b[4*(t&15)]+b[4*(t&15)+1]+b[4*(t&15)+2]+b[4*(t&15)+3]; }
K(a16){ __shared__ float x,y; int t=threadIdx.x; if(t==0){ x=q[0]; y=q[1]; } __syncthreads(); o[t]=x+y; }
K(a17){ IN for(int j=0;j<n;j++){ if(j==t) break; o[t+j]=s[t]+q[t+j*64]; } }
K(a18){ IN float r=0; for(int j=0;j<m;j++) for(int k=0;k<3;k++) r+=q[j+k]; o[t]=r+s[t]; }
K(a19){ IN float r=0; for(int j=0;j<4;j++) for(int k=0;k<=j;k++) r+=s[t]*q[k]; s[t]=r; o[t]=s[t]; }
K(a20){ IN int i=t; if(t>31) i=t-32; o[t]=s[2*i]+s[2*i+1]; }
K(a21){ IN if((t|32)==32) o[t]=s[t]+s[t+1]; }
K(a22){ IN int i=max(t,0); o[t]=s[i]+s[t]; }
K(a23){ IN int i=min(t,63); o[t]=s[i]+s[t]; }
K(a24){ IN s[2*t]=q[t]; s[(t<<1)|1]=q[t+64]; __syncthreads(); o[t]=s[t]; }
K(a25){ IN s[t]=q[t]; s[t^0]=q[t+64]; __syncthreads(); o[t]=s[63-t]; }
K(a26){ IN unsigned char b=f[t]; o[t]=s[b&15]; }
K(a27){ IN float a=s[t&31]; __syncthreads(); if(t<32) o[t]=a+s[t]; }
K(a28){ IN switch(t&7){ case 0: o[t]=s[t]+s[t+1]; break; case 4: o[t]=s[t]-s[t+3]; break; } }
K(a29){ IN int c=(t*2)&255; o[t]=s[c]*s[c+1]; }
K(a30){ IN int c=t*2%128; o[t]=s[c]*s[c+1]; }
K(a31){ IN while(t<n){ o[t]=s[2*t]+s[2*t+1]; t+=64; } }
K(a32){ IN for(int k=1;k<n;k*=2){ if(t%(2*k)==0) s[t]+=s[t+k]; __syncthreads(); } o[t]=s[t]; }
K(a33){ IN int a=t*3, b=a-t; o[t]=s[b]+s[b+1]; }
K(a34){ IN int a=f[0]*2; o[t]=s[a&254]+s[(a&254)+1]; }
K(a35){ IN if(t==0){ s[t]=n; s[t+1]=m; s[t+2]=n; s[t+3]=m;} __syncthreads(); o[t]=s[t]; }
int main(){ float*o,*q;int*f; cudaMalloc(&o,1<<16); cudaMalloc(&q,1<<16); cudaMalloc(&f,1<<16); 
#define L(k) k<<<2,64>>>(o,q,f,10,5);
L(a1)L(a2)L(a3)L(a4)L(a5)L(a6)L(a7)L(a8)L(a9)L(a10)L(a11)L(a12)L(a13)L(a14)L(a15)L(a16)L(a17)L(a18)L(a19)L(a20)L(a21)L(a22)L(a23)L(a24)L(a25)L(a26)L(a27)L(a28)L(a29)L(a30)L(a31)L(a32)L(a33)L(a34)L(a35) }
