// origin: issue cases
typedef unsigned char u8; typedef unsigned short u16; typedef unsigned u32;
__global__ void k1(const u8*a,u32*o){ __shared__ u32 s[64]; int t=threadIdx.x; s[t]=o[t]; __syncthreads();
  u8 v=a[t];
  o[t]=s[v & 63];
}
__global__ void k2(const u8*a,u32*o){ __shared__ u32 s[64]; int t=threadIdx.x; s[t]=o[t]; __syncthreads();
  int v=a[t];
  o[t]=s[v % 64];
}
__global__ void k3(const u8*a,u32*o){ __shared__ u32 s[64]; int t=threadIdx.x; s[t]=o[t]; __syncthreads();
  int v=a[t] % 64;
  o[t]=s[v];
}
__global__ void k4(const u8*a,u32*o){ __shared__ u32 s[64*32]; int t=threadIdx.x; for(int i=0;i<64;i++) s[i*32+t]=o[t]; __syncthreads();
  int v=a[t] % 64;
  o[t]=s[v*32+t];
}
__global__ void k5(const u8*a,u32*o){ __shared__ u32 s[64*33]; int t=threadIdx.x; for(int i=0;i<64;i++) s[i*33+t]=o[t]; __syncthreads();
  int v=a[t] % 64;
  o[t]=s[v*33+t];
}
__global__ void k6(const u16*a,u32*o){ __shared__ u32 s[64]; int t=threadIdx.x; s[t]=o[t]; __syncthreads();
  u16 v=a[t];
  o[t]=s[v & 63];
}
__global__ void k7(const u8*a,u32*o){ int t=threadIdx.x;
  u8 v=a[t];
  o[t]=v & 15;
}
__global__ void k8(const u8*a,u32*o){ int t=threadIdx.x;
  u8 v=a[t];
  o[t]=(v & 15) +
    (v >> 4);
}
__global__ void k9(const char*a,u32*o){ __shared__ u32 s[64]; int t=threadIdx.x; s[t]=o[t]; __syncthreads();
  char v=a[t];
  o[t]=s[v & 63];
}
__global__ void k10(const u8*a,u32*o){ int t=threadIdx.x;
  u8 v=a[t];
  o[t]=v + 7;
}
__global__ void k11(const u8*a,u32*o){ __shared__ u32 s[256]; int t=threadIdx.x; s[t]=o[t]; __syncthreads();
  u8 v=a[t];
  o[t]=s[v];
}
__global__ void k12(const u32*a,u32*o){ __shared__ u32 s[64]; int t=threadIdx.x; s[t]=o[t]; __syncthreads();
  u32 v=a[t];
  o[t]=s[v & 63];
}
__global__ void k13(const u8*a,u32*o){ __shared__ u8 s[64]; int t=threadIdx.x; s[t]=a[t]; __syncthreads();
  u8 v=s[63-t];
  o[t]=v & 3;
}
__global__ void k14(const u8*a,u8*o){ int t=threadIdx.x;
  u8 v=a[t];
  o[t]=v & 3;
}
__global__ void k15(const u8*a,u32*o){ int t=threadIdx.x;
  u8 v=a[t];
  if (v & 1)
    o[t]=1;
}
__global__ void k16(const u16*a,u32*o){ int t=threadIdx.x;
  u16 v=a[t];
  o[t]=v & 255;
}
__global__ void k17(const u8*a,u32*o){ int t=threadIdx.x;
  u8 v=a[t];
  u8 w=v & 15;
  o[t]=w;
}
