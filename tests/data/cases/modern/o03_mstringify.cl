// origin: issue cases
MSTRINGIFY(
\n#undef MAD
\n#define MAD(x, c) x = x * x + c;
__kernel void k(__global float *p, float a) { float x = a; float c = get_local_id(0); MAD(x, c); p[get_global_id(0) * 32] = x; }
)
