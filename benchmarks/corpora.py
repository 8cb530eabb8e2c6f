"""kernlint on public kernel code: `python -m benchmarks.corpora [NAME|TIER …]`; without words,
everything of the tier `core`.

Fetches the packages of `corpora.toml` into `.corpora` (once), analyses them in processes beside
this one, and prints a row for each corpus. `--save` keeps the numbers, `--compare OLD.json` shows
what changed since, `--table FILE` writes the tables as Markdown.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from benchmarks import corpora_measure as measuring
from benchmarks import corpora_packages as packages
from benchmarks.corpora_measure import Measured
from kernlint.model.settings import Settings

CACHE = Path(__file__).parent.parent / ".corpora"
COMMONEST = 5


@dataclass(slots=True)
class Row:
    """One corpus. Things that several files include count once. Times are of the processor."""

    name: str
    package: str
    files: int = 0
    lines: int = 0
    functions: int = 0
    parsed: int = 0
    kernels: int = 0
    executed: int = 0
    exact: int = 0
    range: int = 0
    unknown: int = 0
    loaded: int = 0  # of unknown: for a value loaded from memory
    parse_seconds: float = 0.0
    seconds: float = 0.0
    lines_read: int = 0  # with headers, once for each file that includes them
    slowest: str = ""
    peak_bytes: int = 0
    faults: list[str] = field(default_factory=list)
    timed_out: list[str] = field(default_factory=list)
    reasons: dict[str, int] = field(default_factory=dict)
    findings: dict[str, int] = field(default_factory=dict)
    unparsed: dict[str, str] = field(default_factory=dict)
    parse_only: bool = False


def row(
    corpus: packages.Corpus, root: Path, results: Sequence[Measured], parse_only: bool = False
) -> Row:
    """The sums over the files of a corpus."""
    made = Row(corpus.name, corpus.package, len(results), parse_only=parse_only)
    functions, kernels, executed, findings = set[str](), set[str](), set[str](), set[str]()
    accesses = measuring.together(results)
    prefix = f"{root}/"
    for one in results:
        made.lines, made.lines_read = made.lines + one.lines, made.lines_read + one.lines_read
        made.parse_seconds, made.seconds = (
            made.parse_seconds + one.parse_seconds,
            made.seconds + one.seconds,
        )
        made.peak_bytes = max(made.peak_bytes, one.peak_bytes)
        made.faults += [fault.replace(prefix, "") for fault in one.faults]
        made.timed_out += [one.path.removeprefix(prefix)] if one.timed_out else []
        made.unparsed |= {place.replace(prefix, ""): why for place, why in one.unparsed.items()}
        functions |= set(one.functions)
        kernels |= set(one.kernels)
        executed |= set(one.executed)
        findings |= set(one.findings)
    made.functions, made.kernels, made.executed = len(functions), len(kernels), len(executed)
    made.parsed = made.functions - len(made.unparsed)
    statuses, reasons = Counter(accesses.values()), measuring.reasons(accesses)
    made.exact, made.range, made.unknown = statuses["exact"], statuses["range"], reasons.total()
    made.loaded = reasons["loaded-value"] + reasons["data-dependent-flow"]
    made.reasons = dict(sorted(reasons.items(), key=lambda item: (-item[1], item[0])))
    made.findings = dict(sorted(Counter(finding.split(" ")[0] for finding in findings).items()))
    slowest = max(results, key=lambda one: one.seconds, default=None)
    made.slowest = f"{slowest.path.removeprefix(prefix)} {slowest.seconds:.1f} s" if slowest else ""
    return made


def analyse(
    corpus: packages.Corpus,
    root: Path,
    timeout: float,
    jobs: int,
    limit: int | None = None,
    *,
    parse_only: bool = False,
) -> Row:
    """Every file of a corpus, or its first `limit`."""
    include = tuple(str(root / folder) for folder in corpus.include)
    settings = Settings(include_dirs=include, defines=dict(corpus.defines), timeout=timeout)
    works = [(path, settings) for path in corpus.files(root)[:limit]]
    results = []
    for one in measuring.run(works, jobs, parse_only):
        results.append(one)
        if sys.stderr.isatty():
            print(f"\r{corpus.name} {len(results)}/{len(works)}", end="\033[K\r", file=sys.stderr)
    return row(corpus, root, sorted(results, key=lambda one: one.path), parse_only)


# ------------------------------------------------------------------ tables

COLUMNS = (
    "corpus",
    "files",
    "lines",
    "functions",
    "parsed",
    "kernels",
    "executed",
    "exact",
    "range",
    "unknown",
    "not for data",
    "lines/s parsed",
    "lines/s",
    "seconds",
    "peak MB",
    "crashes",
    "time-outs",
)
ANALYSED = frozenset(
    {
        "executed",
        "exact",
        "range",
        "unknown",
        "not for data",
        "lines/s parsed",
        "lines/s",
        "seconds",
    }
)


def cells(one: Row) -> list[str]:
    """One row of the table: counts, then shares of the accesses, then speed. What a run that only
    parses cannot know is blank."""
    accesses = one.exact + one.range + one.unknown
    shares = [
        _share(number, accesses)
        for number in (one.exact, one.range, one.unknown, one.unknown - one.loaded)
    ]
    made = [
        one.name,
        *(f"{number:,}" for number in (one.files, one.lines, one.functions)),
        _share(one.parsed, one.functions),
        f"{one.kernels:,}",
        _share(one.executed, one.kernels),
        *shares,
        f"{one.lines_read / one.parse_seconds:,.0f}" if one.parse_seconds else "",
        f"{one.lines / one.seconds:,.0f}" if one.seconds else "",
        f"{one.seconds:,.1f}",
        f"{one.peak_bytes / 1e6:,.0f}",
        str(len(one.faults)),
        str(len(one.timed_out)),
    ]
    return [
        "" if one.parse_only and column in ANALYSED else cell
        for column, cell in zip(COLUMNS, made, strict=True)
    ]


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "–"


def table(columns: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """Markdown, the first column to the left."""
    rule = ["---", *["--:"] * (len(columns) - 1)]
    return "".join(f"| {' | '.join(line)} |\n" for line in (columns, rule, *lines))


def document(rows: Sequence[Row]) -> str:
    """All tables: the corpora, why accesses are unknown, findings, what could not be parsed,
    crashes and time-outs."""
    run = [one for one in rows if not one.parse_only]
    reasons = [
        (
            one.name,
            ", ".join(
                f"{reason} {number:,}" for reason, number in [*one.reasons.items()][:COMMONEST]
            ),
        )
        for one in run
    ]
    findings = [
        (one.name, ", ".join(f"{code} {number:,}" for code, number in one.findings.items()))
        for one in run
    ]
    lost = [
        (f"{one.name}: `{place}`", why.replace("|", "\\|"))
        for one in rows
        for place, why in one.unparsed.items()
    ]
    stopped = [(one.name, path) for one in rows for path in one.timed_out] + [
        (one.name, fault) for one in rows for fault in one.faults
    ]
    parts = [table(COLUMNS, map(cells, rows))]
    for title, columns, lines in (
        ("Why accesses are unknown", ("corpus", "the commonest reasons"), reasons),
        ("Findings by rule", ("corpus", "findings of every severity"), findings),
        ("Functions that could not be parsed", ("place", "why"), lost),
        ("Stopped", ("corpus", "file"), stopped),
    ):
        parts += [f"\n### {title}\n\n", table(columns, lines) if lines else "None.\n"]
    return "".join(parts)


def compared(rows: Sequence[Row], old: Sequence[Row]) -> str:
    """What changed in each corpus that both runs have: old → new."""
    before, lines = {one.name: one for one in old}, []
    for one in rows:
        if one.name not in before:
            lines.append(f"{one.name}: not in the old run")
            continue
        pairs = zip(COLUMNS[1:], cells(before[one.name])[1:], cells(one)[1:], strict=True)
        changes = [f"{column} {was} → {now}" for column, was, now in pairs if was != now]
        for title, was_by, now_by in (
            ("reasons", before[one.name].reasons, one.reasons),
            ("findings", before[one.name].findings, one.findings),
        ):
            keys = sorted({*was_by, *now_by})
            some = [
                f"{key} {was_by.get(key, 0):,} → {now_by.get(key, 0):,}"
                for key in keys
                if was_by.get(key, 0) != now_by.get(key, 0)
            ]
            changes += [f"{title}: {', '.join(some)}"] if some else []
        changes += [
            f"no longer parsed: {place} ({why})"
            for place, why in one.unparsed.items()
            if place not in before[one.name].unparsed
        ]
        lines += [
            f"{one.name}: {changes[0] if changes else 'nothing'}",
            *(f"    {change}" for change in changes[1:]),
        ]
    return "\n".join(lines) + "\n"


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.corpora", description=__doc__)
    parser.add_argument("names", nargs="*", default=["core"], metavar="NAME|TIER")
    parser.add_argument(
        "--cache", type=Path, default=CACHE, help="where the packages are kept (default: .corpora)"
    )
    parser.add_argument(
        "--timeout-per-file",
        type=float,
        default=10.0,
        metavar="S",
        help="processor seconds (default: 10)",
    )
    parser.add_argument("-j", "--jobs", type=int, default=1)
    parser.add_argument(
        "--parse-only", action="store_true", help="the rest of the table stays blank"
    )
    parser.add_argument(
        "--files", type=int, metavar="N", help="only the first N files of each corpus"
    )
    parser.add_argument("--save", type=Path, metavar="JSON")
    parser.add_argument("--compare", type=Path, metavar="JSON", help="a run saved before")
    parser.add_argument("--table", type=Path, metavar="MD")
    options = parser.parse_args(words)
    rows, failed = [], False
    for corpus in packages.chosen(options.names):
        try:
            root = packages.fetch(corpus, options.cache)
            began = time.monotonic()
            made = analyse(
                corpus,
                root,
                options.timeout_per_file,
                options.jobs,
                options.files,
                parse_only=options.parse_only,
            )
            rows.append(made)
        except RuntimeError as error:
            print(error, file=sys.stderr)
            failed = True
            continue
        print(f"{' | '.join(cells(rows[-1]))} | ({time.monotonic() - began:.0f} s)", flush=True)
        if options.save:
            options.save.write_text(
                json.dumps([asdict(one) for one in rows], indent=1) + "\n", encoding="utf-8"
            )
    print(document(rows))
    if options.table:
        options.table.write_text(document(rows), encoding="utf-8")
    if options.compare:
        print(
            compared(
                rows,
                [Row(**one) for one in json.loads(options.compare.read_text(encoding="utf-8"))],
            )
        )
    return int(failed or any(one.faults for one in rows))


if __name__ == "__main__":
    sys.exit(main())
