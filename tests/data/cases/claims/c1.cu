// origin: issue cases
// 1 two loops, same name v
__global__ void two(const float4*a,float4*o){ __shared__ float4 s[64]; int t=threadIdx.x;
  {
    float4 v=a[t];
    s[t]=v;
  }
  __syncthreads();
  {
    float4 v=s[63-t];
    o[t]=v;
  }
}
// 2 the same, other names
__global__ void two_names(const float4*a,float4*o){ __shared__ float4 s[64]; int t=threadIdx.x;
  {
    float4 v=a[t];
    s[t]=v;
  }
  __syncthreads();
  {
    float4 w=s[63-t];
    o[t]=w;
  }
}
// 3 scalar float
__global__ void scal(const float*a,float*o){ __shared__ float s[64]; int t=threadIdx.x;
  float v=a[t];
  s[t]=v;
  __syncthreads();
  float w=s[63-t];
  o[t]=w;
}
// 4 used as member once later, copy before
__global__ void both(const float4*a,float4*o,float*p){ int t=threadIdx.x;
  float4 v=a[t];
  o[t]=v;
  p[t]=v.x;
}
// 5 copy in an if
__global__ void cond(const float4*a,float4*o,int n){ int t=threadIdx.x;
  float4 v=a[t];
  if (t<n)
    o[t]=v;
}
// 6 const
__global__ void cons(const float4*__restrict__ a,float4*o){ int t=threadIdx.x;
  const float4 v=a[t];
  o[t]=v;
}
// 7 auto
__global__ void aut(const float4*a,float4*o){ int t=threadIdx.x;
  auto v=a[t];
  o[t]=v;
}
// 8 via parenthesis/cast
__global__ void cst(const float*a,float*o){ int t=threadIdx.x;
  float4 v=reinterpret_cast<const float4*>(a)[t];
  reinterpret_cast<float4*>(o)[t]=v;
}
// 9 same name as a member access elsewhere / a param of another function
struct P { float4 v; };
__global__ void memb(const P*a,float4*o){ int t=threadIdx.x;
  float4 v=a[t].v;
  o[t]=v;
}
// 10 two copies of v
__global__ void twice(const float4*a,float4*o,float4*p){ int t=threadIdx.x;
  float4 v=a[t];
  o[t]=v;
  p[t]=v;
}
