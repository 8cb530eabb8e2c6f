// origin: our own
// question: RGB interleaved bytes: img[3*i+c] as uchar: 3 bytes stride: 96 bytes: 3 sectors vs 1
// kernlint: launch(grid=4096, block=256)
__kernel void grey(__global const uchar *img, __global uchar *g)
{
    int i = get_global_id(0);
    g[i] = (uchar)((img[3 * i] * 77 + img[3 * i + 1] * 150 + img[3 * i + 2] * 29) >> 8);  // expect: KL206 3 sectors per request instead of 1
}
