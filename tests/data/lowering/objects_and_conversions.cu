template <int A> struct Int2Type { enum { VALUE = A }; };
template <int STEP> __device__ void step(int *p, Int2Type<STEP>) { p[STEP] = 1; step(p, Int2Type<STEP + 1>()); }
__device__ void step(int *p, Int2Type<3>) { p[100] = 1; }
template <typename T> struct Vec { T x, y; __host__ __device__ Vec() : x(0), y(0) {} __host__ __device__ Vec(T a, T b) : x(a), y(b) {}
  __device__ Vec operator+(const Vec &o) const { return Vec(x + o.x, y + o.y); } __device__ Vec &operator+=(const Vec &o) { x += o.x; y += o.y; return *this; }
  __device__ T dot(const Vec &o) const { return x * o.x + y * o.y; } };
typedef Vec<int> Vec2i;
struct Iter { int *p; __device__ int &operator*() const { return *p; } __device__ Iter &operator++() { ++p; return *this; } __device__ bool operator!=(const Iter &o) const { return p != o.p; } };
__device__ int *advance(int *p, int n) { return p + n; }
template <int (*F)(int)> __device__ int applyf(int x) { return F(x); }
__device__ int sq(int x) { return x * x; }
template <typename T, T V> struct constant { static constexpr T value = V; };
template <typename T> __device__ constexpr T ceil_div(T a, T b) { return (a + b - 1) / b; }
struct Shared { float a[32]; int n; };
template <typename T> struct SharedMemory { __device__ operator T *() { extern __shared__ int mem[]; return (T *)mem; } __device__ operator const T *() const { extern __shared__ int mem[]; return (T *)mem; } };
__global__ void __launch_bounds__(256, 2) k(int *p, int n, Vec2i *v, unsigned long long *q) {
    step(p, Int2Type<0>());
    Vec2i a = v[threadIdx.x], b(n, 2);
    a += b; v[0] = a + b; p[a.dot(b)] = 1;
    Iter it{p}, end{p + n};
    for (; it != end; ++it) { if (*it == 3) continue; *it = 5; }
    int *r = advance(p, 3); *r = applyf<sq>(4);
    int arr[2][3]; arr[1][2] = p[0]; int (*row)[3] = &arr[1]; p[1] = (*row)[2];
    const int len = ceil_div(n, 4); p[len] = constant<int, 6>::value;
    __shared__ Shared sh; sh.a[threadIdx.x] = 1; if (threadIdx.x == 0) sh.n = n; Shared *ps = &sh; p[ps->n] = 2;
    float *smem = SharedMemory<float>(); smem[threadIdx.x] = 0;
    int x = 0; int *px = &x; *px = 7; if (n) px = p; *px = 8; p[x] = 1;
    unsigned long long key = q[0]; p[(int)(key >> 32)] = (int)key;
    size_t off = (size_t)p & 15; p[off >> 2] = 0;
    int w = n, h = (w = 3, w + 1); p[h] = w;
    p[n > 0 ? 1 : 2] = !n; p[-n + ~n] = +n;
    static_assert(sizeof(Vec2i) == 8, ""); assert(n > 0);
    auto lam = [p](int i) -> int { if (i > 3) return p[i]; return 0; }; p[9] = lam(n) + lam(4);
    while (n-- > 0) { if (p[n]) break; }
    do { p[n]++; } while (0);
    p[0] = min(max(n, 0), 5) + abs(n); p[1] = __shfl_xor_sync(~0, n, 1) + __reduce_add_sync(~0u, n);
    printf("%d\n", n);
    if (n < 0) __trap();
    uchar4 c = reinterpret_cast<const uchar4 *>(p)[n]; p[c.x] = c.w; ((char *)p)[5] = 'a';
    int2 pair = make_int2(n, 1); p[pair.x] = pair.y; float3 f3 = {1, 2, 3}; p[(int)f3.z] = sizeof f3;
}
