// origin: issue cases
// kernlint: launch(grid=(4,4), block=(16,16), n=64)
__global__ void mm(const float*a,const float*b,float*c,int n){ __shared__ float A[17][17]; __shared__ float B[16][16]; int x=threadIdx.x,y=threadIdx.y; float s=0;
 for(int k0=0;k0<n;k0+=16){
  A[y][x]=a[(blockIdx.y*16+y)*n+k0+x];
  B[y][x]=b[(blockIdx.x*16+y)*n+k0+x];
  __syncthreads();
#pragma unroll
  for(int k=0;k<16;k++)
   s+=A[y][k]*
      B[x][k];
  __syncthreads(); }
 c[(blockIdx.y*16+y)*n+blockIdx.x*16+x]=s; }
// kernlint: launch(grid=(4,4), block=(16,16), n=64)
__global__ void mmflag(const float*a,const float*b,float*c,int n){ __shared__ int done; __shared__ float A[16][16]; __shared__ float B[16][16]; int x=threadIdx.x,y=threadIdx.y; float s=0; if(x+y==0) done=n>>3;
 for(int k0=0;k0<n;k0+=16){
  A[y][x]=a[(blockIdx.y*16+y)*n+k0+x];
  B[y][x]=b[(blockIdx.x*16+y)*n+k0+x];
  __syncthreads();
#pragma unroll
  for(int k=0;k<16;k++)
   s+=A[y][k]*
      B[k][x];
  __syncthreads(); }
 c[(blockIdx.y*16+y)*n+blockIdx.x*16+x]=s+done; }
