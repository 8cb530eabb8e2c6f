// origin: own
// Labels in braces of inline assembly are local to them: two waits by one macro have the same. If and else by branches
// that cross, labels of inner and outer braces of one name.
#define WAIT(b, p) asm volatile("{\n.reg .pred P1;\nW:\nmbarrier.try_wait.parity.shared::cta.b64 P1, [%0], %1;\n@P1 bra D;\nbra W;\nD:\n}" ::"r"(b), "r"(p))
__global__ void waits(float *o, const float *g, int n)
{
    __shared__ unsigned long long bar[2];
    __shared__ float s[2048];
    unsigned a = (unsigned)__cvta_generic_to_shared(bar);
    WAIT(a, 0);
    WAIT(a + 8, 1);
    s[threadIdx.x] = g[threadIdx.x];                       //= all: shared store w=1 | global load s=4
    WAIT(a, 1);
    o[threadIdx.x] = s[threadIdx.x * 8];                   //= all: shared load w=8 | global store s=4
}
__global__ void arms(float *o, int n)
{
    int r;
    asm volatile("{ .reg .pred q; setp.lt.s32 q, %1, 4; @q bra L1; mov.s32 %0, 8; bra L2; L1: mov.s32 %0, 2; L2: }" : "=r"(r) : "r"(n));
    o[threadIdx.x * r] = 1;                                //= all: global store s=8
}
__global__ void nested(float *o, int n)
{
    int r;
    asm volatile("{ .reg .pred q; mov.s32 %0, 8; setp.lt.s32 q, %1, 4; @!q bra L; { .reg .pred q; setp.ge.s32 q, %1, 4; @q bra L; mov.s32 %0, 4; L: } L: }" : "=r"(r) : "r"(n));
    o[threadIdx.x * r] = 1;                                //= all: global store s=16
}
void go(float *o, const float *g) { waits<<<1, 256>>>(o, g, 3); arms<<<1, 64>>>(o, 3); nested<<<1, 64>>>(o, 3); }
