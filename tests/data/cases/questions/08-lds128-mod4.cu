// origin: issue cases
// launch: block 32, grid 1 (host code below).
// right: line `q[t % 4]` takes 4 wavefronts (the asker expected 2; measured 4); `q[(t >> 1) % 4]`, where neighbours agree, takes 2.
__global__ void pairs(float4 *out)
{
    __shared__ float4 q[4];
    const int t = threadIdx.x;
    if (t < 4) q[t] = out[t];
    __syncthreads();
    float4 a = q[t % 4];  // expect: KL103 4 wavefronts per request instead of 2 | neighbouring lanes (lane and lane ^ 1) read the same element
    float4 b = q[(t >> 1) % 4];
    out[t] = make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}
void go(float4 *o) { pairs<<<1, 32>>>(o); }
