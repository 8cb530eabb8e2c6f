// origin: own
// Partial specialisations of variadic templates: the first arguments apart from the rest, and packs of one length.
template <class... T> struct tup;
template <> struct tup<> { static constexpr int size = 0; };
template <class H, class... R> struct tup<H, R...> { H head; tup<R...> rest; static constexpr int size = sizeof(H) + tup<R...>::size; };
template <int I, class T> struct get_;
template <class H, class... R> struct get_<0, tup<H, R...>> { using type = H; static __device__ H &at(tup<H, R...> &t) { return t.head; } };
template <int I, class H, class... R> struct get_<I, tup<H, R...>> { using type = typename get_<I - 1, tup<R...>>::type; static __device__ type &at(tup<H, R...> &t) { return get_<I - 1, tup<R...>>::at(t.rest); } };
template <int... N> struct prod;
template <> struct prod<> { static constexpr int v = 1; };
template <int A, int... N> struct prod<A, N...> { static constexpr int v = A * prod<N...>::v; };
template <int A, int B> struct prod<A, B> { static constexpr int v = A * B * 10; };
template <class T, int... N> struct shape { static constexpr int rank = sizeof...(N); };
template <class T, int A, int B> struct shape<T, A, B> { static constexpr int rank = 200; };
__global__ void k(float *o)
{
    o[threadIdx.x * tup<float, char, double>::size] = 1; //= all: global store s=32
    o[threadIdx.x * prod<1, 3, 1>::v / 10] = 1;
    o[threadIdx.x * prod<2>::v] = 1; //= all: global store s=8
    o[threadIdx.x * shape<float, 1>::rank] = 1; //= all: global store s=4
    o[threadIdx.x * shape<float, 1, 2, 3>::rank] = 1; //= all: global store s=12
    o[threadIdx.x * (shape<float, 1, 2>::rank - 198)] = 1; //= all: global store s=8
    tup<int, int, int> t;
    t.head = 4; t.rest.head = 2; t.rest.rest.head = 3;
    o[threadIdx.x * get_<1, tup<int, int, int>>::at(t)] = 1; //= all: global store s=8
    o[threadIdx.x * get_<2, tup<int, int, int>>::at(t)] = 1; //= all: global store s=12
}
void go(float *g) { k<<<1, 32>>>(g); }
