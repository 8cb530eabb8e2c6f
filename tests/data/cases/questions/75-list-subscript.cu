// origin: issue cases
// launch: block 64, grid 16 (host code below).
// right: nothing but a plain coalesced copy: must be parsed (a braced list as subscript is C++11).
struct at4 { int b, d, r, c; };
struct view { float *p; __device__ float &operator[](const at4 &i) const { return p[i.b * 4096 + i.d * 1024 + i.r * 64 + i.c]; } };
__global__ void cp(view src, view dst) { dst[{0, 0, (int)blockIdx.x, (int)threadIdx.x}] = src[{0, 0, (int)blockIdx.x, (int)threadIdx.x}]; }
void go(float *a, float *b) { cp<<<16, 64>>>(view{a}, view{b}); }
