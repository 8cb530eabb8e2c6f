"""KL206 on words of a plain array, which is no array of structures."""

from __future__ import annotations

from tests.support.found import found, of_case


def test_interleaved_words_are_swapped_or_moved_as_one_vector() -> None:
    helps = {
        finding.message.split("`")[1]: finding.help
        for finding in of_case("KL206", "advice/flat2.cu")
    }
    atomics, loads = helps["atomicAdd(g + c + 0, x[c])"], helps["x[c]"]
    assert atomics.startswith("swap the stride (word j * threads + t instead of 2 * t + j)")
    assert "`float2`" in loads and "swap the stride" in loads
    assert not any("structure of arrays" in some for some in helps.values())


def test_words_that_leave_some_out_are_stored_by_kind() -> None:
    (finding,) = found(
        "KL206",
        "// kernlint: launch(grid=64, block=256)\n"
        "__global__ void k(const float *box, float *o) {\n"
        "    int i = blockIdx.x * 256 + threadIdx.x;\n"
        "    o[i] = box[5 * i] * box[5 * i + 1];\n}\n",
    )
    assert finding.help.startswith(
        "store the words by kind (word j * elements + t instead of 5 * t + j)"
    )


def test_a_structure_keeps_its_advice() -> None:
    (finding,) = found(
        "KL206",
        "// kernlint: launch(grid=64, block=256)\n"
        "struct P { float x, y, z; };\n"
        "__global__ void k(const P *p, float *o) {\n"
        "    int i = blockIdx.x * 256 + threadIdx.x;\n"
        "    o[i] = p[i].x * p[i].y;\n}\n",
    )
    assert "structure of arrays" in finding.help
