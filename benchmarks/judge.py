"""What to judge by reading: `python -m benchmarks.judge lightseq vllm darktable --seed N`.

Runs kernlint over corpora of `corpora.toml` as a user does (default options, the package's include
folders) and prints Markdown tables for `docs/judged-findings.md`: every finding that is an error,
a draw of findings at the default severity, and a draw of positions whose lanes' stride wastes at
least half of what it moves, each with what the default output says about its line. Each corpus gets
the same share of both draws; the same inputs, options and seed give the same tables. `--keep`
stores what kernlint printed, for a reader of the findings.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar

from benchmarks import corpora_packages as packages
from benchmarks.corpora import CACHE

BLOCK = "256"  # of kernels that nothing launches
WASTE = 2.0  # sectors moved for each that the active lanes need
COMMAND = [sys.executable, "-m", "kernlint"]
LINES = re.compile(r"\blines? (\d+(?:(?:, | and | to |-|–)\d+)*)")
MORE = re.compile(r"more access(?:es)? to `([^`]+)`")
NOTE = "note"
ABOUT_LAUNCHES = ("KL001", "KL002")
BRANCH = "whether lanes diverge"  # says nothing of the accesses on its line
NOTHING: dict[str, Any] = {"files": []}
ASSUMED = "from kernlint's assumption"
GONE = ("eliminated", "forwarded")  # accesses of which the compiler leaves nothing
Finding = dict[str, Any]
Said = dict[tuple[str, int | str], str]
T = TypeVar("T")


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """A global access that wastes sectors. `said`: the codes of the findings about it."""

    path: str
    line: int
    text: str
    sectors: float
    ideal: float
    said: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """What kernlint said of one corpus; paths below its root."""

    name: str
    findings: tuple[Finding, ...]
    positions: tuple[Position, ...]


def main() -> None:
    options = _options()
    outcomes = [_outcome(corpus, options) for corpus in packages.chosen(options.corpora)]
    if options.keep:
        found = [{**one, "corpus": o.name} for o in outcomes for one in o.findings]
        options.keep.write_text(json.dumps(found, indent=1), encoding="utf-8")
    print("\n".join(tables(outcomes, options.seed, options.count)))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpora", nargs="+", metavar="CORPUS")
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--count", type=int, default=60, help="findings and positions drawn")
    parser.add_argument("--files", type=int, help="a corpus's files, drawn by the seed")
    parser.add_argument("--cache", type=Path, default=CACHE, help="folder of the packages")
    parser.add_argument("--jobs", default="1")
    parser.add_argument("--keep", type=Path, metavar="JSON", help="write all findings here")
    return parser.parse_args()


# ------------------------------------------------------------------ one corpus


def _outcome(corpus: packages.Corpus, options: argparse.Namespace) -> Outcome:
    root = packages.fetch(corpus, options.cache)
    files = corpus.files(root)
    if options.files and options.files < len(files):
        files = sorted(random.Random(options.seed).sample(files, options.files))
    arguments = ["--jobs", options.jobs, "--output-format", "json"]
    arguments += chain.from_iterable(("-I", str(root / folder)) for folder in corpus.include)
    arguments += chain.from_iterable(("-D", f"{k}={v}") for k, v in corpus.defines.items())
    every = _kernlint("check", [*files, *arguments, "--severity", "info"])["findings"]
    findings = [_below(one, f"{root}/") for one in every]
    own = _kernlint("report", [*files, *arguments])
    open_ = [file["path"] for file in own["files"] if not all(map(_known, file["kernels"]))]
    assumed = _kernlint("report", [*open_, *arguments, "--block", BLOCK]) if open_ else NOTHING
    said = _said(findings)
    return Outcome(
        corpus.name,
        tuple(sorted((one for one in findings if _is_default(one)), key=_place)),
        tuple(sorted(set(positions(own, assumed, f"{root}/", said)))),
    )


def _kernlint(command: str, arguments: Sequence[str]) -> dict[str, Any]:
    done = subprocess.run(
        [*COMMAND, command, *arguments], capture_output=True, text=True, check=False
    )
    if done.returncode not in (0, 1):
        raise SystemExit(f"kernlint {command} exits with {done.returncode}: {done.stderr[-2000:]}")
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def _below(finding: Finding, root: str) -> Finding:
    return {**finding, "filename": finding["filename"].removeprefix(root)}


def _place(finding: Finding) -> tuple[str, int, int, str, str]:
    where = finding["location"]
    return (
        finding["filename"],
        where["row"],
        where["column"],
        finding["code"],
        finding["message"],
    )


def _is_default(finding: Finding) -> bool:
    return bool(finding["severity"] != "info")


def _said(findings: Iterable[Finding]) -> Said:
    """The codes of the findings about a line: at it, labelled there, or naming it in a note; and
    about an array of a kernel, where a finding counts its other accesses. Those that only
    `--severity info` shows where there are no others."""
    codes: dict[tuple[str, int | str], set[str]] = {}
    for finding in sorted(findings, key=_is_default, reverse=True):
        said = finding["code"] if _is_default(finding) else f"{finding['code']} ({NOTE})"
        for place in _places(finding):
            if _is_default(finding) or all(NOTE in one for one in codes.get(place, ())):
                codes.setdefault(place, set()).add(said)
    return {place: ", ".join(sorted(some)) for place, some in codes.items()}


def _places(finding: Finding) -> Iterator[tuple[str, int | str]]:
    if finding["code"] in ABOUT_LAUNCHES or BRANCH in finding["message"]:
        return
    for line in lines_of(finding):
        yield finding["filename"], line
    for array in MORE.findall(" ".join((finding["message"], *finding["notes"]))):
        yield _bare(finding["kernel"]), array


def _bare(kernel: str) -> str:
    """A kernel's name without its template arguments."""
    return kernel.partition("<")[0]


def lines_of(finding: Finding) -> set[int]:
    """The lines of its own file that a finding speaks of."""
    first, last = finding["location"]["row"], finding["end_location"]["row"]
    told = {*range(first, last + 1)}
    told |= {label["location"]["row"] for label in finding["labels"]}
    for note in (finding["message"], *finding["notes"]):
        for names in LINES.findall(note):
            told |= {int(number) for number in re.findall(r"\d+", names)}
    return told


# ------------------------------------------------------------------ positions


def positions(
    own: dict[str, Any],
    assumed: dict[str, Any],
    root: str,
    said: Said,
) -> Iterator[Position]:
    """Accesses of kernels under the launch that their file gives, or under the assumed block; of
    these not what is known to waste less under the block that the default run takes."""
    kernels = [(file, kernel) for file in own["files"] for kernel in file["kernels"]]
    given = {_kernel(*one) for one in kernels if _known(one[1])}
    fine = set()
    for file, kernel in kernels:
        if _kernel(file, kernel) in given:
            yield from _wasteful(file, kernel, root, said)
        else:
            fine |= {_access(file, kernel, a) for a in kernel["accesses"] if _is_fine(a)}
    for file in assumed["files"]:
        for kernel in file["kernels"]:
            if _kernel(file, kernel) not in given:
                yield from _wasteful(file, kernel, root, said, fine)


def _access(
    file: dict[str, Any], kernel: dict[str, Any], access: dict[str, Any]
) -> tuple[str, int, int, str]:
    path = access.get("path", kernel.get("path", file["path"]))
    return path, access["line"], access["column"], access["op"]


def _sectors(access: dict[str, Any]) -> dict[str, float]:
    """As compiled where that is known; none of what the compiler removes."""
    compiled: dict[str, Any] = access["as_compiled"] or access
    gone = compiled is not access and compiled["reason"] in GONE
    found: dict[str, float] = {} if gone else compiled.get("sectors") or {}
    return found if found.get("mean") else {}


def _is_fine(access: dict[str, Any]) -> bool:
    found = _sectors(access)
    return bool(found) and found["mean"] < WASTE * found["ideal"]


def _kernel(file: dict[str, Any], kernel: dict[str, Any]) -> tuple[str, int]:
    return kernel.get("path", file["path"]), kernel["line"]


def _known(kernel: dict[str, Any]) -> bool:
    """Whether the file gives the launch's block: none is assumed."""
    return not any(ASSUMED in text for text in kernel["assumptions"])


def _wasteful(
    file: dict[str, Any],
    kernel: dict[str, Any],
    root: str,
    said: Said,
    fine: Set[tuple[str, int, int, str]] = frozenset(),
) -> Iterator[Position]:
    name = _bare(kernel["qualified_name"])
    for access in kernel["accesses"]:
        sectors, place = _sectors(access), _access(file, kernel, access)
        if access["space"] != "global" or not sectors or place in fine:
            continue
        ideal = max(1.0, sectors["ideal"])
        if sectors["mean"] >= WASTE * ideal:
            path, line = place[0].removeprefix(root), access["line"]
            places = (path, line), (path, access["charged_line"]), (name, access["object"])
            codes = sorted((said[one] for one in places if one in said), key=_is_note)
            told = codes[0] if codes else ""
            text = access["text"] or access["object"]
            yield Position(path, line, text, sectors["mean"], ideal, told)


def _is_note(said: str) -> bool:
    return NOTE in said


# ------------------------------------------------------------------ tables


def tables(outcomes: Sequence[Outcome], seed: int, count: int) -> Iterator[str]:
    found = {one.name: one.findings for one in outcomes}
    errors = [
        (name, finding)
        for name, some in found.items()
        for finding in some
        if finding["severity"] == "error"
    ]
    yield from _findings("Errors", errors)
    yield from _findings("Findings", draw(found, seed, count))
    yield from _positions({one.name: one.positions for one in outcomes}, seed, count)


def draw(found: dict[str, tuple[T, ...]], seed: int, count: int) -> list[tuple[str, T]]:
    """`count` in all, an equal share of each corpus as far as it has so many; in the order of
    `found`, in which each corpus's are sorted by place."""
    generator = random.Random(seed)
    left = {name: generator.sample(range(len(some)), len(some)) for name, some in found.items()}
    drawn: dict[str, list[int]] = {name: [] for name in found}
    while count and any(left.values()):
        for name, numbers in left.items():
            if numbers and count:
                drawn[name].append(numbers.pop())
                count -= 1
    return [(name, found[name][number]) for name in found for number in sorted(drawn[name])]


def _findings(title: str, drawn: Sequence[tuple[str, Finding]]) -> Iterator[str]:
    yield f"### {title}: {len(drawn)}\n"
    yield "| # | place | rule | finding | verdict | why |\n|--:|---|---|---|---|---|"
    for number, (name, one) in enumerate(drawn, 1):
        place = f"{name}/{one['filename']}:{one['location']['row']}"
        yield f"| {number} | {place} | {one['code']} | {_cell(one['message'])} | | |"
    yield ""


def _positions(found: dict[str, tuple[Position, ...]], seed: int, count: int) -> Iterator[str]:
    drawn = draw(found, seed, count)
    reported = sum(bool(one.said) and not _is_note(one.said) for _, one in drawn)
    noted = sum(_is_note(one.said) for _, one in drawn)
    yield f"### Positions: {len(drawn)}, {reported} reported, {noted} in notes\n"
    yield "| # | place | access | sectors | ideal | reported as |\n|--:|---|---|--:|--:|---|"
    for number, (name, one) in enumerate(drawn, 1):
        place = f"{name}/{one.path}:{one.line}"
        text = _cell(f"`{one.text}`")
        yield f"| {number} | {place} | {text} | {one.sectors:g} | {one.ideal:g} | {one.said} |"


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())


if __name__ == "__main__":
    main()
