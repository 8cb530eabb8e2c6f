"""What a compiled kernel does: the machine code read, executed over all lanes, counted by line.

In: a cubin (or a CUDA file and a compiler), a launch, its arguments. Out: per memory instruction
and source line the requests, active lanes, wavefronts and sectors, each exact or not, and what the
compiler says of registers, shared memory and stack. Never: a GPU, the source text, or a guess: an
instruction outside the table makes its results unknown.
"""
