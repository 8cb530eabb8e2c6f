// origin: issue cases
__global__ void h1(const unsigned*a,unsigned*bins){ __shared__ unsigned s[64]; int t=threadIdx.x; s[t]=a[t]; s[t+32]=a[t+32]; __syncwarp();
  for(int b=t;b<64;b+=32){ unsigned sum=0; for(int l=0;l<8;l++) sum+=s[(b+l)&63];
    atomicAdd(&bins[b],sum);
  } }
__global__ void h2(const unsigned*a,unsigned*bins,int n){ int t=threadIdx.x;
  for(int b=t;b<n;b+=32){
    unsigned v=a[b];
    atomicAdd(&bins[b],v);
  } }
__global__ void h3(const unsigned*a,unsigned*bins,int n){ int t=threadIdx.x;
  for(int b=t;b<256;b+=32){
    unsigned v=a[b];
    if (v)
      atomicAdd(&bins[b],v);
  } }
__global__ void h4(const unsigned*a,unsigned*bins,int n){ __shared__ unsigned s[256]; int t=threadIdx.x;
  for(int b=t;b<256;b+=blockDim.x) s[b]=0; __syncthreads();
  for(int i=t;i<n;i+=blockDim.x)
    atomicAdd(&s[a[i]&255],1);
  __syncthreads();
  for(int b=t;b<256;b+=blockDim.x)
    atomicAdd(&bins[b],s[b]);
}
