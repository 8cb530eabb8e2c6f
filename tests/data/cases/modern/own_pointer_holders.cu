// origin: own
// Pointers held in copies of local structures: iterators, accessors, slices.
template <class T> struct Slice {
    T *p; int ld;
    __device__ T &operator()(int i, int j) const { return p[i * ld + j]; }
    __device__ Slice row(int i) const { return {p + i * ld, ld}; }
    __device__ Slice tile(int i, int j, int n) const { Slice c = *this; c.p += i * n * ld + j * n; return c; }
};
template <class T> struct Iter {
    T *p; int step;
    __device__ T &operator*() const { return *p; }
    __device__ Iter &operator++() { p += step; return *this; }
    __device__ Iter operator+(int n) const { Iter c(*this); c.p += n * step; return c; }
    __device__ T &operator[](int n) const { return *(*this + n); }
    __device__ bool operator!=(const Iter &b) const { return p != b.p; }
};
struct Pair { Slice<const float> in; Slice<float> out; };
__global__ void k(const float *__restrict__ a, float *b, int n)
{
    __shared__ float s[32 * 36];
    const int x = threadIdx.x, y = threadIdx.y;
    Slice<float> sm{s, 36};
    auto mine = sm;
    mine.ld = 33;
    sm(y, x) = 1;     //= all: shared store w=1
    mine(x, y) = 2;   //= all: shared store w=1
    sm(x, y) = 3;     //= all: shared store w=4
    Pair pr{{a, 1024}, {b, 1024}};
    Pair q = pr;
    q.out = q.out.tile(blockIdx.y, blockIdx.x, 32);
    q.in = pr.in.row(blockIdx.y * 32).tile(0, blockIdx.x, 32);
    q.out(y, x) = q.in(y, x);  //= all: global store s=4 | global load s=4
    q.out(x, y) = q.in(x, y);  //= all: global store s=32 | global load s=32
    Iter<float> it{s + x, 64}, last = it + 8;
    float v = 0;
    for (; it != last; ++it) v += *it; //= all: shared load w=1
    Iter<float> wide{s, 4};
    wide[x] = v;               //= all: shared store w=4
    Iter<float> both[2] = {{b + x, 1}, {b + x * 2, 1}};
    *both[1] = v;              //= all: global store s=8
    auto [p, step] = both[0];
    p[step * 4096] = v;        //= all: global store s=4
}
void go(const float *a, float *b, int n) { k<<<dim3(4, 4), dim3(32, 8)>>>(a, b, n); }
