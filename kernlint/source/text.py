"""Reading files: bytes → text and language. A file that cannot be read is a Problem, never an
exception."""

from __future__ import annotations

import codecs
import hashlib
import os
import re
import stat
from pathlib import Path, PurePath

from kernlint.base.dataclass import dataclass
from kernlint.base.span import Problem, Span
from kernlint.machine_code.containers import is_machine_code

SIZE_LIMIT = 64 << 20  # bytes; no kernel source comes near

KERNEL_SUFFIXES: dict[str, str] = {  # of files that hold device code for sure, and its language
    **dict.fromkeys((".cu", ".cuh", ".hip"), "cuda"),
    **dict.fromkeys((".cl", ".clh", ".ocl", ".opencl", ".clc"), "opencl"),
    ".ptx": "ptx",
}
MACHINE_CODE = "sass"  # the language of cubins and of files that hold some
PYTHON_SUFFIXES = (".py", ".pyw")
# of files whose strings may hold kernels
HOST_SUFFIXES = (
    *PYTHON_SUFFIXES,
    ".cpp",
    ".cc",
    ".cxx",
    ".c",
    ".hpp",
    ".hxx",
    ".hh",
    ".h",
)
_OPENCL = re.compile(r"\b(?:__kernel|kernel\s+void|get_global_id|get_local_id)\b")
_CUDA = re.compile(r"\b(?:__global__|__device__|__shared__|threadIdx|blockIdx)\b|<<<")
_PTX = re.compile(r"^\s*\.version\s+\d+\.\d+\s*$.*?^\s*\.target\s", re.M | re.S)
_OPENED = ("/dev/fd/", "/dev/stdin", "/proc/", os.devnull)
_NO_FILE = (
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One file's text, line ends as \\n, and its language: "cuda", "opencl", "ptx" or "sass"."""

    path: str
    text: str
    language: str


def read(path: str, language: str = "") -> tuple[SourceFile | None, Problem | None]:
    """The file at `path`, or why it cannot be read; `language` given wins over extension and
    content."""
    place = Span(path, 1, 1, 1, 1)
    try:
        if Path(path).is_dir():
            return None, Problem("KL001", place, "cannot read: it is a directory")
        what = _endless(path)
        if what:
            return None, Problem(
                "KL001",
                place,
                f"cannot read: it is {what}, no file; `kernlint - < {path}` reads it as standard input",
            )
        if Path(path).stat().st_size > SIZE_LIMIT:
            return None, Problem(
                "KL001", place, f"cannot read: it is larger than {SIZE_LIMIT >> 20} MiB"
            )
        data = Path(path).read_bytes()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        return None, Problem("KL001", place, f"cannot read: {reason[:1].lower()}{reason[1:]}")
    if is_machine_code(data[:8]):
        return SourceFile(path, machine_code_text(data), MACHINE_CODE), None
    text = decode(data)
    if text is None:
        return None, Problem("KL001", place, "cannot read: it is a binary file")
    return SourceFile(
        path, text, "cuda" if language == "hip" else language or language_of(path, text)
    ), None


def _endless(path: str) -> str:
    """What a name stands for whose reading may wait for ever; what the shell or the caller has
    opened already (`<(…)`) is a file."""
    if os.path.abspath(path).startswith(_OPENED):
        return ""
    mode = os.stat(path).st_mode
    return next((words for test, words in _NO_FILE if test(mode)), "")


def machine_code_text(data: bytes) -> str:
    """What stands for a file of machine code where a text is wanted: which file it is."""
    return f"{len(data)} bytes of machine code, SHA-256 {hashlib.sha256(data).hexdigest()}"


def decode(data: bytes) -> str | None:
    """Bytes → text with line ends as \\n; invalid UTF-8 becomes U+FFFD; None for binary data (zero
    bytes)."""
    for mark, encoding in (
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
    ):
        if data.startswith(mark):
            text = data[len(mark) :].decode(encoding, errors="replace")
            break
    else:
        text = data.decode("utf-8", errors="replace")
    if "\0" in text:
        return None
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def language_of(path: str, text: str) -> str:
    """By extension where that says it; by content for headers and unknown extensions, where nothing
    speaks against it CUDA."""
    extension = PurePath(path).suffix.lower()
    if extension in KERNEL_SUFFIXES:
        return KERNEL_SUFFIXES[extension]
    if _PTX.search(text):
        return "ptx"
    return "opencl" if _OPENCL.search(text) and not _CUDA.search(text) else "cuda"
