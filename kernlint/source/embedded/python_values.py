"""What expressions of a Python file stand for, as far as its text alone says it: constants, and
texts with their places.

In: the syntax tree of a file. Out: values, `Mapped` texts. A name counts when its scope binds it
once. Nothing is run or imported. Where a value is not known, a text gets a stand-in
(`placeholder`), an identifier that no kernel has; who reads the text finds it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping

from kernlint.base import python_text
from kernlint.base.dataclass import dataclass, field
from kernlint.source.directives import OPERATORS
from kernlint.source.embedded.mapped_text import Mapped, filled, joined
from kernlint.source.embedded.program import PLACEHOLDER, name_of
from kernlint.source.embedded.python_strings import Hole, parts

LONGEST = 4096  # bits of a number that is worked out
STEPS = 2_000  # expressions of texts that are looked at
LARGEST = 1 << 20  # characters of a text that is put together
WIDEST = re.compile(r"\d{4}")  # a width in a format that no kernel needs
DEEPEST = 40  # names that stand for names

Constant = int | float | str
Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_PERCENT = re.compile(
    r"%(?:\((?P<name>[^)]*)\))?(?P<spec>[-+ #0]*\d*(?:\.\d+)?)(?P<kind>[diouxXeEfFgGcrsa%])"
)
_BRACES = re.compile(r"\{\{|\}\}|\{(?P<name>[\w.\[\]]*)(?:![rsa])?(?::(?P<spec>[^{}]*))?\}")
_DOLLAR = re.compile(r"\$(?:\$|(?P<name>[A-Za-z_]\w*)|\{(?P<braced>[A-Za-z_]\w*)\})")


@dataclass(slots=True)
class _Scope:
    """What a module or a function binds: the expressions, None for a binding that is no plain
    assignment."""

    parent: _Scope | None = None
    bound: dict[str, list[ast.expr | None]] = field(default_factory=dict)

    def bind(self, name: str, value: ast.expr | None) -> None:
        self.bound.setdefault(name, []).append(value)


class HostValues:
    """The values in one file. `defines`: texts that the user gives for names that the file leaves
    open."""

    def __init__(self, tree: ast.Module, source: str, defines: Mapping[str, str]) -> None:
        self.source, self.defines = source, defines
        self.placeholders: dict[str, str] = {}  # identifier → what stands there in the file
        self.lines = [0]
        for line in source.split("\n"):
            self.lines.append(self.lines[-1] + len(line) + 1)
        self.imported: dict[str, str] = {}  # `from cupy import RawKernel as K`: K → RawKernel
        self._methods: dict[ast.expr, list[ast.Call]] | None = None
        self._tree = tree
        self._steps = 0
        self._scopes: dict[ast.AST, _Scope] = {}
        self._module = _Scope()
        self._collect(tree, self._module)

    # -- bindings

    def _collect(self, node: ast.AST, scope: _Scope) -> None:
        """Scopes of all nodes and what they bind; without recursion over statements that are nested
        deeply."""
        waiting = [(node, scope)]
        while waiting:
            here, inside = waiting.pop()
            self._scopes[here] = inside
            self._bind(here, inside)
            below = _Scope(inside) if isinstance(here, Function) else inside
            if isinstance(here, Function):
                for argument in ast.walk(here.args):
                    if isinstance(argument, ast.arg):
                        below.bind(argument.arg, None)
            elif isinstance(here, ast.ClassDef):
                below = _Scope(inside)
            waiting += [(child, below) for child in ast.iter_child_nodes(here)]

    def _bind(self, node: ast.AST, scope: _Scope) -> None:
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                if isinstance(target, ast.Name):
                    scope.bind(target.id, node.value)
                    target.ctx = ast.Load()  # bound here: not once more as a store
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            scope.bind(node.id, None)
        elif isinstance(node, ast.Global | ast.Nonlocal):
            for name in node.names:
                self._module.bind(name, None)
                scope.bind(name, None)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            scope.bind(node.name, None)
        elif isinstance(node, ast.alias):
            if node.asname:
                self.imported[node.asname] = node.name
            scope.bind((node.asname or node.name).partition(".")[0], None)
        elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
            scope.bind(node.name, None)

    def bound(self, node: ast.Name) -> ast.expr | None:
        """The expression that a name stands for; None where its scope binds it otherwise, several
        times or not at all."""
        scope = self._scopes.get(node)
        while scope is not None and node.id not in scope.bound:
            scope = scope.parent
        values = scope.bound[node.id] if scope is not None else []
        return values[0] if len(values) == 1 else None

    def resolved(self, node: ast.expr) -> ast.expr:
        """The expression behind names."""
        for _ in range(DEEPEST):
            found = self.bound(node) if isinstance(node, ast.Name) else None
            if found is None:
                break
            node = found
        return node

    def calls_on(self, node: ast.expr) -> list[ast.Call]:
        """The calls of methods of what an expression makes."""
        if self._methods is None:
            self._methods = {}
            for call in ast.walk(self._tree):
                if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
                    self._methods.setdefault(self.resolved(call.func.value), []).append(call)
        return self._methods.get(node, [])

    def held(self, text: str) -> dict[str, str]:
        """The stand-ins in a text, and what the file has there."""
        return {
            name: self.placeholders[name]
            for name in set(re.findall(rf"{PLACEHOLDER}\d+", text))
            if name in self.placeholders
        }

    # -- constants

    def constant(self, node: ast.expr, depth: int = 0) -> Constant | None:
        """A number or a text that the file's text decides; None for all else."""
        node = self.resolved(node)
        if depth > DEEPEST:
            return None
        if isinstance(node, ast.Constant):
            return (
                node.value
                if isinstance(node.value, int | float | str) and not isinstance(node.value, bool)
                else None
            )
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            value = self.constant(node.operand, depth + 1)
            return -value if isinstance(value, int | float) else None
        if isinstance(node, ast.BinOp):
            return self._operation(node, depth)
        if isinstance(node, ast.Call) and len(node.args) == 1 and not node.keywords:
            name = (
                node.func.attr
                if isinstance(node.func, ast.Attribute)
                else node.func.id
                if isinstance(node.func, ast.Name)
                else ""
            )
            if re.fullmatch(r"int|(?:np\.)?u?int(?:8|16|32|64|p|c)", name):
                value = self.constant(node.args[0], depth + 1)
                return value if isinstance(value, int) else None
            if name == "str":
                value = self.constant(node.args[0], depth + 1)
                return None if value is None else str(value)
        return None

    def _operation(self, node: ast.BinOp, depth: int) -> Constant | None:
        left, right = self.constant(node.left, depth + 1), self.constant(node.right, depth + 1)
        if (
            isinstance(left, int)
            and isinstance(right, int)
            and max(left.bit_length(), right.bit_length()) <= LONGEST
        ):
            if isinstance(node.op, ast.Div) or (
                isinstance(node.op, ast.LShift | ast.RShift) and not 0 <= right < LONGEST
            ):
                return None  # a float, or too large
            work = OPERATORS.get(type(node.op))
            try:
                return work(left, right) if work is not None else None
            except ZeroDivisionError:
                return None
        return None

    def integer(self, node: ast.expr) -> int | None:
        value = self.constant(node)
        return value if isinstance(value, int) else None

    # -- texts

    def text(self, node: ast.expr, depth: int = 0) -> Mapped:
        """The text that an expression makes, with stand-ins for what is not known."""
        node = self.resolved(node)
        if isinstance(node, ast.JoinedStr) or (
            isinstance(node, ast.Constant) and isinstance(node.value, str | bytes)
        ):
            return self._literal(node)
        self._steps += 1
        if depth > DEEPEST or self._steps > STEPS:
            return self.placeholder(node)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            left, right = self.text(node.left, depth + 1), self.text(node.right, depth + 1)
            return (
                left + right
                if len(left.text) + len(right.text) <= LARGEST
                else self.placeholder(node)
            )
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
            return self._percent(self.text(node.left, depth + 1), self.resolved(node.right))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            return self._call(node, node.func, depth)
        value = self.constant(node)
        return self.placeholder(node) if value is None else filled(str(value), *self.place(node))

    def place(self, node: ast.expr) -> tuple[int, int]:
        """Start and end of an expression, as offsets in the file."""
        return self._offset(node.lineno, node.col_offset), self._offset(
            node.end_lineno or 1, node.end_col_offset or 0
        )

    def _offset(self, line: int, column: int) -> int:
        start, end = self.lines[line - 1], self.lines[line]
        text = self.source[start:end]
        return start + (
            column if text.isascii() else len(text.encode()[:column].decode(errors="replace"))
        )

    def placeholder(
        self, node: ast.expr | None, start: int = 0, end: int = 0, shown: str = ""
    ) -> Mapped:
        """A stand-in: for an expression where it stands, or for a stretch with what it `shown`."""
        if node is not None:
            start, end = self.place(node)
        shown = shown or " ".join(self.source[start:end].split())
        given = self.defines.get(name_of(shown))
        if given is not None:
            return filled(given, start, end)
        name = f"{PLACEHOLDER}{len(self.placeholders)}"
        self.placeholders[name] = shown
        return filled(name, start, end)

    def _literal(self, node: ast.expr) -> Mapped:
        start, end = self.place(node)
        try:
            found = parts(self.source, start, end)
        except ValueError:
            return self.placeholder(node)
        return joined(
            part if isinstance(part, Mapped) else self._filled_hole(part, node) for part in found
        )

    def _filled_hole(self, hole: Hole, around: ast.expr) -> Mapped:
        try:
            inner = python_text.expression(hole.expression)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            inner = ast.Constant(None)
        for node in ast.walk(inner):
            self._scopes[node] = self._scopes.get(around, self._module)
        if isinstance(inner, ast.Name) and not hole.format and self._is_text(inner):
            return self.text(inner)
        text = _formatted(self.constant(inner), hole.format)
        if text is not None:
            return filled(text, hole.start, hole.end)
        return self.placeholder(None, hole.start, hole.end, self.source[hole.start : hole.end])

    def _call(self, node: ast.Call, function: ast.Attribute, depth: int) -> Mapped:
        name, arguments = function.attr, node.args
        owner = function.value
        if name in ("dedent", "cleandoc") and arguments:
            found = self.text(arguments[0], depth + 1)
            return (found if name == "dedent" else _stripped(found)).dedented()
        if name == "encode" and isinstance(owner, ast.Name) and owner.id == "str" and arguments:
            return self.text(arguments[0], depth + 1)
        if name in ("encode", "decode", "strip", "lstrip", "rstrip", "expandtabs"):
            return self.text(owner, depth + 1)
        if name == "format":
            return self._format(self.text(owner, depth + 1), node)
        if name in ("substitute", "safe_substitute"):
            return self._substitute(node, self.resolved(owner), depth)
        if (
            name == "replace"
            and len(arguments) == 2
            and isinstance(old := self.constant(arguments[0]), str)
            and old
        ):
            found, new = self.text(owner, depth + 1), arguments[1]
            return found.replaced(
                re.compile(re.escape(old)), lambda match: self._fill(found, match, new)
            )
        if (
            name == "join"
            and len(arguments) == 1
            and isinstance(row := self.resolved(arguments[0]), ast.List | ast.Tuple)
        ):
            between = self.text(owner, depth + 1)
            pieces = [self.text(item, depth + 1) for item in row.elts]
            return joined(
                part
                for index, piece in enumerate(pieces)
                for part in ([between, piece] if index else [piece])
            )
        return self.placeholder(node)

    def _is_text(self, node: ast.expr) -> bool:
        found = self.resolved(node)
        is_string = isinstance(found, ast.Constant) and isinstance(found.value, str)
        return is_string or (
            isinstance(found, ast.JoinedStr | ast.BinOp | ast.Call)
            and PLACEHOLDER not in self.text(found).text
        )

    def _fill(
        self, text: Mapped, match: re.Match[str], node: ast.expr | None, spec: str = ""
    ) -> Mapped:
        """What is put in where a placeholder matched: a text with its own places, a constant, else
        a stand-in."""
        stretch = text.slice(*match.span())
        if node is not None and not spec and self._is_text(node):
            return self.text(node)
        found = _formatted(self.constant(node), spec) if node is not None else None
        if found is not None:
            return stretch.standing_for(found)
        return self.placeholder(None, min(stretch.starts), max(stretch.ends), match[0])

    def _percent(self, text: Mapped, given: ast.expr) -> Mapped:
        row = list(given.elts) if isinstance(given, ast.Tuple) else [given]
        names = _named(given)
        turns = iter(row)

        def one(match: re.Match[str]) -> Mapped | str:
            if match["kind"] == "%":
                return "%"
            node = names.get(match["name"]) if match["name"] is not None else next(turns, None)
            spec = (
                ""
                if match["kind"] in "sdiu" and not match["spec"]
                else f"%{match['spec']}{match['kind']}"
            )
            return self._fill(text, match, node, spec)

        return text.replaced(_PERCENT, one)

    def _format(self, text: Mapped, node: ast.Call) -> Mapped:
        names = {keyword.arg: keyword.value for keyword in node.keywords if keyword.arg}
        turns = iter(node.args)

        def one(match: re.Match[str]) -> Mapped | str:
            if match[0] in ("{{", "}}"):
                return match[0][0]
            name = match["name"]
            position = int(name) if name.isdecimal() else -1
            found = (
                next(turns, None)
                if not name
                else node.args[position]
                if 0 <= position < len(node.args)
                else names.get(name)
            )
            return self._fill(text, match, found, match["spec"] or "")

        return text.replaced(_BRACES, one)

    def _substitute(self, node: ast.Call, template: ast.expr, depth: int) -> Mapped:
        """string.Template: `$name` and `${name}`."""
        if not isinstance(template, ast.Call) or not template.args:
            return self.placeholder(node)
        names: dict[str, ast.expr] = _named(self.resolved(node.args[0])) if node.args else {}
        names |= {keyword.arg: keyword.value for keyword in node.keywords if keyword.arg}
        text = self.text(template.args[0], depth + 1)
        return text.replaced(
            _DOLLAR,
            lambda match: (
                "$"
                if match[0] == "$$"
                else self._fill(text, match, names.get(match["name"] or match["braced"]))
            ),
        )


def _named(node: ast.expr) -> dict[str, ast.expr]:
    """The entries of a dictionary written out, `{"name": value}` or `dict(name=value)`."""
    if isinstance(node, ast.Dict):
        return {
            key.value: value
            for key, value in zip(node.keys, node.values, strict=True)
            if isinstance(key, ast.Constant) and isinstance(key.value, str)
        }
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "dict":
        return {keyword.arg: keyword.value for keyword in node.keywords if keyword.arg}
    return {}


def _formatted(value: Constant | None, spec: str) -> str | None:
    try:
        return (
            None
            if value is None or WIDEST.search(spec)
            else spec % value
            if spec.startswith("%")
            else format(value, spec)
        )
    except (ValueError, TypeError):
        return None


def _stripped(text: Mapped) -> Mapped:
    """As `inspect.cleandoc`: the first line stands by itself."""
    first = len(text.text) - len(text.text.lstrip(" \t"))
    return text.slice(first, len(text.text))
