static double normal_sample() { double u = 0.5, v = 0.25, r = u * u + v * v; if (r == 0 || r > 1) return normal_sample(); return u * r; }
__global__ void k(float *x, float a) { x[threadIdx.x] = a; }
void run(float *p) { double a = normal_sample(); k<<<1, 32>>>(p, (float)a); }
// Origin: issue cases.
