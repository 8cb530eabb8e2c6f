#include <iostream>
inline std::ostream& operator<<(std::ostream& o, dim3 d) { o << "(" << d.x << ")"; return o; }
void show(dim3 g) { std::cout << "Grid: " << g << ", x " << 3 << "\n"; }
__global__ void k(float *x) { x[threadIdx.x] = 1; }
int main() { dim3 g(4), b(32); show(g); float *p = nullptr; k<<<g, b>>>(p); }
// Origin: issue cases.
