"""What an access of PTX is to."""

from __future__ import annotations

from kernlint.machine_code.ptx_objects import accessed_objects

PTX = """
.visible .entry k(
{
	ld.param.u64 	%rd1, [k_param_0];
	ld.param.u64 	%rd2, [k_param_1+8];
	ld.param.u64 	%rd3, [k_param_2];
	cvta.to.global.u64 	%rd4, %rd1;
	mul.wide.s32 	%rd5, %r1, 4;
	add.s64 	%rd6, %rd4, %rd5;
	ld.global.nc.f32 	%f1, [%rd6+12];
	mov.u64 	%rd7, %rd2;
$L_loop:
	ld.global.v2.f32 	{%f2, %f3}, [%rd7];
	add.s64 	%rd7, %rd7, 20;
	mov.u32 	%r2, _ZZ1kE4tile;
	mad.lo.s32 	%r3, %r1, 36, %r2;
	@%p2 st.shared.f32 	[%r3], %f1;
	ld.shared.f32 	%f4, [_ZZ1kE4tile+8];
	selp.b64 	%rd8, %rd1, %rd3, %p1;
	atom.global.add.u32 	%r5, [%rd8], %r1;
	ld.global.u64 	%rd9, [%rd6];
	st.global.u32 	[%rd9], %r1;
}
.visible .entry other(
{
	st.global.u32 	[%rd6], %r1;
}
""".splitlines()


def test_an_address_is_named_by_what_it_is_added_up_from() -> None:
    """Loops carry pointers, a choice has two; what memory holds has no name, nor has a register of
    another function."""
    found = {PTX[line - 1].strip(): names for line, names in accessed_objects(PTX).items()}
    assert {text.partition(" ")[0]: names for text, names in list(found.items())[:2]} == {
        "ld.global.nc.f32": {"k_param_0"},
        "ld.global.v2.f32": {"k_param_1+8"},
    }
    assert [set(names) for names in list(found.values())[2:]] == [
        {"_ZZ1kE4tile"},
        {"_ZZ1kE4tile"},
        {"k_param_0", "k_param_2"},
        {"k_param_0"},
        set(),
        set(),
    ]
