// origin: own
// Pointers held in arrays, in structures in arrays and in shared memory: stages of a ring, tables of outputs, copies of an element.
struct Stage { float *a; float *b; int ld; };
struct View { float *p; int s; __device__ float &operator[](int i) const { return p[i * s]; } };
struct Pair { float *a[2]; };
__global__ void ring(const float *g, float *o, int K)
{
    __shared__ float s0[256], s1[1024];
    const int t = threadIdx.x;
    float *buf[2] = {s0, s1};
    float acc = 0;
    for (int k = 0; k < K; ++k) {
        buf[k & 1][t * 2] = g[k * 128 + t];             //= all: shared store w=2 | global load s=4
        __syncthreads();
        acc += buf[k & 1][t];                           //= all: shared load w=1
        __syncthreads();
    }
    o[t] = acc;                                         //= all: global store s=4
}
__global__ void stages(float *o, int which)
{
    __shared__ float s[4096];
    const int t = threadIdx.x;
    Stage st[3];
    for (int i = 0; i < 3; ++i) { st[i].a = s + i * 1024; st[i].b = s + i * 1024 + 512; st[i].ld = i + 1; }
    for (int i = 0; i < 3; ++i) st[i].b[t * 2] = 2;     //= all: shared store w=2
    __syncthreads();
    Stage cur = st[which % 3];
    o[t] = cur.b[t * 2];                                //= all: shared load w=2 | global store s=4
    Stage one = st[1];
    one.a += 32;
    one.a[t * one.ld] = 1;                              //= all: shared store w=2
    st[2].a[t * 4] = 3;                                 //= all: shared store w=4
}
__global__ void arrays(float *o, float *p, Pair q)
{
    const int t = threadIdx.x;
    float *r[2] = {o, p + 1024};
    r[1][t * 2] = 1;                                    //= all: global store s=8
    View both[2] = {{o, 2}, {p, 4}};
    both[0][t] = 2;                                     //= all: global store s=8
    both[1][t] = 2;                                     //= all: global store s=16
    Pair c = q;
    c.a[1][t * 3] = 1;                                  //= all: global store s=12
    for (int i = 0; i < 2; i++) r[i][t * 5] = 1;        //= all: global store s=20
    for (float *x : r) x[t * 6] = 1;                    //= all: global store s=24
    View made[2];
    made[0].p = o; made[0].s = 2;
    made[1] = {p, 2};
    for (int i = 0; i < 2; i++) made[i][t] = 1;         //= all: global store s=8
    auto [u, v] = r;
    v[t * 4] = 1;                                       //= all: global store s=16
    __shared__ float *kept[2];
    if (t < 2) kept[t] = o + t * 100;
    __syncthreads();
    kept[1][t] = 1;                                     //= all: global store s=5
}
__global__ void differing(float *a, float *b)
{
    const int t = threadIdx.x;
    float *q[2] = {a, b};
    q[t & 1][t * 2] = 1;                                //= all: global store unknown
    float *r[2] = {t < 16 ? a : b, a + t};
    r[1][t] = 2;                                        //= all: global store s=8
    r[0][t] = 3;                                        //= all: global store unknown
    float *lost[2] = {a, b};
    for (int i = 0; i < t; ++i) lost[0] = b + i;
    lost[0][t] = 4;                                     //= all: global store unknown
    union { float *p; long long n; } both;
    both.p = a;
    both.n += 4 * t;
    both.p[t] = 5;
}
void go(float *x)
{
    ring<<<1, 128>>>(x, x + 4096, 6);
    stages<<<1, 128>>>(x, 4);
    arrays<<<1, 32>>>(x, x + 4096, Pair{x, x + 1000});
    differing<<<1, 128>>>(x, x + 8192);
}
