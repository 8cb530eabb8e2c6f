// origin: our own  // expect: none
// right: nothing
// kernlint: launch(grid=512, block=256, n=5000000000)
__kernel void copy(__global const int *a, __global int *b, ulong n)
{
    for (ulong i = get_global_id(0); i < n; i += get_global_size(0)) b[i] = a[i];
}
