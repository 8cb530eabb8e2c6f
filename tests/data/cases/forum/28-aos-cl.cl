// origin: our own
// question: OpenCL float3 buffer (16 byte stride): A: 16 bytes each; member access: 16 sectors vs 4
// kernlint: launch(grid=100, block=128)
__kernel void norm(__global const float3 *v, __global float *o) { int i = get_global_id(0); o[i] = length(v[i]); }
__kernel void comp(__global const float4 *v, __global float *o) { int i = get_global_id(0); o[i] = v[i].x; }  // expect: KL206 16 sectors per request instead of 4
