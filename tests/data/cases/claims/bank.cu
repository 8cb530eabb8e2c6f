// origin: issue cases
__global__ void b1(const int*a,int*o){ __shared__ int s[64][32]; int t=threadIdx.x; for(int i=0;i<64;i++) s[i][t]=o[i]; __syncwarp(); int x=a[t]&63;
  o[t]=s[x][t]; }
__global__ void b2(const int*a,int*o){ __shared__ int s[64*32]; int t=threadIdx.x; for(int i=0;i<64;i++) s[i*32+t]=o[i]; __syncwarp(); int x=a[t];
  s[x*32+t]+=1; __syncwarp(); o[t]=s[t]; }
__global__ void b3(const int*a,float*o){ __shared__ float s[64][64]; int t=threadIdx.x; for(int i=0;i<64;i++) s[i][t]=o[i]; __syncwarp(); int x=a[t]&63;
  o[t]=s[x][t]; }
__global__ void b4(const unsigned char*a,int*o){ __shared__ unsigned s[256][32]; int t=threadIdx.x&31; for(int i=0;i<256;i++) s[i][t]=0; __syncwarp(); 
  s[a[threadIdx.x]][t]++; __syncwarp(); o[t]=s[3][t]; }
__global__ void b5(const int*a,int*o){ __shared__ int s[32]; int t=threadIdx.x; s[t]=a[t]; __syncwarp(); int x=a[t+64];
  o[t]=s[(x+t)&31]; }
__global__ void b6(const int*a,int*o){ __shared__ int s[32]; int t=threadIdx.x; s[t]=a[t]; __syncwarp(); int x=a[blockIdx.x];
  o[t]=s[(x+t)&31]; }
// global: row gather with lane-contiguous columns; rows sector aligned: 4 sectors whatever the row
__global__ void b7(const int*idx,const float*w,float*o){ int row=blockIdx.x*blockDim.y+threadIdx.y; int tok=idx[row];
  o[row*32+threadIdx.x]=w[tok*32+threadIdx.x]; }
