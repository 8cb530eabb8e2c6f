int vendor(int n, float *p);
__global__ void first(float *p, int n) { p[threadIdx.x] = 1; }
__global__ void second(float *p, int n) { p[threadIdx.x] = 2; }
void run_vendor(int n, float *p) { vendor(n, p); }
void run_first(int n, float *p) { first<<<n, 64>>>(p, n); }
void run_second(int n, float *p) { second<<<n, 128>>>(p, n); }
void run(int w, int n, float *p) { switch (w) { case 0: break; case 1: run_first(n, p); break; case 2: run_second(n, p); break; } }
// Origin: issue cases.
