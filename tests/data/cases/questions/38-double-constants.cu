// origin: issue cases
// launch: block 256, grid 4096 (host code below).
// right: 1.0 and 0.5 turn float arithmetic into double (lines with `energy`), `2 * t * t` does not; `sqrt(float)` of <cmath> is the float overload. Fix: f suffixes.
__global__ void lj(const float *r2, float *e)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float q = r2[i];
    float inv = 1.0 / q;
    float s6 = inv * inv * inv;
    float energy = 4.0 * (s6 * s6 - s6);
    float t = 2 * q * q / 3.0f;
    e[i] = energy * 0.5 + t + sqrt(q);  // expect: KL701 `0.5` promotes | `1.0 / q` (line 8) | `4.0 * (s6 * s6 - s6)` (line 10) | write `0.5f`
}
void go(const float *r, float *e) { lj<<<4096, 256>>>(r, e); }
