"""Reading files: bytes → text and language. A file that cannot be read is a Problem, never an exception."""

from __future__ import annotations

import codecs
import os
import re
import stat
from pathlib import Path, PurePath

from kernlint.records import dataclass
from kernlint.source.span import Problem, Span

SIZE_LIMIT = 64 << 20  # bytes; no kernel source comes near

KERNEL_SUFFIXES: dict[str, str] = {  # of files that hold device code for sure, and its language
    **dict.fromkeys((".cu", ".cuh", ".hip"), "cuda"),
    **dict.fromkeys((".cl", ".clh", ".ocl", ".opencl", ".clc"), "opencl"),
    ".ptx": "ptx",
}
PYTHON_SUFFIXES = (".py", ".pyw")
HOST_SUFFIXES = (*PYTHON_SUFFIXES, ".cpp", ".cc", ".cxx", ".c", ".hpp", ".hxx", ".hh", ".h")  # of files whose strings may hold kernels
_OPENCL = re.compile(r"\b(?:__kernel|kernel\s+void|get_global_id|get_local_id)\b")
_CUDA = re.compile(r"\b(?:__global__|__device__|__shared__|threadIdx|blockIdx)\b|<<<")
_PTX = re.compile(r"^\s*\.version\s+\d+\.\d+\s*$.*?^\s*\.target\s", re.M | re.S)
_COMMENTS = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_CONDITION = re.compile(r"^[ \t]*#[ \t]*(?P<word>if|ifdef|ifndef|endif)\b[ \t]*(?P<name>\w*)[^\n]*")
_DEFINE = re.compile(r"\s*#[ \t]*define[ \t]+(\w+)")
_FOR_CUDA = re.compile(
    r"^[ \t]*#[ \t]*include[ \t]*[<\"](?:cuda(?:_\w+)?\.h|device_launch_parameters\.h|mma\.h|cub/)"
    r"|\b__(?:CUDACC|CUDA_ARCH|NVCC|HIP_PLATFORM_NVIDIA|HIP_PLATFORM_NVCC)__\b",
    re.MULTILINE,
)
_BUILTIN = "__builtin_amdgcn_"
_AMD = re.compile(rf"\b{_BUILTIN}\w+[ \t]*\(")
_ROCM = re.compile(r"\b__hip_(?:bfloat16\w*|fp8\w*|atomic_\w+)\b")
_HIP = re.compile(rf"^[ \t]*#[ \t]*include[ \t]*[<\"]hip/|{_AMD.pattern}", re.MULTILINE)


_OPENED = ("/dev/fd/", "/dev/stdin", "/proc/", os.devnull)
_NO_FILE = ((stat.S_ISFIFO, "a named pipe"), (stat.S_ISSOCK, "a socket"), (stat.S_ISCHR, "a device"), (stat.S_ISBLK, "a device"))


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One file's text, line ends as \\n, and its language: "cuda", "opencl" or "ptx"."""

    path: str
    text: str
    language: str


def dialect(path: str, language: str, wanted: str | None, text: str) -> str:
    """What the preprocessor takes a file for: "hip" defines what hipcc does; all else reads HIP as CUDA."""
    found = language == "cuda" and (wanted == "hip" or (wanted is None and (path.lower().endswith(".hip") or is_hip(text))))
    return "hip" if found else language


def is_hip(text: str) -> bool:
    """Whether a text is HIP and no CUDA: HIP's headers or functions of AMD's compiler stand in it whatever is defined, and no header or
    macro of CUDA's stands in it at all. What serves both under conditions is CUDA."""
    return ("hip/" in text or _BUILTIN in text) and _stands_always(text, _HIP)


def is_amd(text: str) -> bool:
    """Whether only AMD's compiler takes a text."""
    return _BUILTIN in text and _stands_always(text, _AMD)


def is_rocm(text: str) -> bool:
    """Whether a text cannot be compiled without ROCm: AMD's compiler alone takes it, or types and functions that ROCm alone has stand in it
    whatever is defined. Headers of CUDA's may stand beside them: hipify exchanges their names."""
    return is_amd(text) or ("__hip_" in text and _is_unconditional(text, _ROCM))


def _stands_always(text: str, mark: re.Pattern[str]) -> bool:
    return mark.search(text) is not None and _FOR_CUDA.search(text) is None and _is_unconditional(text, mark)


def _is_unconditional(text: str, mark: re.Pattern[str]) -> bool:
    conditions: list[bool] = []  # around a place; False for a guard against being included twice
    bare = _COMMENTS.sub("", text)
    for found in re.finditer(rf"{_CONDITION.pattern}|(?P<mark>{mark.pattern})", bare, re.MULTILINE):
        if found["mark"]:
            if not any(conditions):
                return True
        elif found["word"] != "endif":
            guarded = _DEFINE.match(bare, found.end()) if found["word"] == "ifndef" else None
            conditions.append(guarded is None or guarded[1] != found["name"])
        elif conditions:
            conditions.pop()
    return False


def read(path: str, language: str = "") -> tuple[SourceFile | None, Problem | None]:
    """The file at `path`, or why it cannot be read; `language` given wins over extension and content."""
    place = Span(path, 1, 1, 1, 1)
    try:
        if Path(path).is_dir():
            return None, Problem("KL001", place, "cannot read: it is a directory")
        what = _endless(path)
        if what:
            return None, Problem("KL001", place, f"cannot read: it is {what}, no file; `kernlint - < {path}` reads it as standard input")
        if Path(path).stat().st_size > SIZE_LIMIT:
            return None, Problem("KL001", place, f"cannot read: it is larger than {SIZE_LIMIT >> 20} MiB")
        data = Path(path).read_bytes()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        return None, Problem("KL001", place, f"cannot read: {reason[:1].lower()}{reason[1:]}")
    text = decode(data)
    if text is None:
        return None, Problem("KL001", place, "cannot read: it is a binary file")
    return SourceFile(path, text, "cuda" if language == "hip" else language or language_of(path, text)), None


def _endless(path: str) -> str:
    """What a name stands for whose reading may wait for ever; what the shell or the caller has opened already (`<(…)`) is a file."""
    if os.path.abspath(path).startswith(_OPENED):
        return ""
    mode = os.stat(path).st_mode
    return next((words for test, words in _NO_FILE if test(mode)), "")


def decode(data: bytes) -> str | None:
    """Bytes → text with line ends as \\n; invalid UTF-8 becomes U+FFFD; None for binary data (zero bytes)."""
    for mark, encoding in ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")):
        if data.startswith(mark):
            text = data[len(mark) :].decode(encoding, errors="replace")
            break
    else:
        text = data.decode("utf-8", errors="replace")
    if "\0" in text:
        return None
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def language_of(path: str, text: str) -> str:
    """By extension where that says it; by content for headers and unknown extensions, where nothing speaks against it CUDA."""
    extension = PurePath(path).suffix.lower()
    if extension in KERNEL_SUFFIXES:
        return KERNEL_SUFFIXES[extension]
    if _PTX.search(text):
        return "ptx"
    return "opencl" if _OPENCL.search(text) and not _CUDA.search(text) else "cuda"
