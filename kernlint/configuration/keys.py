"""Every key of a configuration file: what it means, how its value is read, what a wrong one is told.

    device = "h100"                      select = ["shared-memory"]         exclude = ["third_party/**"]
    include = ["include"]                ignore = ["KL301"]                 baseline = ".kernlint-baseline.json"
    [defines]  BLOCK = 256               [severities] KL201 = "error"       [thresholds.KL101] ratio = 4
    [kernels.transpose]  grid = [64, 64]  block = [32, 8]  args = { n = 2048 }
    [[overrides]]  files = ["legacy/**"]  ignore = ["all"]

Goes in: parsed TOML. Comes out: a `Layer` of values. Raises `UsageError` that names the file and the key.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from kernlint.checks import rules
from kernlint.records import dataclass, field
from kernlint.settings import TIMEOUT
from kernlint.source.directives import LaunchDirective, dim3, integer, number
from kernlint.source.macros import parse_define
from kernlint.source.span import Span
from kernlint.usage import FORMATS, LANGUAGES, SEVERITIES, STATUSES, UsageError

Values = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Key:
    """One key: its reader, one line of help, and whether an override of some files may set it."""

    read: Callable[[Any], Any]
    help: str
    per_file: bool = True
    default: Any = None  # what holds where nothing is set; None: nothing does, or what `help` says


@dataclass(frozen=True, slots=True)
class Layer:
    """The values of one file, and its overrides: globs below `folder` with values of their own."""

    path: str
    folder: str
    values: Values = field(default_factory=dict)
    overrides: tuple[tuple[tuple[str, ...], Values], ...] = ()


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise ValueError("expected a text")
    return value


def _texts(value: Any) -> tuple[str, ...]:
    if isinstance(value, str) or not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ValueError("expected a list of texts")
    return tuple(value)


def _one_of(words: Iterable[str]) -> Callable[[Any], str]:
    allowed = tuple(words)

    def read(value: Any) -> str:
        if value not in allowed:
            raise ValueError(f"expected one of {', '.join(allowed)}")
        return str(value)

    return read


def _rules(value: Any) -> tuple[str, ...]:
    words = _texts(value)
    for word in words:
        rules.matching(word)
    return words


def _statuses(value: Any) -> tuple[str, ...]:
    return tuple(_one_of(STATUSES)(word) for word in _texts(value))


def _defines(value: Any) -> dict[str, str]:
    """A table, or a list of NAME=VALUE as -D takes them."""
    if isinstance(value, list):
        value = dict(map(parse_define, _texts(value)))
    if not isinstance(value, dict) or not all(isinstance(item, str | int | float) for item in value.values()):
        raise ValueError("expected a table, or a list of NAME=VALUE")
    wrong = [name for name in value if not name.partition("(")[0].isidentifier()]
    if wrong:
        raise ValueError(f"`{wrong[0]}` is no name of a macro")
    return {name: str(int(item) if isinstance(item, bool) else item) for name, item in value.items()}


def _severities(value: Any) -> dict[str, str]:
    """By rule, family or prefix: the level its findings get, or "off"."""
    if not isinstance(value, dict):
        raise ValueError("expected a table of rules and levels")
    level = _one_of((*SEVERITIES, "off"))
    found: dict[str, str] = {}
    for word, item in sorted(value.items(), key=lambda pair: len(rules.matching(pair[0])), reverse=True):  # the narrowest word wins
        found |= dict.fromkeys(sorted(rules.matching(word)), level(item))
    return found


def _thresholds(value: Any) -> dict[str, dict[str, float]]:
    if not isinstance(value, dict) or not all(isinstance(item, dict) for item in value.values()):
        raise ValueError("expected tables such as [thresholds.KL101] with ratio = 4")
    found: dict[str, dict[str, float]] = {}
    for word, table in value.items():
        rule = rules.find(word)
        for name, limit in table.items():
            if name not in rule.thresholds:
                raise ValueError(f"{rule.code} has no threshold `{name}`{_meant(name, rule.thresholds)}")
            if isinstance(limit, bool) or not isinstance(limit, int | float):
                raise ValueError(f"{rule.code}.{name}: expected a number")
        found[rule.code] = {name: float(limit) for name, limit in table.items()}
    return found


def _seconds(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        raise ValueError("expected a number of seconds")
    seconds = float(value)
    if not 0 <= seconds < math.inf:
        raise ValueError("expected a number of seconds, 0 for no limit")
    return seconds


FACTS = ("grid", "block", "dynamic-shared", "args")


def _kernels(value: Any) -> tuple[LaunchDirective, ...]:
    """Launch facts by kernel name; the name may be a glob such as "reduce_*"."""
    if not isinstance(value, dict) or not all(isinstance(item, dict) for item in value.values()):
        raise ValueError("expected tables such as [kernels.transpose] with block = [32, 8]")
    found = []
    for name, table in value.items():
        for key in table:
            if key not in FACTS:
                raise ValueError(f"{name}: unknown key `{key}`{_meant(key, FACTS)}")
        shared = table.get("dynamic-shared")
        arguments = table.get("args", {})
        if not isinstance(arguments, dict):
            raise ValueError(f"{name}.args: expected a table of names and numbers")
        found.append(
            LaunchDirective(
                Span("", 1, 1, 1, 1),
                name,
                None,
                _size(table.get("grid")),
                _size(table.get("block")),
                None if shared is None else integer(str(shared)),
                {argument: number(str(item)) for argument, item in arguments.items()},
            )
        )
    return tuple(found)


def _size(value: Any) -> tuple[int, int, int] | None:
    return None if value is None else dim3(",".join(str(item) for item in value) if isinstance(value, list) else str(value))


KEYS: Mapping[str, Key] = {
    "extend": Key(_text, "another configuration file, which this one is laid over", per_file=False),
    "device": Key(_text, "device profile", per_file=False),
    "arch": Key(_text, "an architecture such as sm_80, instead of `device`: the profile that has it", per_file=False),
    "defines": Key(_defines, "macros, as -D gives them"),
    "include": Key(_texts, "folders for headers, as -I gives them, below this file's folder"),
    "compile-commands": Key(_text, "a compile_commands.json, or its folder: -D and -I of each file are taken from it", per_file=False),
    "language": Key(_one_of(LANGUAGES), "instead of judging by name and contents"),
    "timeout-per-file": Key(
        _seconds,
        "processor seconds that a file may take, 0 for any; what is left undone is told (KL003)",
        default=TIMEOUT,
    ),
    "line-table": Key(
        _one_of(("auto", "none")),
        "places in PTX: of the source that its line table names, or of the PTX itself",
        default="auto",
    ),
    "kernels": Key(_kernels, "launch facts by kernel: grid, block, dynamic-shared, args"),
    "select": Key(_rules, "only these rules: codes, names, prefixes, families, all"),
    "ignore": Key(_rules, "all but these rules"),
    "severity": Key(_one_of(SEVERITIES), "the lowest severity to show", default="warning"),
    "status": Key(_statuses, "only findings whose numbers are exact, range or unknown"),
    "severities": Key(_severities, "the level of each rule's findings: info, warning, error or off"),
    "thresholds": Key(_thresholds, "by rule, the limits that its page names"),
    "fail-on": Key(_one_of(SEVERITIES), "the lowest severity that makes the exit code 1", per_file=False, default="warning"),
    "exclude": Key(_texts, "globs of files and folders that are passed over when folders are walked", per_file=False),
    "baseline": Key(_text, "the file of known findings", per_file=False),
    "output-format": Key(_text, "the output format of `check`", per_file=False, default=FORMATS[0]),
}


def layer(table: Mapping[str, Any], path: str, folder: str) -> Layer:
    """One file's table, checked."""
    given = dict(table)
    raw = given.pop("overrides", [])
    if not isinstance(raw, list) or not all(isinstance(item, dict) for item in raw):
        raise UsageError(f"{path}: overrides: expected tables [[overrides]] with files = [...]")
    overrides = []
    for item in raw:
        rest = dict(item)
        try:
            files = _texts(rest.pop("files", None))
        except ValueError:
            raise UsageError(f"{path}: overrides: each needs files = [globs]") from None
        overrides.append((files, _values(rest, f"{path}: overrides", per_file=True)))
    return Layer(path, folder, _values(given, path, per_file=False), tuple(overrides))


def _values(table: Mapping[str, Any], where: str, per_file: bool) -> Values:
    values = {name: value(name, item, where, per_file) for name, item in table.items()}
    return with_device(values, where)


def with_device(values: Values, where: str) -> Values:
    """The values with the device that `arch` stands for; UsageError where none has it, or the one named beside it has another."""
    if "arch" not in values:
        return values
    from kernlint.hardware import of_architecture

    try:
        return {**values, "device": of_architecture(values["arch"], values.get("device"))}
    except ValueError as error:
        raise UsageError(f"{where}: arch: {error}") from None


def value(name: str, item: Any, where: str, per_file: bool = False) -> Any:
    """One key's value; UsageError for an unknown key or a value that makes no sense."""
    key = KEYS.get(name)
    if key is None:
        known = [other for other, k in KEYS.items() if k.per_file or not per_file]
        raise UsageError(f"{where}: unknown key `{name}`{_meant(name, [*known, 'overrides'])}; `kernlint config` lists them")
    if per_file and not key.per_file:
        raise UsageError(f"{where}: `{name}` is for the whole run, not for some of its files")
    try:
        return key.read(item)
    except (ValueError, UsageError) as error:
        raise UsageError(f"{where}: {name}: {error}") from None


def _meant(name: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(name.replace("_", "-"), list(known), n=1, cutoff=0.5)
    return f", did you mean `{close[0]}`?" if close else ""
