"""Family 7, arithmetic: slow or unsafe instructions. Goes in: operations noted in one kernel. Comes
out: findings."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from kernlint.base.span import Span
from kernlint.checks import context, divisions, words
from kernlint.checks.by_line import in_parts
from kernlint.checks.context import Group
from kernlint.checks.rules import Rule
from kernlint.model.facts import Kernel, Operation
from kernlint.model.finding import Edit, Finding, Fix, Label

Hit = tuple[Kernel, Operation]
NAMED = 4  # divisions of one loop that are spelled out
SUFFIX = "add the suffix `f` to the literal"
OF_MACRO = "add the suffix `f` to the literal of `{0}`, if no double expression uses `{0}`"
SINGLE = "-cl-single-precision-constant"  # OpenCL C, build options
UNLESS_SINGLE = f"unless the program is built with `{SINGLE}`"
SHARED = (
    "elsewhere the same code may compute with doubles (template, `auto` or double result), where a suffix `f` would lose digits: "
    "give the literal the type of the computation (`T(…)` in a template)"
)
PLAIN = re.compile(
    r"[+-]?\s*[\d.](?:[\w.']|(?<=[eEpP])[+-])*(?<![lL])"
)  # to which `f` can be added
DOUBLE = re.compile(
    r"(?<![\w.])(?:(?:\d+\.\d*|\.\d+)(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+)(?![\w.])"
)  # in a line; those of a comment do not matter
ROUNDING = 2.0**-23  # relative, of a float
COMMENT = re.compile(r"//|/\*|\"")
OPERATOR = re.compile(r"[*/]|(?<![eEpP])(?<=.)\s*[+-]")  # of what is computed of literals
TYPE = re.compile(r"\w+ is (?!large|not )[\w:]+(?<! assumed)")  # of a template parameter


def double_in_float_code(group: Group, rule: Rule) -> Iterator[Finding]:
    """KL701: floats and integers that meet a double literal, in kernels that keep no doubles; in
    OpenCL where no build option makes such literals floats."""
    if SINGLE in group.file.text:
        return
    narrowed = _narrowed(group)
    for hits in _hits(group, "double-arithmetic", lambda kernel, operation: True):
        make = partial(_double, group=group, rule=rule, narrowed=narrowed)
        yield in_parts(hits, _span, make)
        narrowed = ()


def _double(hits: Sequence[Hit], group: Group, rule: Rule, narrowed: tuple[str, ...]) -> Finding:
    """Of one literal; where a macro holds it, at its first use."""
    kernel, operation = hits[0]
    literal = group.source.quoted(operation.part)
    at, fix = operation.part, None
    is_plain = PLAIN.fullmatch(literal) is not None
    is_computed = literal != "" and OPERATOR.search(literal) is not None
    written = f"(float)({literal})" if is_computed else f"{literal}f" if is_plain else ""
    if at is not None and written and not operation.shared:
        more = _suffixed(at, kernel, group)
        texts = dict.fromkeys((written, *(edit.content for edit in more)))
        named = ", ".join(f"`{text}`" for text in texts)
        fix = Fix("unsafe", f"Write {named}", (Edit(at, written), *more))
    macro = at.macro if at is not None else ""
    named = (
        f"the double literal {'of ' if macro and not literal else ''}`{literal or macro}`"
        if literal or macro
        else "a double literal"
    )
    if is_computed:
        named = f"the double constant `{literal}`"
    return _finding(
        (kernel, operation),
        group,
        rule,
        f"`{operation.text}`: {named} promotes the expression to 64-bit arithmetic",
        _as_float(operation, literal, macro, _defines(macro, group.file.text)),
        (
            "the kernel has no double variables",
            *((UNLESS_SINGLE,) if group.language == "opencl" else ()),
            *_beside(kernel, operation, literal, group),
            *narrowed,
        ),
        fix,
    )


def _suffixed(at: Span, kernel: Kernel, group: Group) -> tuple[Edit, ...]:
    """The other double literals of a literal's line as floats: what is computed of one of them is
    double as long as one is left. Not those that doubles may meet elsewhere, where they would lose
    digits."""
    line = COMMENT.split(group.source.line(at))[0]
    spans = (
        Span(at.path, at.line, found.start() + 1, at.line, found.end() + 1)
        for found in DOUBLE.finditer(line)
    )
    left = {operation.part for operation in kernel.operations if operation.shared}
    is_rounded = _loss(group.source.quoted(at)) > 0
    return tuple(
        Edit(span, f"{text}f")
        for span in spans
        if (span.end_column <= at.column or at.end_column <= span.column) and span not in left
        for text in (group.source.quoted(span),)
        if _loss(text) <= (ROUNDING if is_rounded else 0)
    )


def _loss(literal: str) -> float:
    """What a literal changes by as a float, as a part of it; 1 of what no float is near to."""
    try:
        value = float(literal)
        (narrow,) = struct.unpack("f", struct.pack("f", value))
    except (OverflowError, ValueError):
        return 1
    return abs(narrow - value) / abs(value) if value else 0


def _defines(macro: str, text: str) -> bool:
    return bool(macro) and re.search(rf"#\s*define\s+{re.escape(macro)}\b", text) is not None


def _narrowed(group: Group) -> tuple[str, ...]:
    """The kernel's double literals that cost nothing."""
    found = [o for k in group.kernels[:1] for o in k.operations if o.kind == "narrowed-double"]
    texts = dict.fromkeys(f"`{o.text}` (line {o.span.line})" for o in found)
    if not texts:
        return ()
    named = ", ".join(list(texts)[:NAMED]) + (", …" if len(texts) > NAMED else "")
    return (f"nvcc computes {named} in float, with the same result",)


def _beside(kernel: Kernel, operation: Operation, literal: str, group: Group) -> tuple[str, ...]:
    """The other literals of the line; those in an expression that is double already show once the
    first is fixed."""
    place = operation.span.path, operation.span.line
    alike = [
        o
        for o in kernel.operations
        if o.kind == operation.kind and (o.span.path, o.span.line) == place
    ]
    others = [
        text
        for text in dict.fromkeys(group.source.quoted(o.part) for o in alike)
        if text and text != literal
    ]
    return (
        (f"on this line also {', '.join(f'`{text}`' for text in others)}",)
        if literal and others
        else ()
    )


def _as_float(operation: Operation, literal: str, macro: str, is_own: bool) -> str:
    """What to do about a literal. `is_own`: whether the file defines the macro."""
    if operation.shared:
        return SHARED
    if literal and OPERATOR.search(literal):
        return f"write `(float)({literal})`, or give its literals the suffix `f`"
    if literal:
        return f"write `{literal}f`"
    if not macro:
        return SUFFIX
    converted = f"make it a float: `(float)({macro})`, around all that is computed of literals"
    return f"{converted}; or {OF_MACRO.format(macro)}" if is_own else converted


def slow_integer_division(group: Group, rule: Rule) -> Iterator[Finding]:
    """KL702: divisions by what the compiler does not know, in loops that run often, or where they
    take as many instructions as all else that their loop or their thread does."""

    def often(kernel: Kernel, operation: Operation) -> bool:
        return len(operation.loops) >= rule.threshold("depth") or _turns(
            kernel, operation, group
        ) >= rule.threshold("turns")

    by_place: dict[Span | None, list[Hit]] = {}
    for hit, *_ in _hits(group, "integer-division", lambda kernel, operation: True):
        by_place.setdefault(hit[1].loops[-1] if hit[1].loops else None, []).append(hit)
    for hits in by_place.values():
        sure = [hit for hit in hits if often(*hit)]
        told = sure or ([] if _is_short(hits, group) else _outweighing(hits, group, rule))
        if told:
            build = partial(_division, group=group, rule=rule, is_sure=bool(sure))
            yield in_parts(told, _span, build)


def _span(hit: Hit) -> Span:
    return hit[1].span


def _is_short(hits: Sequence[Hit], group: Group) -> bool:
    """Whether the loop around is known to have few iterations."""
    return any(_turns(kernel, operation, group) for kernel, operation in hits)


def _outweighing(hits: Sequence[Hit], group: Group, rule: Rule) -> list[Hit]:
    """Divisions by arguments that take as many instructions as all else around them; none where
    they do not. A quotient and the remainder beside it are one division."""
    by_argument = [
        hit for hit in hits if divisions.is_given(group.source.quoted(hit[1].part), hit[0])
    ]
    by_kernel = [hit for hit in by_argument if hit[0] is by_argument[0][0]]
    once = {operation.text.replace("%", "/"): operation for _, operation in by_kernel}
    costs = [_instructions(operation, rule) for operation in once.values()]
    beside = max((operation.beside for operation in once.values()), default=0)
    return by_kernel if costs and sum(costs) >= beside else []


def _instructions(operation: Operation, rule: Rule) -> float:
    return rule.threshold("instructions_wide" if operation.bits > 32 else "instructions")


def _division(hits: Sequence[Hit], group: Group, rule: Rule, is_sure: bool) -> Finding:
    """One finding for the divisions of a loop, or of a thread. `is_sure`: it runs often."""
    (kernel, operation), *others = hits
    divisor = group.source.quoted(operation.part)
    heads = [group.source.loop_head(loop) for loop in operation.loops]
    scaled = {name for head in heads if head is not None for name in head.scaled}
    cost = f"about {words.count(_instructions(operation, rule))} instructions each"
    beside = () if is_sure else (_beside_notes(operation),)
    advice = divisions.advice(operation, divisor, scaled, kernel, group.language)
    return _finding(
        (kernel, operation),
        group,
        rule,
        f"`{operation.text}`: integer division by a runtime value, {_how_often(kernel, operation, group)}, {cost}",
        advice,
        (*_more(others), *beside),
        None,
    )


def _how_often(kernel: Kernel, operation: Operation, group: Group) -> str:
    turns, depth = _turns(kernel, operation, group), len(operation.loops)
    if turns:
        return f"about {words.count(round(turns))} times per thread"
    if depth > 1:
        return f"in {depth} nested loops"
    return "in each iteration of a loop" if depth else "once per thread"


def _beside_notes(operation: Operation) -> str:
    whole = "an iteration" if operation.loops else "a thread"
    return f"all else that {whole} does takes about {words.count(operation.beside)} instructions"


def _more(others: Sequence[Hit]) -> tuple[str, ...]:
    """The other divisions of the same loop, or of the thread."""
    named = list(
        dict.fromkeys(f"`{operation.text}` (line {operation.span.line})" for _, operation in others)
    )
    shown = ", ".join(named[:NAMED]) + (
        f" and {len(named) - NAMED} more" if len(named) > NAMED else ""
    )
    where = " in this loop" if others and others[0][1].loops else ""
    return (f"also{where}: {shown}",) if named else ()


def unsynchronised_shuffle(group: Group, rule: Rule) -> Iterator[Finding]:
    """KL703: shuffles and votes without a mask of the lanes that take part."""
    capability = group.device.capability or 0
    if capability < rule.threshold("masks"):
        return  # the rule is about NVIDIA's lanes; elsewhere there is no mask
    found = _hits(group, "unsynchronised-shuffle", lambda kernel, operation: True)
    for kernel, operation in (first for first, *_ in found):
        name = operation.text.partition("(")[0].strip()
        independent = capability >= rule.threshold("independent_threads")
        effect = (
            f"{group.device.title} does not support it"
            if independent
            else "it assumes that lanes run in lockstep"
        )
        yield _finding(
            (kernel, operation),
            group,
            rule,
            f"`{operation.text}`: `{name}` has no mask of participating lanes: {effect}",
            f"use `{name}_sync(mask, …)` with a mask of the lanes that execute it (0xffffffff: the whole warp)",
            (),
            _synchronised(name, operation, group),
        )


def _synchronised(name: str, operation: Operation, group: Group) -> Fix | None:
    """The call with a mask of the whole warp; None where its name cannot be found in the user's own
    text."""
    at = operation.span
    if not group.source.quoted(at).startswith(f"{name}("):
        return None
    end = at.column + len(name) + 1
    edit = Edit(Span(at.path, at.line, at.column, at.line, end), f"{name}_sync(0xffffffff, ")
    return Fix(
        "unsafe", f"Write `{name}_sync(0xffffffff, …)`, if all lanes of the warp get there", (edit,)
    )


def _hits(
    group: Group, kind: str, reported: Callable[[Kernel, Operation], bool]
) -> list[list[Hit]]:
    """The reported operations of a kind, those of one line together, and all uses of a macro's
    literal; every division alone, as often as it stands in a template."""
    found: dict[tuple[object, ...], list[Hit]] = {}
    for kernel in group.kernels:
        for operation in kernel.operations:
            if operation.kind == kind and reported(kernel, operation):
                macro = operation.part.macro if operation.part is not None else ""
                place = (
                    (operation.span, operation.text)
                    if kind == "integer-division"
                    else macro or operation.span.line
                )
                found.setdefault((operation.span.path, place), []).append((kernel, operation))
    return list(found.values())


def _turns(kernel: Kernel, operation: Operation, group: Group) -> float:
    """How often each warp runs the innermost loop's body; 0 where that is not known."""
    return (context.turns(operation.loops[-1], kernel, group.device) or 0) if operation.loops else 0


def _finding(
    hit: Hit,
    group: Group,
    rule: Rule,
    message: str,
    advice: str,
    notes: tuple[str, ...],
    fix: Fix | None,
) -> Finding:
    kernel, operation = hit
    labels = [Label(operation.calls[0], "called from here")] if operation.calls else []
    if operation.loops and operation.loops[-1].line != operation.span.line:
        labels.append(Label(group.source.head(operation.loops[-1]), "in this loop"))
    return Finding(
        rule.code,
        rule.name,
        rule.severity,
        message,
        operation.span,
        kernel=words.kernel(kernel),
        status="exact",
        labels=tuple(labels),
        notes=(*notes, *((f"launch: {words.launch(kernel.launch)}",) if operation.loops else ())),
        help=advice,
        assumptions=tuple(_deciding(kernel, operation, group)),
        fix=fix,
    )


def _deciding(kernel: Kernel, operation: Operation, group: Group) -> Iterator[str]:
    """What is assumed of the kernel and decides of the operation: types; sizes and the block only
    where they say how often it is run."""
    often = operation.kind == "integer-division" and _turns(kernel, operation, group)
    if often and kernel.launch.block_assumed:
        yield f"block {'x'.join(map(str, kernel.launch.block))} is assumed"
    yield from (
        text
        for text in kernel.assumptions
        if (often and not text.startswith("block ")) or TYPE.fullmatch(text)
    )
