"""Run kernels without a main: many sources in one compilation, each with its launches.

    run_kernel("__global__ void f(float *a, int n) { a[threadIdx.x % n] = 1; }",
               [{"kernel": "f", "grid": [2], "block": [64], "arguments": {"a": Buffer("float", 64), "n": 7}}])

A launch is a dict: `kernel` (template arguments included), `grid` and `block` (1 to 3 numbers),
`dynamic_shared_bytes`, `arguments` by name in the order of the parameters: integers, floats,
strings of C++ text, `Buffer`s, `Local`s (bytes of an OpenCL local argument). Lines count from 1 in
each source. `#include` lines are left out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tests.oracle import rewrite
from tests.oracle.build import execute
from tests.oracle.facts import Launch, launches


@dataclass(frozen=True, slots=True)
class Buffer:
    """An allocation; the pointer passed points `offset_bytes` into it. Values not given are
    zero."""

    type: str
    count: int
    values: Sequence[int | float] = ()
    offset_bytes: int = 0
    space: str = "global"


@dataclass(frozen=True, slots=True)
class Local:
    bytes: int


@dataclass(frozen=True, slots=True)
class Case:
    source: str
    launches: Sequence[Mapping[str, Any]]
    language: str = "cuda"
    options: tuple[str, ...] = field(default=())


def shape(numbers: Sequence[int] | int) -> str:
    values = [numbers] if isinstance(numbers, int) else list(numbers)
    return "kl_any_shape{" + ", ".join(str(v) for v in [*values, 1, 1][:3]) + "}"


def argument(name: str, value: Any, local_offset: int) -> tuple[list[str], str, int]:
    """Statements before the launch, the argument's text, and bytes of local memory taken so far."""
    if isinstance(value, Local):
        return (
            [],
            f"kl_local_pointer{{kl_dynamic_shared + {local_offset}}}",
            local_offset + (value.bytes + 127) // 128 * 128,
        )
    if not isinstance(value, Buffer):
        text = (
            value
            if isinstance(value, str)
            else f"{value}f"
            if isinstance(value, float)
            else literal(value)
        )
        return [], text, local_offset
    size = f"sizeof({value.type}) * {value.count}"
    lines = [f'{value.type} *{name} = ({value.type} *)kl_allocate({size} + {value.offset_bytes}); kl_name({name}, "{name}");',
             f"{name} = ({value.type} *)((char *){name} + {value.offset_bytes});"]  # fmt: skip
    if value.values:
        numbers = ", ".join(str(v) for v in value.values)
        lines.append(
            f"{{ static const {value.type} v[] = {{{numbers}}}; kl_copy({name}, v, sizeof v); }}"
        )
    return lines, name, local_offset


def literal(value: int) -> str:
    return f"{value}LL" if abs(value) >= 1 << 31 else str(value)


def launch_text(number: int, launch: Mapping[str, Any]) -> str:
    lines, texts, local = [], [], 0
    arguments = launch.get("arguments", {})
    for name, value in arguments.items():
        before, text, local = argument(name, value, local)
        lines += before
        texts.append(text)
    grid, block = shape(launch["grid"]), shape(launch["block"])
    dynamic = launch.get("dynamic_shared_bytes", 0) + local
    name = launch["kernel"]
    call = f"[&](auto... kl_a) {{ kl_case_{number}::{name}(kl_a...); }}"
    given = ", ".join(
        [f'"{number}:{name}"', "0", f"kl_shape({grid}, {block}, {dynamic})", call, *texts]
    )
    return " ".join([f"{{ using namespace kl_case_{number};", *lines, f"kl_launch({given}); }}"])


def unit(cases: Sequence[Case]) -> tuple[str, rewrite.Rewritten]:
    """One C++ program of all cases, and the names of their constant and device variables."""
    parts, constants, devices = [], set[str](), set[str]()
    parts.append(
        "struct kl_local_pointer { void *p; template <typename T> operator T *() const { return (T *)p; } };"
    )
    for number, case in enumerate(cases):
        rewritten = (rewrite.opencl if case.language == "opencl" else rewrite.cuda)(case.source)
        constants |= rewritten.constants | {n for run in case.launches for n, v in run.get("arguments", {}).items()
                                            if isinstance(v, Buffer) and v.space == "constant"}  # fmt: skip
        devices |= rewritten.device_variables
        text = re.sub(r"^[ \t]*#[ \t]*include\b.*$", "", rewritten.text, flags=re.M)
        macros = re.findall(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", text, flags=re.M)
        parts += [
            f"namespace kl_case_{number} {{",
            f'#line 1 "/oracle/case/{number}"',
            text,
            "}",
            *(f"#undef {m}" for m in macros),
        ]
    parts += ['#line 1 "/oracle/main"', "int main() {"]
    parts += [
        launch_text(number, run) for number, case in enumerate(cases) for run in case.launches
    ]
    return "\n".join([*parts, "return 0; }", ""]), rewrite.Rewritten(
        "", frozenset(constants), frozenset(devices)
    )


def run_kernels(
    cases: Sequence[Case], raw: bool = False, timeout: float = 600
) -> list[list[Launch]]:
    """Per case its launches with their facts. All cases in one language. OracleError when one does
    not compile."""
    languages = {case.language for case in cases}
    if len(languages) != 1:
        raise ValueError("one language per compilation")
    text, names = unit(cases)
    found: list[list[Launch]] = [[] for _ in cases]
    for launch in launches(execute(text, languages.pop(), raw, timeout=timeout), names):
        number, _, kernel = launch.kernel.partition(":")
        own = f"/oracle/case/{number}"
        facts = tuple(replace(f, file="") for f in launch.facts if f.file == own)
        requests = tuple(replace(r, file="") for r in launch.requests if r.file == own)
        found[int(number)].append(replace(launch, kernel=kernel, facts=facts, requests=requests))
    return found


def run_kernel(
    source: str, launches: Sequence[Mapping[str, Any]], language: str = "cuda", raw: bool = False
) -> list[Launch]:
    return run_kernels([Case(source, launches, language)], raw)[0]


def from_description(launch: Mapping[str, Any]) -> dict[str, Any]:
    """A launch read from JSON: `global` and `local` sizes may stand for grid and block; an argument
    is a number, {"local": BYTES}, or {"type": …, "count": …, "values": […], "offset_bytes": …,
    "space": "global" or "constant"}."""
    block = launch.get("block", launch.get("local"))
    grid = launch.get("grid") or [
        g // b for g, b in zip(launch["global"], block or [1, 1, 1], strict=False)
    ]
    arguments: dict[str, Any] = {}
    for name, value in launch.get("arguments", {}).items():
        if isinstance(value, Mapping):
            value = Local(value["local"]) if "local" in value else Buffer(**value)
        arguments[name] = value
    dynamic = launch.get("dynamic_shared_bytes", 0)
    return {
        "kernel": launch["kernel"],
        "grid": grid,
        "block": block,
        "arguments": arguments,
        "dynamic_shared_bytes": dynamic,
    }
