// origin: our own  // expect: none
// right: nothing: the compiler combines integer atomics of unused result on one address in the warp
// kernlint: launch(grid=256, block=256)
__kernel void count(__global const uint *v, volatile __global uint *c, uint lim)
{
    if (v[get_global_id(0)] > lim) atomic_inc(c);
}
