"""Compare what kernlint claims of programs' accesses with nvcc's machine code, line by line; needs
nvcc, nvdisasm and c++filt, no GPU.

usage: python -m tests.compiler.claims PROGRAM.cu…  [--all]

In: programs whose kernels are no templates. Out: lines where an access without a risk, or with a
certain outcome, is not what the machine has: another number of instructions, another width, or (in
loops that stay) another share of the copies than the accesses around it. Where kernlint says that
more may be joined (`wider`), the machine has to have the one or the other; of iterations of a loop
that are joined, the widths that it says. Nothing about launches or addresses is compared, nor what
is charged to headers.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from kernlint.base.span import SourceError
from kernlint.ir import nodes as ir
from kernlint.ir.traversal import walk, walk_expression
from kernlint.lowering.program import Program
from kernlint.optimizer.compiler import look, risks
from kernlint.optimizer.compiler_facts import Rolled, Sunk, Unrolled
from kernlint.source.parser import parser
from kernlint.source.preprocessor import preprocess
from tests.compiler import sass, toolkit
from tests.measured import charged_lines

KIND = {("load", "global"): "g.ld", ("store", "global"): "g.st", ("load", "shared"): "s.ld", ("store", "shared"): "s.st",
        ("ldmatrix", "shared"): "s.lm", ("stmatrix", "shared"): "s.sm", ("atomic", "shared"): "s.at", ("atomic", "global"): "g.at",
        ("load", "local"): "l.ld", ("store", "local"): "l.st"}  # fmt: skip
OF_HEADERS = 0  # the line of what is charged to another file


@dataclass(slots=True)
class Claim:
    """The accesses of one line, space and operation. `kinds`: how some may be changed; `expected`:
    how many of which width there are once loops are run out, `wider` where those are unrolled
    further that may be; `rolled`: what is made of iterations of a loop; `loops`: the innermost ones
    that are not run out; `long`: copies of a loop may be fewer than its iterations."""

    kinds: set[str] = field(default_factory=set)
    expected: Counter[int] = field(default_factory=Counter)
    wider: Counter[int] = field(default_factory=Counter)
    loops: set[ir.Loop | None] = field(default_factory=set)
    rolled: set[Rolled] = field(default_factory=set)
    sites: int = 0
    long: bool = False

    def add(self, widths: Iterable[int], wider: Iterable[int]) -> None:
        self.expected.update(widths)
        self.wider.update(wider)


def program_of(path: str) -> Program:
    options = preprocess.Options({}, (), "cuda", 900)
    prepared = preprocess.preprocess(path, Path(path).read_text(), options)
    return Program(parser.parse(prepared.tokens, path, "cuda"), options)


def arguments_of(signature: str) -> list[str]:
    """The template arguments of a demangled name, casts of integers dropped."""
    found = re.match(r"(?:[\w:<> ]*? )?[\w:<> ]*?\w+<(.*?)>\(", signature)
    depth, parts = 0, [""]
    for c in found[1] if found else "":
        depth += (c in "<(") - (c in ">)")
        parts = [*parts, ""] if c == "," and not depth else [*parts[:-1], parts[-1] + c]
    return [
        re.sub(r"^\((?:unsigned )?(?:int|bool|long|char|short)\)|u$", "", p.strip())
        for p in parts
        if p.strip()
    ]


def matched(path: str, mangled: list[str]) -> Iterator[tuple[str, ir.Kernel]]:
    """Each machine function with the kernel that it was made of."""
    program = program_of(path)
    handles = {h.name: h for h in program.kernels()}
    shown = toolkit.run("c++filt", given="\n".join(mangled)).splitlines()
    for name, signature in zip(mangled, shown, strict=True):
        base = re.match(r"(?:.*?[ :])??(\w+)(?:<.*>)?(?:\(.*|$)", signature)
        handle = handles.get(base[1] if base else "") or next(
            (h for n, h in handles.items() if re.search(rf"\b{n}\b", signature)), None
        )
        if handle is None:
            print(f"{path}: no kernel for {signature}")
            continue
        try:
            kernel = program.instantiate(handle, tuple(arguments_of(signature)) or None)
        except SourceError as problem:
            print(f"{path}: {signature}: {problem}")
            continue
        yield name, kernel


def claims(kernel: ir.Kernel) -> dict[tuple[int, str], Claim]:
    """By line of the kernel's file and what the machine does there."""
    view = look(kernel)
    changes = risks(kernel, {}, view)
    assert view.walker is not None
    found: dict[tuple[int, str], Claim] = defaultdict(Claim)
    count: Counter[ir.AccessSite] = Counter(i.entry.site for i in view.walker.instances)
    for s in walk(kernel.body):
        if (
            isinstance(s, ir.Load) and s.site in view.walker.gone.loads
        ):  # dropped before the walk: the machine has none
            spaces = [
                x.object.space for x in walk_expression(s.address) if isinstance(x, ir.Address)
            ]
            found[
                _line(kernel, s.site, s.site.charged_line), KIND.get(("load", *spaces[:1]), "g.ld")
            ].sites += 1
    for site, entry in view.walker.sites.items():
        is_matrix = site.hardware_op in (
            "ldmatrix",
            "stmatrix",
        )  # in assembly, whose address may not be followed
        space = (
            entry.memory.space if entry.memory is not None else "shared" if is_matrix else "global"
        )
        kind = KIND.get((site.hardware_op if is_matrix else site.op, space))
        if kind is None:
            continue
        outcome = view.outcomes.get(site)
        claim = found[
            _line(kernel, site, outcome.charged_line if outcome else site.charged_line), kind
        ]
        claim.sites += 1
        kept = [s.statement for s in entry.path if isinstance(s.statement, ir.Loop)]
        claim.loops.add(kept[-1] if kept else None)
        claim.long |= any(
            len(i.turns) and max(n for _, n in i.turns) > 3
            for i in view.walker.instances
            if i.entry.site is site
        )
        if space == "local":
            claim.kinds.add("in-registers")  # where an array lies is found out for a launch
        elif isinstance(outcome, Unrolled) and outcome.certain:
            own = [p[1] for p in outcome.fates.values() if p is not None]
            claim.add(
                own,
                [p[1] for p in outcome.wider.fates.values() if p is not None]
                if outcome.wider is not None
                else own,
            )
        elif isinstance(outcome, Rolled):
            claim.rolled.add(outcome)
        elif isinstance(outcome, Sunk) or site not in changes:
            own = [width for _, width in site.pieces] * count[site]
            claim.add(own, own)
        else:
            claim.kinds |= {r.kind for r in changes[site]}
    return found


def _line(kernel: ir.Kernel, site: ir.AccessSite, line: int) -> int:
    return line if (site.charged_path or site.span.path) == kernel.span.path else OF_HEADERS


def differences(
    kernel: ir.Kernel, machines: list[sass.Machine]
) -> Iterator[tuple[int, str, str, str]]:
    found = {key: claim for key, claim in claims(kernel).items() if key[0] != OF_HEADERS}
    here: dict[tuple[int, str], list[sass.Machine]] = defaultdict(list)
    for m in (m for m in machines if m.line != OF_HEADERS):
        here[m.line, m.operation.rstrip("0123456789")].append(m)
    reference: dict[ir.Loop, Counter[tuple[tuple[int, ...], float]]] = defaultdict(Counter)
    shares = {}
    for key, claim in found.items():
        own = here.get(key, [])
        widths = Counter(int(re.search(r"\d+$", m.operation)[0]) for m in own)
        (loop,) = claim.loops if len(claim.loops) == 1 else (None,)
        text = f"{sum(claim.expected.values())}x{sorted(claim.expected)} for {machine_text(own)}"
        if claim.kinds or (claim.rolled and (len(claim.rolled) > 1 or claim.expected)):
            yield (*key, f"({' '.join(sorted(claim.kinds))})", machine_text(own))
        elif claim.rolled:
            (made,) = claim.rolled
            yield (
                *key,
                "" if _is_made(made, widths) else "WRONG",
                f"{made.group} as {made.bytes} for {machine_text(own)}",
            )
        elif claim.wider != claim.expected:
            yield (
                *key,
                "" if set(widths) in (set(+claim.expected), set(+claim.wider)) else "WRONG",
                text,
            )
        elif claim.loops <= {None}:
            looped = any(m.loops for m in own)
            same = (
                set(widths) == set(+claim.expected)
                if looped and claim.long
                else widths == +claim.expected
            )
            yield (*key, "" if same else "WRONG", text)
        else:
            if set(widths) != set(+claim.expected):
                yield (*key, "WRONG", text)
                continue
            n = sum(claim.expected.values())
            share = tuple(
                sorted(
                    (where, c / n) for where, c in Counter(m.loops for m in own).items() if where
                )
            )
            shares[key] = (loop, share, text)
            if loop is not None:
                reference[loop][share] += 1
    for key, (loop, share, text) in shares.items():
        best = reference[loop].most_common(1)[0][0] if loop in reference else share
        yield (*key, "" if best == share else f"WRONG? {dict(share)} others {dict(best)}", text)
    for key, own in here.items():
        if key not in found:
            yield (*key, "unclaimed", machine_text(own))


def _is_made(claim: Rolled, widths: Mapping[int, int]) -> bool:
    """Whether the machine joins iterations so, and makes nothing else but what is said of those
    that are left."""
    rest = {width for places in claim.rest for width in places if width}
    return claim.bytes in widths and widths.keys() <= {claim.bytes, *rest}


def machine_text(machines: list[sass.Machine]) -> str:
    counts = Counter(
        f"{'@' if m.predicated else ''}{m.opcode}{'/' if m.loops else ''}{'.'.join(map(str, m.loops))}"
        for m in machines
    )
    return " ".join(
        f"{what}{f' x{count}' if count > 1 else ''}" for what, count in sorted(counts.items())
    )


def compiled(path: str) -> dict[str, list[sass.Machine]]:
    """Memory instructions by mangled name, with the lines that a profiler charges them to (0 for
    other files')."""
    with tempfile.TemporaryDirectory() as folder:
        cubin = toolkit.cubin(Path(path), Path(folder))
        listing = toolkit.listing(cubin)
        table = charged_lines.line_rows(charged_lines.sections(cubin.read_bytes()))
    return {
        name: [_charged(m, table.get(name, []), Path(path).name) for m in some]
        for name, some in sass.kernels(listing).items()
    }


def _charged(m: sass.Machine, rows: list[charged_lines.Row], file: str) -> sass.Machine:
    last = max((row.address for row in rows if row.address <= m.address), default=None)
    first = next((row for row in rows if row.address == last), None)
    return replace(m, line=first.line if first is not None and first.file == file else OF_HEADERS)


def main(arguments: list[str]) -> None:
    every, paths = "--all" in arguments, [a for a in arguments if a != "--all"]
    if not paths:
        raise SystemExit(__doc__)
    for path in paths:
        machine, rows = compiled(path), Path(path).read_text().splitlines()
        for name, kernel in matched(path, list(machine)):
            lines = sorted(differences(kernel, machine[name]))
            bad = sum("WRONG" in x[2] for x in lines)
            print(
                f"== {path} {kernel.name}: {len(lines)} {bad} wrong, {sum('(' in x[2] for x in lines)} open"
            )
            for number, kind, verdict, text in lines:
                if every or "WRONG" in verdict:
                    print(
                        f"   {number:4} {kind} {verdict or 'ok':8} {rows[number - 1].strip()[:80]} | {text}"
                    )


if __name__ == "__main__":
    main(sys.argv[1:])
