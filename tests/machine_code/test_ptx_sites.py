"""From an instruction to the lines of source it stands for, through PTX."""

from __future__ import annotations

from kernlint.machine_code.debug_lines import SourceLine
from kernlint.machine_code.ptx_sites import ptx_accesses

PTX = r"""
	.loc	1 12 5
	ld.global.nc.f32 	%f1, [%rd4];
	@%p2 st.shared.v2.u32 	[%r2+8], {%r6, %r7};
	add.f32 	%f2, %f1, %f1;
	.loc	1 31 9
	mov.u32 %r1, 4;
	.loc	3 7 1, function_name $L__info_string4, inlined_at 1 31 9
	cvta.to.global.u64 	%rd1, %rd2;
	.loc	2 107 3, function_name $L__info_string0, inlined_at 3 7 1
	atom.global.add.u32 	%r18, [%r17], %r16;
	ld.param.u64 	%rd1, [k_param_0];
	.file	1 "/src/k.cu"
	.file	2 "/cuda/include/device_atomic_functions.hpp"
	.file	3 "/src/helpers.h"
""".splitlines()


def test_accesses_of_ptx_have_a_chain_of_places() -> None:
    found = ptx_accesses(PTX)
    assert {line: (access.space, access.op) for line, access in found.items()} == {
        3: ("global", "load"),
        4: ("shared", "store"),
        11: ("global", "atomic"),
    }
    assert found[3].chain == found[4].chain == (SourceLine("/src/k.cu", 12),)
    assert found[11].chain == (
        SourceLine("/cuda/include/device_atomic_functions.hpp", 107),
        SourceLine("/src/helpers.h", 7),
        SourceLine("/src/k.cu", 31),
    )


def test_calls_that_lead_in_a_circle_end() -> None:
    circle = [
        "\t.loc\t1 2 1, function_name f, inlined_at 1 3 1",
        "\t.loc\t1 3 1, function_name f, inlined_at 1 2 1",
        "\tst.global.u32 [%rd1], %r1;",
    ]
    assert len(ptx_accesses(circle)[3].chain) == 32


def test_a_place_that_several_places_call_ends_the_chain() -> None:
    """The call that the line states itself is known."""
    twice = [
        "\t.loc\t1 7 1, function_name f, inlined_at 2 3 1",
        "\tst.global.u32 [%rd1], %r1;",
        "\t.loc\t1 7 1, function_name f, inlined_at 2 4 1",
        "\tst.global.u32 [%rd1], %r1;",
        "\t.loc\t2 3 1, function_name g, inlined_at 3 5 1",
        "\t.loc\t2 3 1, function_name g, inlined_at 3 6 1",
        '\t.file\t1 "f.h"',
        '\t.file\t2 "g.h"',
        '\t.file\t3 "k.cu"',
    ]
    found = ptx_accesses(twice)
    assert found[2].chain == (SourceLine("f.h", 7), SourceLine("g.h", 3))
    assert found[4].chain == (SourceLine("f.h", 7), SourceLine("g.h", 4))
