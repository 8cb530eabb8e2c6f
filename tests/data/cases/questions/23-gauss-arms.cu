// origin: issue cases
// launch: block 5x4, grid 1, dynamic shared 80, size = 4 (host code below).
// right: barriers in both arms of `if (ry == k)` inside the loop: threads of one block meet different barriers: deadlock. Error.
__device__ bool tiny(float v) { return fabs(v) < 1e-12f; }
__global__ void solve(float *d, unsigned size, bool *fine)
{
    extern __shared__ float mat[];
    __shared__ bool ok;
    __shared__ float pivot;
    unsigned ry = threadIdx.y, cx = threadIdx.x;
    unsigned at = (size + 1) * ry + cx;
    mat[at] = d[at];
    if (at == 0) ok = true;
    for (unsigned k = 0; k < size; ++k) {
        if (ry == k) {
            if (cx == k) {
                pivot = mat[at];
                if (tiny(pivot)) { ok = false; pivot = 1.0; }
            }
            __syncthreads();  // expect: KL401 not reached by
            mat[at] = mat[at] / pivot;
            __syncthreads();
        } else {
            __syncthreads();
            __syncthreads();
        }
        if (!ok) break;
    }
    __syncthreads();
    if (at == 0) *fine = ok;
    d[at] = mat[at];
}
void go(float *d, bool *f) { solve<<<1, dim3(5, 4), 80>>>(d, 4, f); }
