// origin: own
// Members of an argument that is a structure with arrays: strides and pointers as the launch gives them, in loops too; not where the kernel changes its copy.
struct View { int strides[3]; float *data; };
struct Params { View in; View out[2]; unsigned char flags[4]; int n; };
__device__ int at(const View &v, int i, int j) { return i * v.strides[0] + j * v.strides[1] + v.strides[2]; }
__global__ void given(Params p)
{
    int i = threadIdx.x;
    p.out[0].data[at(p.out[0], i, 0)] = p.in.data[at(p.in, i, 0)];   //= all: global store s=8 | global load s=4
    int off = 0;
#pragma unroll
    for (int d = 0; d < 3; d++) off += i * p.in.strides[d];
    p.out[1].data[off + 1000] = 2;                                     //= all: global store s=8
    const int *s = p.in.strides;
    p.out[1].data[i * p.out[1].strides[1] + p.n] = s[2];               //= all: global store s=12
}
__global__ void changed(Params p)
{
    p.in.strides[0] = threadIdx.x % 2 ? 7 : 2;
    p.out[0].data[threadIdx.x * p.in.strides[0]] = 1;                  //= all: global store unknown
}
__global__ void changed_through_a_pointer(Params p)
{
    int *q = p.in.strides;
    q[0] = 5;
    p.out[0].data[threadIdx.x * p.in.strides[0]] = 1;                  //= all: global store unknown
}
__global__ void cleared(Params p) { p.in.data[threadIdx.x * p.in.strides[1] + p.out[1].strides[2]] = 1; } //= all: global store s=1
__global__ void copied(Params p) { p.in.data[threadIdx.x * p.in.strides[1] + p.out[1].strides[2]] = 1; } //= all: global store s=9
void go(float *a, float *b)
{
    Params p{};
    p.in.strides[0] = 1;
    p.in.strides[1] = 1;
    p.in.data = a;
    p.out[0].strides[0] = 2;
    p.out[0].data = b;
    p.out[1].strides[1] = 3;
    p.out[1].data = b;
    given<<<4, 128>>>(p);
    changed<<<4, 128>>>(p);
    changed_through_a_pointer<<<4, 128>>>(p);
    Params zero = {};
    zero.in.data = a;
    cleared<<<4, 128>>>(zero);
    Params other;
    other.in = View{{1, 2, 3}, a};
    other.out[1] = other.in;
    copied<<<4, 96>>>(other);
}
