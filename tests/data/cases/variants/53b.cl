// origin: our own
// right: nothing but the division
// kernlint: launch(grid=4096, block=256, w=1024, h=1024)
__kernel void brighten(__global uchar4 *img, int w, int h)
{
    int id = get_global_id(0), y = id / w, x = id % w;  // expect: KL702 once per work-item
    if (y < h) img[y * w + x] = img[y * w + x] + (uchar4)(10);
}
