// origin: issue cases  // expect: none
// launch: block 32, grid 1 (host code below).
// right: nothing to report: the mask 0x00010001 names exactly the lanes (0 and 16) that execute the shuffle, the second one is reached by all.
// (The reported hang was a fault of CUDA 9.1's compiler.)
__global__ void swap16(int *d)
{
    __syncthreads();
    int lane = threadIdx.x & 0x1f;
    int mine = lane, got = lane + 32;
    if ((lane & 0xfu) == 0) {
        mine += got;
        got = __shfl_xor_sync(0x00010001u, mine, 0x10u);
    }
    mine = got;
    got = __shfl_up_sync(0xffffffffu, mine, 8);
    __syncthreads();
    d[threadIdx.x] = got;
}
void go(int *d) { swap16<<<1, 32>>>(d); }
