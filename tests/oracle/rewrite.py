"""CUDA source to C++ that g++ takes: launches, dynamic shared arrays and inline PTX are rewritten
in place.

Comes in: the text of a program. Goes out: C++ text with the same line numbers, to be compiled with
include/kl_cuda.h in front, and the names of its variables in constant and device memory. Never
changes an index expression or a statement of a kernel other than those above.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

BRACKETS = {"(": ")", "[": "]", "{": "}"}


class RewriteError(Exception):
    """The program uses something the oracle does not run."""


@dataclass(frozen=True, slots=True)
class Rewritten:
    text: str
    constants: frozenset[str]
    device_variables: frozenset[str]


def blank(text: str) -> str:
    """The text with comments and the insides of literals as spaces, newlines kept: same length,
    safe to search."""
    pattern = r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])+'"

    def spaces(m: re.Match[str]) -> str:
        return re.sub(r"[^\n]", " ", m.group())

    return re.sub(pattern, spaces, text, flags=re.S)


def closing(masked: str, at: int) -> int:
    """Where the bracket that opens at `at` closes."""
    depth = 0
    for i in range(at, len(masked)):
        depth += (masked[i] in BRACKETS) - (masked[i] in BRACKETS.values())
        if depth == 0:
            return i
    raise RewriteError("unbalanced brackets")


def split(text: str, masked: str, separator: str) -> list[str]:
    """Split at a separator outside brackets."""
    parts, depth, start = [], 0, 0
    for i, c in enumerate(masked):
        depth += (c in BRACKETS) - (c in BRACKETS.values())
        if c == separator and depth == 0:
            if separator == ":" and (masked[i + 1 : i + 2] == ":" or masked[i - 1 : i] == ":"):
                continue
            parts.append(text[start:i])
            start = i + 1
    return [*parts, text[start:]]


def kernel_start(masked: str, at: int) -> int:
    """Where the name of the kernel that is launched by the `<<<` at `at` starts."""
    i = at - 1
    while masked[i].isspace():
        i -= 1
    if masked[i] == ">":
        depth = 0
        while True:
            depth += (masked[i] == ">") - (masked[i] == "<")
            i -= 1
            if depth == 0:
                break
        while masked[i].isspace():
            i -= 1
    while i >= 0 and (masked[i].isalnum() or masked[i] in "_:"):
        i -= 1
    return i + 1


def rewrite_launches(text: str) -> str:
    while (at := (masked := blank(text)).find("<<<")) >= 0:
        start = kernel_start(masked, at)
        end, depth = at + 3, 0
        while depth or masked[end : end + 3] != ">>>":
            depth += (masked[end] in BRACKETS) - (masked[end] in BRACKETS.values())
            end += 1
            if end >= len(masked):
                raise RewriteError("a launch without >>>")
        opening = masked.index("(", end)
        last = closing(masked, opening)
        name, shape, arguments = text[start:at], text[at + 3 : end], text[opening + 1 : last]
        shown = " ".join(name.split()).replace('"', "")
        comma = "," if arguments.strip() else ""
        call = f'kl_launch("{shown}", __LINE__, kl_shape({shape}), [&](auto... kl_a) {{ {name}(kl_a...); }}{comma}{arguments})'
        text = text[:start] + call + text[last + 1 :]
    return text


def rewrite_shared(text: str) -> str:
    text = re.sub(r"\bstatic(\s+)__shared__\b", r"\1__shared__", text)
    text = re.sub(r"\b__shared__(\s+)extern\b", r"extern\1__shared__", text)
    attributes = (
        r"(?:__align__\s*\([^)]*\)\s*|alignas\s*\([^)]*\)\s*|__attribute__\s*\(\([^;]*?\)\)\s*)*"
    )
    dynamic = (
        rf"\bextern\s+__shared__\s+{attributes}([\w:<>\s*]*?)\s*{attributes}\b(\w+)\s*\[\s*\]\s*;"
    )

    def pointer(m: re.Match[str]) -> str:
        lines = "\n" * m.group().count("\n")
        return f"{m.group(1)} *{m.group(2)} = ({m.group(1)} *)kl_dynamic_shared;{lines}"

    return re.sub(dynamic, pointer, text)


DEVICE_FUNCTION = re.compile(r"\b(?:__global__|__device__|__kernel|kernel)\b")
LOCAL_ARRAY = re.compile(
    r"(?<=[;{}])(\s*)((?:const\s+|volatile\s+|alignas\s*\(\d+\)\s*|__align__\s*\(\d+\)\s*|__private\s+)*"
    r"(?:(?:unsigned|signed)\s+)?(?!return\b|else\b|delete\b|goto\b|__shared__\b|__local\b|local\b|static\b|extern\b)\w+\s+)"
    r"(\w+)((?:\s*\[[^\];]*\])+)(\s*=\s*\{[^;]*\})?\s*;"
)


def rewrite_local(text: str, masked: str) -> str:
    """Arrays on the stack of device functions announce themselves, on the line where their
    declaration ends."""
    inserted = []
    end = 0
    for function in DEVICE_FUNCTION.finditer(masked):
        if function.start() < end:
            continue
        opening = masked.find("{", function.end())
        if opening < 0 or ";" in masked[function.end() : opening]:
            continue
        end = closing(masked, opening)
        inserted += [(m.end(), m.group(3)) for m in LOCAL_ARRAY.finditer(masked, opening, end)]
    for at, name in reversed(inserted):
        text = f"{text[:at]} kl_local((void *){name}, sizeof {name});{text[at:]}"
    return text


PTX_TYPES = {
    "u8": "unsigned char", "s8": "signed char", "b8": "unsigned char", "u16": "unsigned short", "s16": "short", "b16": "unsigned short",
    "u32": "unsigned", "s32": "int", "b32": "unsigned", "f32": "float",
    "u64": "unsigned long long", "s64": "long long", "b64": "unsigned long long", "f64": "double",
}  # fmt: skip
PTX_READS = {
    "clock": "kl_clock()",
    "clock64": "kl_clock()",
    "laneid": "kl_lane()",
    "globaltimer": "kl_clock()",
    "smid": "0u",
}
ACCESS = re.compile(
    r"(ld|st)(?:\.volatile|\.relaxed|\.weak|\.nc|\.c[agsv]|\.wb|\.wt)*\.(shared|global)(?:::cta)?(?:\.nc|\.c[agsv])*(?:\.v([24]))?\.(\w+)\s+(.*)"
)


def operands(part: str) -> list[str]:
    found = []
    for piece in split(part, blank(part), ","):
        if m := re.match(r'\s*"[^"]*"\s*\((.*)\)\s*$', piece, re.S):
            found.append(m.group(1))
        elif piece.strip():
            raise RewriteError(f"asm operand {piece.strip()}")
    return found


def ptx_instruction(text: str, values: list[str]) -> str:
    """One PTX instruction as a C++ expression statement."""

    def value(operand: str) -> str:
        return re.sub(r"%(\d+)", lambda m: f"({values[int(m.group(1))]})", operand.strip())

    if m := re.fullmatch(r"mov\.\w+\s+(%\d+)\s*,\s*%%?([a-z]\w*)", text):
        return f"{value(m.group(1))} = {PTX_READS[m.group(2)]};"
    if m := ACCESS.fullmatch(text):
        op, space, count, kind, rest = m.groups()
        memory = re.search(r"\[(.*?)\]", rest)
        registers = re.findall(r"%\d+", re.sub(r"\[.*?\]", "", rest))
        if memory is None or kind not in PTX_TYPES:
            raise RewriteError(f"PTX {text}")
        base, _, offset = memory.group(1).partition("+")
        address = (
            f"kl_from_shared({value(base)} + {offset or 0})"
            if space == "shared"
            else f"((char *){value(base)} + {offset or 0})"
        )
        element = PTX_TYPES[kind]
        n = int(count or 1)
        vector = (
            f"typedef {element} kl_v __attribute__((vector_size({n} * sizeof({element}))));"
            if n > 1
            else f"typedef {element} kl_v;"
        )
        names = [f"kl_t[{i}]" for i in range(n)] if n > 1 else ["kl_t"]
        moves = zip(registers, names, strict=True)
        if op == "ld":
            return f"{vector} kl_v kl_t = *(kl_v *){address}; " + " ".join(
                f"{value(r)} = {t};" for r, t in moves
            )
        return (
            f"{vector} kl_v kl_t; "
            + " ".join(f"{t} = {value(r)};" for r, t in moves)
            + f" *(kl_v *){address} = kl_t;"
        )
    if re.match(r"(membar|fence|cp\.async\.(commit|wait)|prefetch)", text):
        return ";"
    if re.match(r"(bar\.sync|barrier\.sync)\s+0\b", text):
        return "__syncthreads();"
    raise RewriteError(f"PTX {text}")


def rewrite_asm(text: str) -> str:
    pattern = re.compile(r"\b(?:asm|__asm__)\b\s*(?:volatile\b|__volatile__\b)?\s*\(")
    while m := pattern.search(blank(text)):
        masked = blank(text)
        last = closing(masked, m.end() - 1)
        inside = text[m.end() : last]
        parts = split(inside, blank(inside), ":")
        template = (
            "".join(re.findall(r'"((?:\\.|[^"\\])*)"', parts[0]))
            .replace("\\n", " ")
            .replace("\\t", " ")
        )
        values = [v for part in parts[1:3] for v in operands(part)]
        code = " ".join(
            ptx_instruction(i.strip(), values) for i in template.split(";") if i.strip()
        )
        lines = "\n" * inside.count("\n")
        text = text[: m.start()] + f"({{ {code} }})" + lines + text[last + 1 :]
    return text


def variables(masked: str, qualifier: str) -> frozenset[str]:
    found = re.finditer(
        rf"\b{qualifier}\b\s+([^;(){{}}=]*?)\b(\w+)\s*((?:\[[^\]]*\]\s*)*)(?:=|;|\{{)", masked
    )
    return frozenset(m.group(2) for m in found)


def cuda(text: str) -> Rewritten:
    masked = blank(text)
    text = rewrite_local(text, masked)
    changed = rewrite_launches(rewrite_asm(rewrite_shared(text)))
    return Rewritten(
        changed,
        variables(masked, "__constant__"),
        variables(masked, "__device__") | variables(masked, "__managed__"),
    )


OPENCL_VECTOR = re.compile(
    r"\(\s*((?:char|uchar|short|ushort|int|uint|long|ulong|float|double)(?:2|4|8|16))\s*\)\s*(?=\()"
)


def opencl(text: str) -> Rewritten:
    """Local arrays get storage, vector literals become calls, swizzles become methods."""
    text = rewrite_local(text, blank(text))
    masked = blank(text)
    depth = 0
    places = []
    for m in re.finditer(r"[(){}]|\b(?:__local|local)\b(?!\s*[\w\s]*\*)", masked):
        if m.group() in "({":
            depth += 1 if m.group() == "{" else 100
        elif m.group() in ")}":
            depth -= 1 if m.group() == "}" else 100
        elif 0 < depth < 100:
            places.append(m.span())
    for start, end in reversed(places):
        text = text[:start] + "kl_local_storage" + text[end:]
    text = OPENCL_VECTOR.sub(r"make_\1", text)
    text = re.sub(r"\.(xy|zw)\b", r".kl_\1()", text)
    constants = variables(masked, "__constant") | variables(masked, "constant")
    return Rewritten(text, constants, frozenset())
