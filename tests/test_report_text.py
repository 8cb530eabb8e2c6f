"""What `report` prints of real sources: units of indices, constant memory, lines of headers."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernlint import facts
from kernlint.engine import analyse
from kernlint.render import derivation, page_data
from kernlint.render.sources import Sources
from kernlint.render.style import Style
from kernlint.settings import Settings

PLAIN = Style()
MEMBERS = """\
struct Particle { float x, y, z, vx, vy, vz, m; };
struct Mixed { double d; char c; };
// kernlint: launch(grid=64, block=256)
__global__ void k(float *o, const float4 *p, Particle *q, Mixed *m, double *d, unsigned char *c)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    o[i] = p[i].y;
    q[i].z = 0;
    m[i].c = 1;
    d[i] = 2;
    ((float4 *)o)[i] = p[i];
    c[i] = 3;
}
"""


def report(tmp_path: Path, text: str, name: str = "k.cu") -> facts.Report:
    (tmp_path / name).write_text(text)
    return facts.Report("h100", tuple(analyse([str(tmp_path / name)], Settings()).files))


# line: how the index is told
UNITS = {
    7: ["4*threadIdx.x + 1024*blockIdx.x + 1  (in units of 4 bytes)", "threadIdx.x + 256*blockIdx.x  (in elements of 4 bytes)"],
    8: ["7*threadIdx.x + 1792*blockIdx.x + 2  (in units of 4 bytes)"],
    9: ["16*threadIdx.x + 4096*blockIdx.x + 8  (in units of 1 byte)"],
    10: ["threadIdx.x + 256*blockIdx.x  (in elements of 8 bytes)"],
    12: ["threadIdx.x + 256*blockIdx.x  (in elements of 1 byte)"],
}


@pytest.mark.parametrize("line", UNITS)
def test_the_unit_of_an_index_is_what_it_counts(line: int, tmp_path: Path) -> None:
    """`p[i].y` of a float4 at 16*i + 4 bytes is 4*i + 1 in units of 4 bytes, not in elements of 16."""
    text = derivation.render(report(tmp_path, MEMBERS), line, PLAIN)
    told = sorted(row.removeprefix("  index       ") for row in text.splitlines() if row.startswith("  index "))
    assert told == sorted(UNITS[line])


def test_the_unit_is_the_same_on_the_page(tmp_path: Path) -> None:
    found = report(tmp_path, MEMBERS)
    page = page_data.page(found, None, Sources.of(found.files))
    told = [value for access in page["kernels"][0]["accesses"] for name, value in access["facts"] if name == "index"]
    assert [text in told for texts in UNITS.values() for text in texts] == [True] * 6
