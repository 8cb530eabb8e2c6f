"""compile_commands.json (CMake, Bear): the -D and -I that each file is compiled with. Nothing else
of a command is read.

Goes in: the file, or the folder it lies in. Comes out: macros and folders by absolute path. Raises
`UsageError` where it cannot be read.
"""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kernlint.base.dataclass import dataclass
from kernlint.base.usage import UsageError
from kernlint.source.preprocessor.macros import parse_define

NAME = "compile_commands.json"
BUILD = "build"  # where CMake is told to build, mostly
SPELLINGS = {
    "-D": "-D", "--define-macro": "-D", "-U": "-U", "--undefine-macro": "-U", "-I": "-I", "--include-path": "-I",
    "-isystem": "-I", "--system-include": "-I", "-iquote": "-I",
}  # fmt: skip
FILES = ("--options-file", "-optf")  # of nvcc, which CMake writes; compilers of C++ take `@file`
DEEPEST = 8  # files that name files


@dataclass(frozen=True, slots=True)
class Flags:
    defines: Mapping[str, str]
    include: tuple[str, ...]


def read(path: str) -> dict[str, Flags]:
    """By absolute path; the last command of a file that is compiled several times wins."""
    where = os.path.join(path, NAME) if os.path.isdir(path) else path
    try:
        with open(where, encoding="utf-8") as file:
            entries = json.load(file)
        if not isinstance(entries, list):
            raise ValueError("not a list of commands")
        return {_path(entry): flags(_words(entry), entry["directory"]) for entry in entries}
    except OSError as error:
        raise UsageError(f"cannot read {where}: {error.strerror or error}") from None
    except (ValueError, KeyError, TypeError) as error:
        raise UsageError(f"{where} is no compilation database: {error!r}") from None


def usual_places(folder: str) -> Iterator[str]:
    """Where build systems leave the database of the files in a folder, the nearest first."""
    while True:
        yield os.path.join(folder, NAME)
        yield os.path.join(folder, BUILD, NAME)
        above = os.path.dirname(folder)
        if above == folder:
            return
        folder = above


def _path(entry: Mapping[str, Any]) -> str:
    return os.path.normpath(os.path.join(str(entry["directory"]), str(entry["file"])))


def _words(entry: Mapping[str, Any]) -> list[str]:
    return list(entry["arguments"]) if "arguments" in entry else shlex.split(entry["command"])


def flags(words: Sequence[str], directory: str) -> Flags:
    """-D and -I of one command, in all their forms, those handed on with -Xcompiler and in files of
    options included; -U takes a macro back."""
    defines: dict[str, str] = {}
    include: list[str] = []
    for option, value in _options(words, directory):
        if option == "-D":
            defines.update((parse_define(value),))
        elif option == "-U":
            defines.pop(value, None)
        else:
            include.append(os.path.normpath(os.path.join(directory, value)))
    return Flags(defines, tuple(dict.fromkeys(include)))


def _options(words: Sequence[str], directory: str) -> Iterator[tuple[str, str]]:
    """(short option, value) of every macro and folder option."""
    pending = ""
    for word in _expanded(words, directory, DEEPEST):
        if pending:
            yield pending, word
            pending = ""
            continue
        for spelling, option in SPELLINGS.items():
            if word == spelling:
                pending = option
            elif word.startswith(f"{spelling}=") or (
                word.startswith(spelling) and len(spelling) == 2
            ):
                yield option, word[len(spelling) :].removeprefix("=")
            else:
                continue
            break


def _expanded(words: Sequence[str], directory: str, deep: int) -> Iterator[str]:
    """The words of a command, those handed on with -Xcompiler and those in the files of options
    that it names; a file that is not there, since nothing was built yet, has none."""
    rest = iter(words)
    for word in rest:
        name, given, value = word.partition("=")
        if name in FILES:
            yield from _file(value if given else next(rest, ""), directory, deep)
        elif word.startswith("@"):
            yield from _file(word[1:], directory, deep)
        else:
            yield from value.split(",") if name == "-Xcompiler" and given else (word,)


def _file(path: str, directory: str, deep: int) -> Iterator[str]:
    try:
        with open(os.path.join(directory, path), encoding="utf-8") as file:
            words = shlex.split(file.read()) if deep else []
    except OSError:
        return
    yield from _expanded(words, directory, deep - 1)
