// origin: issue cases
// launch: block 128, grid 8192, n = 1048576 (host code below).
// right: each of x, y, z: 24 sectors per request (32 x 24 B), ideal 8; loads and stores. Fix: index the 3n doubles directly (8 sectors).
__global__ void shift(const double3 *a, double3 *b, double c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double3 v = a[i];  // expect: KL206 24 sectors per request instead of 8 | index the array as plain words
        v.x += c; v.y += c; v.z += c;
        b[i] = v;  // expect: KL206 24 sectors per request instead of 8 | index the array as plain words
    }
}
void go(const double3 *a, double3 *b) { int n = 1 << 20; shift<<<(n + 127) / 128, 128>>>(a, b, 2.5, n); }
