"""The intermediate form as text, for tests and debugging. Stable: names and offsets only, no
identities."""

from __future__ import annotations

from collections.abc import Iterable

from kernlint.ir import nodes as ir
from kernlint.ir.types import Float, Integer, Pointer


class _Names:
    """Variables by name, later ones of the same name numbered."""

    def __init__(self) -> None:
        self.known: dict[ir.Variable, str] = {}
        self.used: dict[str, int] = {}

    def of(self, variable: ir.Variable) -> str:
        name = self.known.get(variable)
        if name is None:
            base = "t" if variable.name == "(value)" else variable.name
            count = self.used.get(base, 0)
            self.used[base] = count + 1
            name = self.known[variable] = (
                base
                if count == 0 and base != "t"
                else f"{base}.{count}"
                if base != "t"
                else f"t{count}"
            )
        return name


def show(kernel: ir.Kernel | ir.HostFunction, accesses: bool = True) -> str:
    """A whole function; with `accesses` also where each access stands and is charged."""
    names = _Names()
    lines = [
        f"{kernel.name}({', '.join(names.of(p.variable) + (' -> ' + p.object.name if p.object else '') for p in kernel.parameters)})"
    ]
    lines += body(kernel.body, names, 1, accesses)
    return "\n".join(lines) + "\n"


def body(
    statements: Iterable[ir.Statement], names: _Names, depth: int, accesses: bool
) -> list[str]:
    lines: list[str] = []
    for one in statements:
        lines += _statement(one, names, depth, accesses)
    return lines


def _site(site: ir.AccessSite, accesses: bool) -> str:
    if not accesses:
        return ""
    widths = "+".join(str(width) for _, width in site.pieces) or "?"
    marks = "".join(
        f" {m}" for m, on in (("volatile", site.volatile), ("unused", not site.result_used)) if on
    )
    notes = "".join(f" ({n})" for n in site.notes)
    return f"  # {site.op} {widths} `{site.text}` @{site.charged_line}{' in ' + str(len(site.calls)) if site.calls else ''}{marks}{notes}"


def _statement(one: ir.Statement, names: _Names, depth: int, accesses: bool) -> list[str]:
    pad = "  " * depth

    def text(expression: ir.Expression) -> str:
        return show_expression(expression, names)

    match one:
        case ir.Assign(variable, value):
            return [f"{pad}{names.of(variable)} = {text(value)}"]
        case ir.Load(targets, address, site):
            held = ", ".join(
                f"{names.of(v)}" if o == 0 and len(targets) == 1 else f"{o}:{names.of(v)}"
                for o, v in targets
            )
            return [f"{pad}load {held or '-'} <- {text(address)}{_site(site, accesses)}"]
        case ir.Store(address, values, site):
            held = ", ".join(
                text(e) if o == 0 and len(values) == 1 else f"{o}:{text(e)}" for o, e in values
            )
            return [f"{pad}store {text(address)} <- {held or '-'}{_site(site, accesses)}"]
        case ir.Atomic(target, operation, address, operands, site):
            held = ", ".join(text(o) for o in operands)
            result = "" if target is None else f"{names.of(target)} = "
            return [
                f"{pad}{result}atomic {operation} {text(address)}, {held}{_site(site, accesses)}"
            ]
        case ir.Copy(destination, source, _, site):
            return [f"{pad}copy {text(destination)} <- {text(source)}{_site(site, accesses)}"]
        case ir.CopyGroup(operation, pending):
            many = "" if pending is None else f" {text(pending)}"
            return [f"{pad}{operation} copies{many}"]
        case ir.Matrix(address, count, targets, site):
            held = ", ".join(names.of(t) for t in targets)
            return [
                f"{pad}{site.hardware_op} x{count} {held or '-'} <- {text(address)}{_site(site, accesses)}"
            ]
        case ir.Shuffle(target, kind, value, lane, width, _, synchronised, _, _):
            how = f"shuffle{'' if synchronised else ' unsynchronised'} {kind}"
            return [f"{pad}{names.of(target)} = {how} {text(value)}, {text(lane)}, {text(width)}"]
        case ir.Vote(target, kind, operand, _, _, _):
            return [
                f"{pad}{names.of(target)} = vote {kind} {text(operand) if operand is not None else ''}".rstrip()
            ]
        case ir.Barrier(site):
            return [f"{pad}barrier {site.scope}"]
        case ir.Leave(label):
            return [f"{pad}leave {label.name}"]
        case ir.Clobber(what, pointers, _):
            return [
                f"{pad}clobber {what}({'*' if pointers is None else ', '.join(text(p) for p in pointers)})"
            ]
        case ir.Taken(values, how):
            return [f"{pad}{how} {', '.join(text(v) for v in values)}".rstrip()]
        case ir.Trap():
            return [f"{pad}trap"]
        case ir.Assume(condition, _):
            return [f"{pad}assume {text(condition)}"]
        case ir.Allocate(target, _, bytes_):
            size = "" if bytes_ is None else f" {text(bytes_)} bytes"
            return [f"{pad}{names.of(target)} = allocate{size}"]
        case ir.HostLaunch():
            return [pad + _launch(one, names)]
    return _structure(one, names, depth, accesses)


def _launch(one: ir.HostLaunch, names: _Names) -> str:
    def triple(values: tuple[ir.Expression, ...]) -> str:
        return ", ".join(show_expression(v, names) for v in values)

    given = ", ".join(f"{n}={show_expression(e, names)}" for n, e in one.arguments)
    return f"launch {one.kernel} <<<({triple(one.grid)}), ({triple(one.block)}), {show_expression(one.dynamic_shared, names)}>>>({given})"


def _structure(one: ir.Statement, names: _Names, depth: int, accesses: bool) -> list[str]:
    pad = "  " * depth
    match one:
        case ir.If(condition, then, otherwise, site):
            lines = [
                f"{pad}if {show_expression(condition, names)}:  # {site.kind} `{site.condition}`"
            ]
            lines += body(then, names, depth + 1, accesses)
            if otherwise:
                lines += [f"{pad}else:", *body(otherwise, names, depth + 1, accesses)]
            return lines
        case ir.Region(label, inner):
            return [f"{pad}region {label.name}:", *body(inner, names, depth + 1, accesses)]
        case ir.Loop():
            return _loop(one, names, depth, accesses)
    return [f"{pad}{type(one).__name__}"]


def _loop(one: ir.Loop, names: _Names, depth: int, accesses: bool) -> list[str]:
    pad = "  " * depth
    unroll = "" if one.unroll is None else f" unroll {one.unroll or 'all'}"
    kind = "do" if one.post_test else "loop"
    lines = [f"{pad}{kind}{unroll}:  # {one.site.kind} `{one.site.condition}`"]
    header = body(one.header, names, depth + 1, accesses)
    test = (
        [f"{pad}  while {show_expression(one.condition, names)}"]
        if one.condition is not None
        else []
    )
    inner, step = (
        body(one.body, names, depth + 1, accesses),
        body(one.step, names, depth + 1, accesses),
    )
    step = [f"{pad}  step:", *[f"  {line}" for line in step]] if step else []
    return lines + (inner + step + header + test if one.post_test else header + test + inner + step)


def _type(expression: ir.Expression) -> str:
    short = {
        "unsigned int": "uint",
        "unsigned long": "ulong",
        "unsigned long long": "ulonglong",
        "unsigned char": "uchar",
        "unsigned short": "ushort",
    }
    return (
        short.get(str(expression.type), str(expression.type))
        if isinstance(expression.type, (Integer, Float, Pointer))
        else str(expression.type)
    )


def show_expression(expression: ir.Expression, names: _Names | None = None) -> str:
    """An expression with full parentheses; conversions as `type(x)`."""
    names = names or _Names()

    def text(one: ir.Expression) -> str:
        return show_expression(one, names)

    match expression:
        case ir.Constant(type=type_, value=value):
            return (
                f"{value}"
                if not isinstance(type_, Pointer)
                else f"null+{value}"
                if value
                else "null"
            )
        case ir.Read(variable=variable):
            return names.of(variable)
        case ir.Builtin(name=name):
            return name
        case ir.Address(object=memory):
            return f"&{memory.name}"
        case ir.Unary(op=op, operand=operand):
            return f"{op}{text(operand)}"
        case ir.Binary(op=op, left=left, right=right):
            return (
                f"{op}({text(left)}, {text(right)})"
                if op in ("min", "max")
                else f"({text(left)} {op} {text(right)})"
            )
        case ir.Convert(operand=operand):
            return f"{_type(expression)}({text(operand)})"
        case ir.Select(condition=condition, then=then, otherwise=otherwise):
            return f"({text(condition)} ? {text(then)} : {text(otherwise)})"
        case ir.Call(name=name, arguments=arguments):
            return f"{name}({', '.join(text(a) for a in arguments)})"
        case ir.Unknown(reason=reason, operands=operands, what=what):
            return f"unknown[{reason}{': ' + what if what else ''}]({', '.join(text(o) for o in operands)})"
    return "?"
