// origin: issue cases
// kernlint: launch(grid=4, block=32)
__global__ void g1(const unsigned*a,unsigned*bins){ int t=threadIdx.x;
  for(int b=t;b<256;b+=32){
    unsigned v=a[b];
    atomicAdd(&bins[b],v);
  } }
// kernlint: launch(grid=4, block=32, n=256)
__global__ void g2(const unsigned*a,unsigned*bins,int n){ int t=threadIdx.x;
  for(int b=t;b<n;b+=32){
    unsigned v=a[b];
    atomicAdd(&bins[b],v);
  } }
// kernlint: launch(grid=4, block=32, n=256)
__global__ void g3(const unsigned*a,unsigned*bins,int n){ __shared__ unsigned s[256]; int t=threadIdx.x;
  for(int b=t;b<256;b+=blockDim.x) s[b]=a[b];
  __syncthreads();
  for(int b=t;b<256;b+=blockDim.x)
    atomicAdd(&bins[b],s[255-b]);
}
// kernlint: launch(grid=4, block=32, n=256)
__global__ void g4(const unsigned*a,unsigned*bins,int n){ int t=threadIdx.x; 
  for(int b=t;b<n;b+=32){ unsigned sum=0; for(int l=0;l<n;l++) sum+=a[b+l];
    atomicAdd(&bins[b],sum);
  } }
