"""The configuration of every file: the nearest configuration file, its overrides, the command line
over all.

Goes in: the command line's values, paths. Comes out: merged values, and from them `Settings` and
`Selection` for each path. Raises `UsageError` for a file that cannot be read or makes no sense.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Any

from kernlint.base.span import Span
from kernlint.base.usage import UsageError
from kernlint.configuration import compile_commands, keys
from kernlint.configuration.git_ignore import GitIgnore
from kernlint.configuration.keys import Layer, Values
from kernlint.configuration.mistakes import Mistakes, worded
from kernlint.model.settings import TIMEOUT, Compiler, LaunchOverrides, Selection, Settings

NAMES = ("kernlint.toml", ".kernlint.toml", "pyproject.toml")
TABLES = ("defines", "severities", "thresholds")  # merged key by key
LISTS = ("include", "kernels")  # nearer values first
# paths below the configuration file's own folder
FOLDERS = (
    "include",
    "baseline",
    "compile-commands",
)
DEEPEST = 16  # files that extend each other


class Project:
    """Configuration by path; each folder and file is looked up once."""

    def __init__(self, given: Values, file: str | None = None, isolated: bool = False) -> None:
        """`given`: the command line's values; `file`: a configuration file to use for all paths
        instead of the nearest."""
        self._given = given
        self._isolated = isolated
        self._fixed = None if file is None else _chain(file)
        self._found: dict[str, tuple[Layer, ...]] = {}
        self._commands: dict[str, Mapping[str, compile_commands.Flags]] = {}
        self._git = GitIgnore()

    def values(self, path: str) -> dict[str, Any]:
        """Every key that is set for a file or a folder."""
        absolute = os.path.abspath(path)
        layers = [*self._values_of(absolute), self._given]
        merged: dict[str, Any] = {}
        commands = next(
            (
                layer["compile-commands"]
                for layer in reversed(layers)
                if "compile-commands" in layer
            ),
            None,
        )
        flags = self._database(commands).get(absolute) if commands else self._usual_flags(absolute)
        if flags:
            merged = {"defines": dict(flags.defines), "include": flags.include}
        for layer in layers:
            _lay(merged, layer)
        return merged

    def selection(self, path: str) -> Selection:
        """Which findings of a file to show."""
        return replace(
            selection(self.values(path)),
            narrowed=not self._given.keys().isdisjoint(("select", "ignore")),
        )

    def files(self, path: str) -> tuple[str, ...]:
        """The configuration files that decide for a path, the farthest first."""
        return tuple(layer.path for layer in self._layers(os.path.abspath(path)))

    def excluded(self, path: str) -> bool:
        """Whether a file or folder met while walking is to be passed over."""
        absolute = os.path.abspath(path)
        stated = any(
            matches(absolute, layer.values.get("exclude", ()), layer.folder)
            for layer in self._layers(absolute)
        )
        return (
            stated
            or matches(absolute, self._given.get("exclude", ()), os.getcwd())
            or self._git.passes_over(absolute)
        )

    def _values_of(self, absolute: str) -> Iterable[Values]:
        for layer in self._layers(absolute):
            yield layer.values
            for globs, values in layer.overrides:
                if matches(absolute, globs, layer.folder):
                    yield values

    def _layers(self, absolute: str) -> tuple[Layer, ...]:
        if self._fixed is not None or self._isolated:
            return self._fixed or ()
        return self._nearest(absolute if os.path.isdir(absolute) else os.path.dirname(absolute))

    def _nearest(self, folder: str) -> tuple[Layer, ...]:
        if folder not in self._found:
            here = next(
                (found for name in NAMES if (found := _chain_if_any(os.path.join(folder, name)))),
                None,
            )
            above = os.path.dirname(folder)
            self._found[folder] = (
                here if here is not None else self._nearest(above) if above != folder else ()
            )
        return self._found[folder]

    def _usual_flags(self, absolute: str) -> compile_commands.Flags | None:
        """Of the nearest compile_commands.json that names the file, in a folder above it or in the
        build folder there."""
        if self._isolated:
            return None
        for place in compile_commands.usual_places(os.path.dirname(absolute)):
            flags = self._commands_at(place).get(absolute)
            if flags is not None:
                return flags
        return None

    def _commands_at(self, path: str) -> Mapping[str, compile_commands.Flags]:
        """A database that nobody named: one that cannot be read names no file."""
        try:
            return self._database(path) if path in self._commands or os.path.isfile(path) else {}
        except UsageError:
            self._commands[path] = {}
            return {}

    def _database(self, path: str) -> Mapping[str, compile_commands.Flags]:
        if path not in self._commands:
            self._commands[path] = compile_commands.read(path)
        return self._commands[path]


def settings(values: Values, launch: LaunchOverrides, kernel: str | None) -> Settings:
    """How to analyse one file."""
    return Settings(
        device=values.get("device", Settings().device),
        device_assumed="device" not in values,
        defines=values.get("defines", {}),
        include_dirs=tuple(values.get("include", ())),
        language=values.get("language"),
        launch=launch,
        kernel=kernel,
        stated=values.get("kernels", ()),
        timeout=values.get("timeout-per-file", TIMEOUT),
        line_table=values.get("line-table", "auto") != "none",
        compiler=_compiler(values),
    )


def _compiler(values: Values) -> Compiler | None:
    """The compiler whose machine code is read; UsageError where it is wanted and not found."""
    if not values.get("compile"):
        return None
    from kernlint.machine_code import toolkit
    from kernlint.machine_code.elf import MachineCodeError

    try:
        path = toolkit.nvcc(values.get("nvcc", ""))
        toolkit.nvdisasm(path)
        return Compiler(path, toolkit.version(path))
    except MachineCodeError as error:
        raise UsageError(f"--compile: {error}") from None


def selection(values: Values) -> Selection:
    """Which findings of one file to show, and at which level."""
    return Selection(
        values.get("select", ()),
        values.get("ignore", ()),
        values.get("severity"),
        values.get("status", ()),
        values.get("severities", {}),
        values.get("thresholds", {}),
    )


def matches(absolute: str, globs: Iterable[str], folder: str) -> bool:
    """Whether a path matches a glob below `folder`: `**` crosses folders, a glob without a slash
    means a name at any depth, and a folder stands for all that it holds."""
    relative = os.path.relpath(absolute, folder).replace(os.sep, "/")
    if relative == "." or relative.startswith("../"):
        return False
    return any(_matches(relative, glob.removeprefix("./").rstrip("/")) for glob in globs)


def _matches(relative: str, glob: str) -> bool:
    parts = relative.split("/")
    if "/" not in glob:
        return any(fnmatchcase(part, glob) for part in parts)
    return any(_parts_match(parts[:count], glob.split("/")) for count in range(1, len(parts) + 1))


def _parts_match(parts: list[str], globs: list[str]) -> bool:
    if not globs:
        return not parts
    if globs[0] == "**":
        return any(_parts_match(parts[skip:], globs[1:]) for skip in range(len(parts) + 1))
    return bool(parts) and fnmatchcase(parts[0], globs[0]) and _parts_match(parts[1:], globs[1:])


def _lay(merged: dict[str, Any], values: Values) -> None:
    """Lay nearer values over farther ones; a nearer device is not of the farther architecture."""
    if "device" in values:
        merged.pop("arch", None)
    for name, value in values.items():
        if name == "thresholds":
            old = merged.get(name, {})
            merged[name] = old | {
                code: old.get(code, {}) | limits for code, limits in value.items()
            }
        elif name in TABLES:
            merged[name] = {**merged.get(name, {}), **value}
        elif name in LISTS:
            merged[name] = (*value, *(item for item in merged.get(name, ()) if item not in value))
        else:
            merged[name] = value


def _chain_if_any(path: str) -> tuple[Layer, ...] | None:
    if not os.path.isfile(path):
        return None
    if os.path.basename(path) == "pyproject.toml" and "kernlint" not in _toml(path).get("tool", {}):
        return None
    return _chain(path)


def _chain(path: str, seen: tuple[str, ...] = ()) -> tuple[Layer, ...]:
    """The file and those it extends, the farthest first."""
    absolute = os.path.abspath(path)
    if absolute in seen or len(seen) >= DEEPEST:
        raise UsageError(
            f"{path}: extend goes in a circle: {' → '.join(os.path.basename(p) for p in (*seen, absolute))}"
        )
    folder = os.path.dirname(absolute)
    table = _toml(path)
    if os.path.basename(path) == "pyproject.toml":
        table = table.get("tool", {}).get("kernlint", {})
    else:
        _refuse_heading(path, table)
    try:
        layer = _placed(keys.layer(table, path, folder))
    except Mistakes as error:
        within = ("tool", "kernlint") if os.path.basename(path) == "pyproject.toml" else ()
        raise UsageError(worded(error, _below(os.curdir, path), _text(path), within)) from None
    base = layer.values.get("extend")
    if base and not os.path.isfile(os.path.join(folder, base)):
        raise UsageError(f"{_below(os.curdir, path)}: extend: no such file: {base}")
    above = _chain(os.path.join(folder, base), (*seen, absolute)) if base else ()
    return (*above, layer)


def _refuse_heading(path: str, table: dict[str, Any]) -> None:
    """UsageError where a file of kernlint's own has its keys below the heading that they have in
    pyproject.toml."""
    tool = table.get("tool")
    heading = "kernlint" if isinstance(table.get("kernlint"), dict) else ""
    if isinstance(tool, dict) and "kernlint" in tool:
        heading = "tool.kernlint"
    if heading:
        why = "in this file keys stand by themselves, below it in pyproject.toml"
        raise UsageError(
            f"{path}: leave out the heading `[{heading}]`: {why}; `[{heading}.kernels.k]` is `[kernels.k]` here"
        )


def _placed(layer: Layer) -> Layer:
    """The layer with its paths below its own folder, and its launch facts pointing at the file."""

    def placed(values: Values) -> Values:
        result = dict(values)
        for name in FOLDERS:
            if name in result:
                given = result[name]
                result[name] = (
                    _below(layer.folder, given)
                    if isinstance(given, str)
                    else tuple(_below(layer.folder, g) for g in given)
                )
        if "kernels" in result:
            here = Span(layer.path, 1, 1, 1, 1)
            result["kernels"] = tuple(
                replace(directive, span=here) for directive in result["kernels"]
            )
        return result

    return replace(
        layer,
        values=placed(layer.values),
        overrides=tuple((globs, placed(values)) for globs, values in layer.overrides),
    )


def _below(folder: str, path: str) -> str:
    joined = os.path.normpath(os.path.join(folder, os.path.expanduser(path)))
    relative = os.path.relpath(joined)
    return joined if relative.startswith(os.pardir) else relative


def _toml(path: str) -> dict[str, Any]:
    try:
        return _parsed(_text(path))
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{path}: not valid TOML: {error}") from None


@lru_cache(maxsize=16)
def _parsed(text: str) -> dict[str, Any]:
    """Kept, since the language server asks before each analysis."""
    return tomllib.loads(text)


def _text(path: str) -> str:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except OSError as error:
        raise UsageError(
            f"cannot read the configuration {path}: {error.strerror or error}"
        ) from None
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: not valid TOML: {error}") from None
