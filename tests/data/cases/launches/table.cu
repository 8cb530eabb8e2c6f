__global__ void a(float *p) { p[threadIdx.x] = 1; }
__global__ void b(float *p) { p[threadIdx.x * 2] = 2; }
void run(float *p)
{
    const int sizes[] = {64, 128};
    for (int j = 0; j < sizeof(sizes) / sizeof(int); j++) { int s = sizes[j]; a<<<4, s>>>(p); }
    void (*k)(float *);
    for (int i = 0; i < 2; ++i) {
        switch (i) { case 0: k = &a; break; case 1: k = &b; break; }
        k<<<8, 96>>>(p);
    }
    void (*f[2])(float *) = {a, b};
    for (int i = 0; i < 2; ++i) f[i]<<<8, 160>>>(p);
}
// Origin: issue cases.
