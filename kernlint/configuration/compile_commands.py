"""compile_commands.json (CMake, Bear): the -D and -I that each file is compiled with. Nothing else of a command is read.

Goes in: the file, or the folder it lies in. Comes out: macros and folders by absolute path. Raises `UsageError` where it cannot be read.
"""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kernlint.records import dataclass
from kernlint.source.macros import parse_define
from kernlint.usage import UsageError

NAME = "compile_commands.json"
FOLDERS = ("-isystem", "-iquote", "-I", "--include-path", "-isystem=", "--include-path=")


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


def _path(entry: Mapping[str, Any]) -> str:
    return os.path.normpath(os.path.join(str(entry["directory"]), str(entry["file"])))


def _words(entry: Mapping[str, Any]) -> list[str]:
    return list(entry["arguments"]) if "arguments" in entry else shlex.split(entry["command"])


def flags(words: Sequence[str], directory: str) -> Flags:
    """-D and -I of one command, in both their forms, those handed on with -Xcompiler included; -U takes a macro back."""
    defines: dict[str, str] = {}
    include: list[str] = []
    for option, value in _options(words):
        if option == "-D":
            defines.update((parse_define(value),))
        elif option == "-U":
            defines.pop(value, None)
        else:
            include.append(os.path.normpath(os.path.join(directory, value)))
    return Flags(defines, tuple(dict.fromkeys(include)))


def _options(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """(option, value) of every -D, -U and folder option."""
    split = [part for word in words for part in (word.removeprefix("-Xcompiler=").split(",") if word.startswith("-Xcompiler=") else [word])]
    pending = ""
    for word in split:
        if pending:
            yield pending, word
            pending = ""
            continue
        for option in ("-D", "-U", *FOLDERS):
            if word == option:
                pending = option
            elif word.startswith(option) and (len(option) == 2 or option.endswith("=")):
                yield option, word[len(option) :].removeprefix("=")
            else:
                continue
            break
