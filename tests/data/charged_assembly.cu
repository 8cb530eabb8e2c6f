typedef unsigned U;  // where nvcc 13.0.88 -O3 -arch=sm_90 -lineinfo charges inline assembly: tests/lowering/ptx/test_asm_statement.py
__device__ __forceinline__ U plain(const U *p) {
  U v;
  asm volatile("ld.global.cg.u32 %0, [%1];"
    : "=r"(v)
    : "l"(p));
  return v;
}
__device__ __forceinline__ U cast_first(const void *p) {
  const uint4 *q = reinterpret_cast<const uint4 *>(p);
  U v;
  asm volatile("ld.global.cg.u32 %0, [%1];"
    : "=r"(v)
    : "l"(q));
  return v;
}
__device__ __forceinline__ U shared_in(const void *p) {
  U v;
  U a = (U)__cvta_generic_to_shared(p);
  asm volatile("ld.shared.u32 %0, [%1];"
    : "=r"(v)
    : "r"(a));
  return v;
}
__device__ __forceinline__ U guarded(const U *p, bool b) {
  U v;
  asm volatile("{ .reg .pred p; setp.ne.b32 p, %2, 0; mov.b32 %0, 0; @p ld.global.u32 %0, [%1]; }"
    : "=r"(v)
    : "l"(p), "r"((int)b));
  return v;
}
__device__ __forceinline__ U guarded_int(const U *p, int b) {
  U v;
  asm volatile("{ .reg .pred p; setp.ne.b32 p, %2, 0; @p ld.global.u32 %0, [%1]; }"
    : "=r"(v)
    : "l"(p),
      "r"(b));
  return v;
}
__device__ U not_forced(const U *p) {
  U v;
  asm volatile("ld.global.cg.u32 %0, [%1];"
    : "=r"(v)
    : "l"(p));
  return v;
}
__device__ __forceinline__ void put(U *p, U a, U b) {
  asm volatile("st.global.cg.v2.u32 [%0], {%1, %2};"
    :: "l"(p),
       "r"(a),
       "r"(b));
}
__device__ __forceinline__ void put_sum(U *p, U a, U b) {
  asm volatile("st.global.cg.u32 [%0], %1;"
    :: "l"(p),
       "r"(a + b));
}
__device__ __forceinline__ U outer(const U *p, int i) {
  return plain(p +
     i);
}
__device__ __forceinline__ U outer_plain(const U *p) {
  return plain(p);
}
__global__ void k(U *p, U *r, int q, bool b) {
  __shared__ U s[64];
  U i = threadIdx.x;
  s[i] = r[i];
  __syncthreads();
  U v = plain(p + i);
  v += cast_first(p + 2 * i);
  v += shared_in(s + i / 2);
  v += guarded(p + 3 * i, b);
  v += guarded_int(p + 4 * i, q);
  v += not_forced(p + 5 * i);
  put(p + 6 * i, v, v + 1);
  put_sum(p + 7 * i, v, q);
  v += outer(p, i * 8);
  v += outer_plain(p + i * 9);
  asm volatile("ld.global.cg.u32 %0, [%1];"
    : "=r"(q)
    : "l"(p +
     10 * i));
  r[i] = v + q;
}
