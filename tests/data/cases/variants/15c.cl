// origin: our own
// right: structures of three ints: 12 sectors instead of 4
typedef struct { int r, g, b; } px;
__kernel void invert(__global const px *in, __global px *out)
{
    int i = get_global_id(0);
    px p = in[i];  // expect: KL206 12 sectors per request instead of 4
    p.r = 255 - p.r; p.g = 255 - p.g; p.b = 255 - p.b;
    out[i] = p;  // expect: KL206 12 sectors per request instead of 4
}
