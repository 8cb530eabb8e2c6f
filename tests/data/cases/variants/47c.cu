// origin: our own
// right: wrong mask: names lanes 0 and 16 but lanes 0,8,16,24 execute: KL403
__global__ void bad(int *d)
{
    int lane = threadIdx.x & 31, v = lane;
    if ((lane & 7) == 0) v = __shfl_xor_sync(0x00010001u, v, 16);  // expect: KL403 lanes that its mask does not name execute it
    d[threadIdx.x] = v;
}
void go(int *d) { bad<<<1, 32>>>(d); }
