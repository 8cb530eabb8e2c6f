// origin: our own
// question: keep k best in float best[8], insertion with data-dependent position: local memory
__global__ void topk(const float *d, float *out, int n)
{
    float best[10];
    for (int k = 0; k < 10; k++) best[k] = 1e30f;
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = 0; i < n; i++) {
        float v = d[i * gridDim.x * blockDim.x + t];
        int k = 9;
        if (v >= best[9]) continue;
        while (k > 0 && best[k - 1] > v) { best[k] = best[k - 1]; k--; }  // expect: KL502 lie in local memory
        best[k] = v;
    }
    for (int k = 0; k < 10; k++) out[k * gridDim.x * blockDim.x + t] = best[k];
}
void go(const float *d, float *o) { topk<<<128, 128>>>(d, o, 1000); }
