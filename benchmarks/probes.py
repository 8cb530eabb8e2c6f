"""Claims as compiled against kernels that were labelled by machine code: `python -m
benchmarks.probes FOLDER [--sample N] [--seed S] [--false]`.

In: a folder of CUDA files and `labels.json`: a list of {file, kernel, lines: [{line, op, space,
executed: {width: requests} or null, units}]}, where `units` are sectors or wavefronts. Out: how many
lines are exact, how many of these are false, and for what causes lines are not exact, counted
against all lines. `--sample`: so many kernels, drawn with the seed; `--false`: names false lines.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from kernlint.model import facts
from kernlint.model.settings import Settings
from kernlint.pipeline import engine
from kernlint.source import files

Where = tuple[int, str, str]  # charged line, operation, space
TOLERANCE = 1e-6
UNCOUNTED = ("constant", "texture")


def said(a: facts.Access) -> facts.Access | facts.Compiled:
    return a.as_compiled or a


def lines_of(kernel: facts.Kernel) -> dict[Where, list[facts.Access]]:
    found: dict[Where, list[facts.Access]] = defaultdict(list)
    for a in kernel.accesses:
        if a.space not in UNCOUNTED and not a.charged_path and said(a).charged_line:
            found[said(a).charged_line, a.op, a.space].append(a)
    return found


def is_exact(a: facts.Access) -> bool:
    return said(a).status == "exact" and said(a).requests is not None


def cause(some: Sequence[facts.Access]) -> str:
    """Why a line is not exact, as the first of its accesses that is not says: the reason, or what
    the compiler may do."""
    a = next(a for a in some if not is_exact(a))
    return a.detail.split(":")[0] if a.reason == "compiler" else a.reason or "faults"


def widths(some: Sequence[facts.Access], wider: bool = False) -> Counter[int]:
    found: Counter[int] = Counter()
    for a in some:
        other = a.as_compiled.wider if a.as_compiled is not None and wider else None
        counted = other or said(a)
        found[counted.bytes] += int(counted.requests or 0)
    return +found


def units(some: Sequence[facts.Access], space: str) -> float | None:
    total = 0.0
    for a in some:
        counts = said(a).wavefronts if space == "shared" else said(a).sectors
        if said(a).requests and counts is None:
            return None
        total += (said(a).requests or 0) * (counts.mean if counts is not None else 0)
    return total


def is_false(where: Where, some: Sequence[facts.Access], label: Mapping[str, Any]) -> bool:
    """Whether an exact line is not what the machine executes: other widths or requests, or other
    sectors or wavefronts. Requests of several widths of which one is named do not count."""
    _, op, space = where
    executed = Counter({int(w): n for w, n in label["executed"].items()})
    total, own = units(some, space), widths(some)
    same = total is not None and abs(total - label["units"]) <= TOLERANCE * max(1.0, total)
    if executed in (own, widths(some, wider=True)):
        return total is not None and not same and space != "local" and op != "atomic"
    return not (same and own.total() == executed.total() and bool(own.keys() & executed.keys()))


def judged(
    kernel: facts.Kernel, labels: Sequence[Mapping[str, Any]] | None
) -> Iterator[tuple[str, str]]:
    """(verdict, cause or place) of each line that the report has; none of a kernel without labels."""
    if labels is None:
        return
    by_place: dict[Where, Mapping[str, Any]] = {
        (label["line"], label["op"], label["space"]): label for label in labels
    }
    for where, some in lines_of(kernel).items():
        label = by_place.get(where, {"executed": {}, "units": 0})
        if label["executed"] is None:
            continue
        if not all(map(is_exact, some)):
            yield "open", cause(some)
        elif is_false(where, some, label):
            yield "false", f"{kernel.name}:{where[0]} {where[1]} {where[2]} `{some[0].text}`"
        else:
            yield "right", ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--seed", type=int, default=31)
    parser.add_argument("--false", action="store_true", dest="names_false")
    options = parser.parse_args()
    labels = json.loads((options.folder / "labels.json").read_text(encoding="utf-8"))
    if options.sample:
        labels = random.Random(options.seed).sample(labels, min(options.sample, len(labels)))
    wanted = {(label["file"], label["kernel"]): label["lines"] for label in labels}
    verdicts, causes, false = Counter[str](), Counter[str](), list[str]()
    for name in sorted({file for file, _ in wanted}):
        report = engine.analyse_source(files.read(str(options.folder / name)), Settings())
        for kernel in report.kernels:
            for verdict, why in judged(kernel, wanted.pop((name, kernel.name), None)):
                verdicts[verdict] += 1
                causes[why] += verdict == "open"
                false += [f"{name} {why}"] if verdict == "false" else []
    total, exact = verdicts.total(), verdicts["right"] + verdicts["false"]
    print(f"{len(labels)} kernels, {total} lines: {exact} exact, {verdicts['false']} of them false")
    print(*(f"  {name}" for name in false if options.names_false), sep="\n")
    for why, count in causes.most_common():
        if count:
            print(f"{count:6} {100 * count / max(1, total):5.1f} %  {why}")


if __name__ == "__main__":
    main()
