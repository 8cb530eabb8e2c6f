// origin: issue cases
// kernlint: launch(grid=1, block=32)
__global__ void k(unsigned *p) { unsigned v = 1; asm volatile("st.global.u32 [%1], %0;" :: "r"(v) "l"(p) : "memory"); }
