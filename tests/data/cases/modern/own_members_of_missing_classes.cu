// origin: own
// Members of classes that no file defines: what an object is made of decides them, lane by lane. Only an argument's are the same for all.
#include <lib/coordinates.h>
__global__ void k(lib::Params prm, float *o)
{
    const int t = threadIdx.x;
    auto v = lib::make(t);
    o[v.index] = 2;        //= all: global store unknown
    lib::Coord c(t, 1);
    o[c.x] = 3;            //= all: global store unknown
    lib::Coord d = prm.at(t);
    o[d.x] = 3;            //= all: global store unknown
    const lib::Coord f{t, 2};
    o[f.x] = 3;            //= all: global store unknown
    lib::Coord h;
    h.x = t;
    o[h.x] = 3;            //= all: global store unknown
    auto e = lib::Pair{t, 4};
    o[e.first] = 1;        //= all: global store unknown
    o[prm.first] = 1;      //= all: global store s=1
}
void go(float *o) { k<<<1, 32>>>(lib::get(), o); }
