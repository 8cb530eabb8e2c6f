// origin: our own
// right: private array stack[32] with top as index: local (private) memory; KL502
// kernlint: launch(grid=64, block=64)
__kernel void dfs(__global const int *left, __global const int *right, __global int *found, int key)
{
    int stack[32];
    int top = 0, hits = 0;
    stack[top++] = get_global_id(0);
    while (top > 0) {
        int node = stack[--top];  // expect: KL502 lie in private memory
        if (node < 0) continue;
        hits += node == key;
        stack[top++] = left[node];
        stack[top++] = right[node];
    }
    found[get_global_id(0)] = hits;
}
