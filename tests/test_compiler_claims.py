"""Every claim called exact against nvcc 13's machine code for sm_90: kernels that vary one thing, and kernels in the styles that people
write (tests/compiler/families.py, styles.py; tests/data/claims holds what nvcc made of them).

Both numbers count: none may be wrong, and no fewer than so many are made and right.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.compiler import claimed, claims

DATA = Path(__file__).parent / "data" / "claims"
RIGHT = {
    "again": 583, "choices": 176, "early_returns": 1092, "functions": 65, "lists": 428, "orders": 1007, "own_arrays": 156,
    "shared_variables": 131, "joined": 2120, "bodies": 2272, "tiles": 224,
    "styles0": 189, "styles1": 170, "styles2": 171, "styles3": 226, "styles4": 217, "styles5": 202,
}  # fmt: skip


def verdicts(path: Path, folder: Path) -> Counter[str]:
    """How many lines of a family's kernels are claimed right, wrong or not exactly; wrong ones by their text."""
    source, machine = claimed.read(path)
    copy = folder / f"{path.name.partition('.')[0]}.cu"
    copy.write_text(source, encoding="utf-8")
    program, rows, found = claims.program_of(str(copy)), source.splitlines(), Counter[str]()
    for handle in program.kernels():
        for number, kind, verdict, text in claims.differences(program.instantiate(handle, None), machine[handle.name]):
            wrong = f"{handle.name}: {kind} {rows[number - 1].strip()} | {text}"
            found[wrong if "WRONG" in verdict else "open" if "(" in verdict else verdict or "right"] += 1
    return found


@pytest.mark.parametrize("family", RIGHT)
def test_no_exact_claim_is_wrong(family: str, tmp_path: Path) -> None:
    found = verdicts(DATA / f"{family}.json.xz", tmp_path)
    wrong = found.keys() - {"right", "open", "unclaimed"}
    assert not wrong, "\n".join(sorted(wrong))
    assert found["right"] >= RIGHT[family]


def test_every_family_is_held() -> None:
    assert {path.name.partition(".")[0] for path in DATA.glob("*.json.xz")} == set(RIGHT) == {*claimed.FAMILIES, *claimed.RECORDED}
