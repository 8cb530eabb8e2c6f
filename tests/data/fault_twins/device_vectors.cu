#include <thrust/device_vector.h>
__global__ void b_vec1(float *a) { a[blockIdx.x * blockDim.x + threadIdx.x] = 1; }
__global__ void b_vec2(float *a) { a[blockIdx.x * blockDim.x + threadIdx.x] = 1; }
__global__ void b_vec3(float *a) { a[blockIdx.x * blockDim.x + threadIdx.x] = 1; }
__global__ void b_vec4(float *a) { a[blockIdx.x * blockDim.x + threadIdx.x] = 1; }
void first() {
    thrust::device_vector<float> w(1000);
    b_vec1<<<4, 256>>>(thrust::raw_pointer_cast(w.data()));
    b_vec2<<<4, 256>>>(thrust::raw_pointer_cast(&w[0]));
    b_vec3<<<4, 256>>>(w.data().get());
    float *p = w.data().get();
    b_vec4<<<4, 256>>>(p);
}
__global__ void g_vec(float *a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] = 1; }
struct Run { thrust::device_vector<float> x; int n; Run(int n) : x(n), n(n) {} void go() { g_vec<<<(n + 255) / 256, 256>>>(thrust::raw_pointer_cast(x.data()), n); } };
int main() {
    first();
    thrust::device_vector<float> v; v.resize(500);
    g_vec<<<2, 256>>>(thrust::raw_pointer_cast(v.data()), 500);
    v.push_back(1);
    g_vec<<<2, 256>>>(thrust::raw_pointer_cast(v.data()), 501);
    thrust::device_vector<float> w(v), u = v; w.resize(2000);
    g_vec<<<8, 256>>>(thrust::raw_pointer_cast(w.data()), w.size());
    g_vec<<<8, 256>>>(thrust::raw_pointer_cast(u.data()), u.size());
    std::vector<float> h(100); thrust::device_vector<float> d = h, e(h.begin(), h.end());
    g_vec<<<1, 256>>>(thrust::raw_pointer_cast(d.data()), d.size()); g_vec<<<1, 256>>>(thrust::raw_pointer_cast(e.data()), e.size());
    Run r(300); r.go();
    thrust::device_vector<float> z(100); z.insert(z.end(), 50, 1.f); g_vec<<<1, 256>>>(thrust::raw_pointer_cast(z.data()), z.size()); g_vec<<<1, 256>>>(thrust::raw_pointer_cast(z.data()), 150);
    thrust::device_vector<float> y; for (int i = 0; i < 70; i++) y.push_back(i); g_vec<<<1, 256>>>(thrust::raw_pointer_cast(y.data()), 70); y.assign(90, 1.f); g_vec<<<1, 256>>>(thrust::raw_pointer_cast(y.data()), 90);
    thrust::device_vector<float> s1(10), s2(20); s1.swap(s2); g_vec<<<1, 256>>>(thrust::raw_pointer_cast(s1.data()), 20); s2 = s1; g_vec<<<1, 256>>>(thrust::raw_pointer_cast(s2.data()), 20);
}
