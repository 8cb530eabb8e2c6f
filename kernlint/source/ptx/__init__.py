"""PTX text: modules, inline assembly, and what each opcode does (`opcodes.toml`).

Goes in: text. Comes out: plain values with places. Never lowers them.
"""
