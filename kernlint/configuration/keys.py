"""Every key of a configuration file: what it means, how its value is read, what a wrong one is
told.

    device = "h100"                      select = ["shared-memory"]         exclude = ["third_party/**"]
    include = ["include"]                ignore = ["KL301"]                 baseline = ".kernlint-baseline.json"
    [defines]  BLOCK = 256               [severities] KL201 = "error"       [thresholds.KL101] ratio = 4
    [kernels.transpose]  grid = [64, 64]  block = [32, 8]  args = { n = 2048 }
    [[overrides]]  files = ["legacy/**"]  ignore = ["all"]

Goes in: parsed TOML. Comes out: a `Layer` of values. Raises `Mistakes` with everything that is
wrong.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from kernlint.base.dataclass import dataclass, field
from kernlint.base.span import Span
from kernlint.base.usage import FORMATS, LANGUAGES, SEVERITIES, STATUSES, chosen, meant
from kernlint.checks import rule_addresses, rules
from kernlint.configuration.mistakes import Mistake, Mistakes, UnknownKey, each
from kernlint.model.settings import TIMEOUT, Argument, LaunchDirective
from kernlint.source.directives import argument, dim3, integer
from kernlint.source.preprocessor.macros import parse_define

Values = Mapping[str, Any]
OVERRIDES, FILES = "overrides", "files"


@dataclass(frozen=True, slots=True)
class ConfigurationKey:
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
    if (
        isinstance(value, str)
        or not isinstance(value, list)
        or not all(isinstance(item, str) for item in value)
    ):
        raise ValueError("expected a list of texts")
    return tuple(value)


def _one_of(words: Iterable[str]) -> Callable[[Any], str]:
    allowed = tuple(words)

    def read(value: Any) -> str:
        if value not in allowed:
            raise ValueError(f"expected one of {', '.join(allowed)}{chosen(str(value), allowed)}")
        return str(value)

    return read


def _rules(value: Any) -> tuple[str, ...]:
    words = _texts(value)
    each(enumerate(words), lambda _, word: rules.matching(word))
    return words


def _statuses(value: Any) -> tuple[str, ...]:
    read = _one_of(STATUSES)
    return tuple(each(enumerate(_texts(value)), lambda _, word: read(word)).values())


def _device(value: Any) -> str:
    name = _text(value)
    if not name.endswith(".toml"):
        from kernlint import hardware

        try:
            return hardware.device(name).name
        except ValueError as error:
            raise ValueError(f"{error}; see `kernlint devices`") from None
    return name


def _defines(value: Any) -> dict[str, str]:
    """A table, or a list of NAME=VALUE as -D takes them."""
    if isinstance(value, list):
        value = dict(map(parse_define, _texts(value)))
    if not isinstance(value, dict) or not all(
        isinstance(item, str | int | float) for item in value.values()
    ):
        raise ValueError("expected a table, or a list of NAME=VALUE")
    return each(value.items(), _define)


def _define(name: str, item: Any) -> str:
    if not name.partition("(")[0].isidentifier():
        raise UnknownKey(f"`{name}` is no name of a macro")
    return str(int(item) if isinstance(item, bool) else item)


def _severities(value: Any) -> dict[str, str]:
    """By rule, family or prefix: the level its findings get, or "off"."""
    if not isinstance(value, dict):
        raise ValueError("expected a table of rules and levels")
    level = _one_of((*SEVERITIES, "off"))
    read = each(value.items(), lambda word, item: (sorted(rules.matching(word)), level(item)))
    found: dict[str, str] = {}
    for codes, named in sorted(
        read.values(), key=lambda pair: len(pair[0]), reverse=True
    ):  # the narrowest word wins
        found |= dict.fromkeys(codes, named)
    return found


def _thresholds(value: Any) -> dict[str, dict[str, float]]:
    if not isinstance(value, dict):
        raise ValueError(f"expected {LIMITS}")
    return dict(each(value.items(), _limits).values())


def _limits(word: str, table: Any) -> tuple[str, dict[str, float]]:
    """The limits of one rule, behind its code."""
    rule = rules.find(word)
    if not isinstance(table, dict):
        raise ValueError(f"expected {LIMITS}")

    def limit(name: str, item: Any) -> float:
        if name not in rule.thresholds:
            raise UnknownKey(f"no threshold `{name}`{_meant(name, rule.thresholds)}")
        if isinstance(item, bool) or not isinstance(item, int | float):
            raise ValueError("expected a number")
        return float(item)

    return rule.code, each(table.items(), limit)


def _truth(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError("expected true or false")
    return value


def _seconds(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        raise ValueError("expected a number of seconds")
    seconds = float(value)
    if not 0 <= seconds < math.inf:
        raise ValueError("expected a number of seconds, 0 for no limit")
    return seconds


def _kernels(value: Any) -> tuple[LaunchDirective, ...]:
    """Launch facts by kernel name; the name may be a glob such as "reduce_*"."""
    if not isinstance(value, dict):
        raise ValueError(f"expected {LAUNCHES}")
    return tuple(each(value.items(), _kernel).values())


def _kernel(name: str, table: Any) -> LaunchDirective:
    if not isinstance(table, dict):
        raise ValueError(f"expected {LAUNCHES}")
    found = each(table.items(), _fact)
    grid, block, shared = found.get("grid"), found.get("block"), found.get("dynamic-shared")
    return LaunchDirective(
        Span("", 1, 1, 1, 1), name, None, grid, block, shared, found.get("args", {})
    )


def _fact(name: str, item: Any) -> Any:
    if name not in FACTS:
        raise UnknownKey(f"unknown key `{name}`{_meant(name, FACTS)}")
    return FACTS[name](item)


def _arguments(value: Any) -> dict[str, Argument]:
    if not isinstance(value, dict):
        raise ValueError("expected a table of names and numbers")
    return each(value.items(), lambda _, item: argument(str(item)))


def _size(value: Any) -> tuple[int, int, int]:
    return dim3(",".join(str(item) for item in value) if isinstance(value, list) else str(value))


LIMITS = "tables such as [thresholds.KL101] with ratio = 4"
LAUNCHES = "tables such as [kernels.transpose] with block = [32, 8]"
FACTS: Mapping[str, Callable[[Any], Any]] = {
    "grid": _size,
    "block": _size,
    "dynamic-shared": lambda value: integer(str(value)),
    "args": _arguments,
}

KEYS: Mapping[str, ConfigurationKey] = {
    "extend": ConfigurationKey(
        _text, "another configuration file; keys of this one override it", per_file=False
    ),
    "device": ConfigurationKey(_device, "device profile", per_file=False),
    "arch": ConfigurationKey(
        _text,
        "an architecture such as sm_80, to choose the profile by instead of `device`",
        per_file=False,
    ),
    "defines": ConfigurationKey(_defines, "macros, as with -D"),
    "include": ConfigurationKey(
        _texts, "folders to search for headers, as with -I, relative to this file"
    ),
    "compile-commands": ConfigurationKey(
        _text,
        "a compile_commands.json, or its folder, to read the -D and -I of each file from",
        per_file=False,
    ),
    "compile": ConfigurationKey(
        _truth,
        "compile CUDA files with nvcc and read what the machine executes from the machine code",
        per_file=False,
    ),
    "nvcc": ConfigurationKey(
        _text, "the nvcc that `compile` uses, instead of the one that is found", per_file=False
    ),
    "language": ConfigurationKey(
        _one_of(LANGUAGES),
        "the language of all files, instead of detecting it from name and contents",
    ),
    "timeout-per-file": ConfigurationKey(
        _seconds,
        "CPU seconds per file, 0 for no limit; KL003 reports what was not analysed",
        default=TIMEOUT,
    ),
    "line-table": ConfigurationKey(
        _one_of(("auto", "none")),
        "report PTX by the source lines that its line table names, or (none) by its own lines",
        default="auto",
    ),
    "kernels": ConfigurationKey(
        _kernels, "launch facts by kernel: grid, block, dynamic-shared, args"
    ),
    "select": ConfigurationKey(
        _rules, "report only these rules: codes, names, prefixes, families or all"
    ),
    "ignore": ConfigurationKey(_rules, "report all but these rules"),
    "severity": ConfigurationKey(
        _one_of(SEVERITIES), "the lowest severity to show", default="warning"
    ),
    "status": ConfigurationKey(
        _statuses, "show only findings with this status: exact, range or unknown"
    ),
    "severities": ConfigurationKey(_severities, "by rule, its level: info, warning, error or off"),
    "thresholds": ConfigurationKey(_thresholds, "by rule, the thresholds on its page"),
    "fail-on": ConfigurationKey(
        _one_of(SEVERITIES),
        "the lowest severity that makes the exit code 1",
        per_file=False,
        default="warning",
    ),
    "exclude": ConfigurationKey(
        _texts,
        "globs of files and folders to skip inside folders",
        per_file=False,
    ),
    "baseline": ConfigurationKey(_text, "the file of accepted findings", per_file=False),
    "rules-url": ConfigurationKey(
        rule_addresses.template,
        "address of the rule pages: https://…/{page}, {code} or {name}",
        per_file=False,
    ),
    "output-format": ConfigurationKey(
        _one_of(FORMATS), "the output format of `check`", per_file=False, default=FORMATS[0]
    ),
}


ELSEWHERE = {  # what other linters call otherwise, and what stands below a heading
    "rules": 'levels stand below `[severities]` (`KL101 = "error"`), limits below `[thresholds.KL101]`',
    "per-file-ignores": '`[[overrides]]` with `files = ["legacy/**"]` and `ignore = ["KL201"]`',
    "extend-select": "`select` names all rules to run",
    "extend-ignore": "`ignore` names all rules to leave out",
    **dict.fromkeys(
        FACTS,
        "facts of a launch stand below the name of their kernel, such as `[kernels.transpose]` with `block = [32, 8]`",
    ),
}


def layer(table: Mapping[str, Any], path: str, folder: str) -> Layer:
    """One file's table, checked; `Mistakes` with all that is wrong."""
    values = each(
        table.items(),
        lambda name, item: _overrides(item) if name == OVERRIDES else value(name, item),
    )
    overrides = values.pop(OVERRIDES, ())
    return Layer(path, folder, with_device(values), overrides)


def _overrides(tables: Any) -> tuple[tuple[tuple[str, ...], Values], ...]:
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise ValueError("expected tables [[overrides]] with files = [...]")
    return tuple(each(enumerate(tables), lambda _, table: _override(table)).values())


def _override(table: Mapping[str, Any]) -> tuple[tuple[str, ...], Values]:
    missing = [] if FILES in table else [Mistake((), "each needs files = [globs]")]
    try:
        values = each(
            table.items(),
            lambda name, item: _texts(item) if name == FILES else value(name, item, per_file=True),
        )
    except Mistakes as error:
        raise Mistakes([*missing, *error.found]) from None
    if missing:
        raise Mistakes(missing)
    files = values.pop(FILES)
    return files, with_device(values)


def with_device(values: Values) -> Values:
    """The values with the device that `arch` stands for; `Mistakes` where none has it, or the one
    named beside it has another."""
    if "arch" not in values:
        return values
    from kernlint.hardware import of_architecture

    try:
        return {**values, "device": of_architecture(values["arch"], values.get("device"))}
    except ValueError as error:
        raise Mistakes([Mistake(("arch",), str(error))]) from None


def value(name: str, item: Any, per_file: bool = False) -> Any:
    """One key's value; a ValueError for an unknown key or a value that makes no sense."""
    key = KEYS.get(name)
    if key is None and name in ELSEWHERE:
        raise UnknownKey(f"no key `{name}`: {ELSEWHERE[name]}")
    if key is None and isinstance(item, dict) and any(inner in KEYS for inner in item):
        raise UnknownKey(
            f"leave out the heading `{name}`: keys stand at the top level, under no heading but their own"
        )
    if key is None:
        known = [other for other, k in KEYS.items() if k.per_file or not per_file]
        raise UnknownKey(
            f"unknown key `{name}`{_meant(name, [*known, FILES if per_file else OVERRIDES])}"
        )
    if per_file and not key.per_file:
        raise UnknownKey(f"`{name}` is for the whole run, not for some of its files")
    return key.read(item)


def _meant(name: str, known: Iterable[str]) -> str:
    return meant(name.replace("_", "-"), known)
