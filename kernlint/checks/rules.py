"""The table of rules, read from the rule pages: code, name, severity, thresholds.

A page is Markdown with TOML front matter between lines of `+++`. Goes in: the files of `rules/`.
Comes out: frozen rules, and which of them a user's words mean. Never runs a check.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from kernlint.base.data_folders import data_folder
from kernlint.base.dataclass import dataclass
from kernlint.base.tables import parsed
from kernlint.base.usage import SEVERITIES, UsageError, nearest

_CODE_LIKE = re.compile(r"KL\d\w*$", re.IGNORECASE)

FAMILIES: dict[str, tuple[str, ...]] = {
    "0": ("meta",),
    "1": ("shared-memory",),
    "2": ("global-memory",),
    "3": ("divergence",),
    "4": ("synchronisation", "synchronization"),
    "5": ("other-memory",),
    "6": ("launch",),
    "7": ("arithmetic",),
    "8": ("faults",),
    "9": ("metrics",),
}
SHORTEST, NEAR = 3, 4  # letters of a word that is looked for in the pages; rules named for it


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule page. `default`: whether it runs without being selected. `thresholds`: the numbers
    its check compares with."""

    code: str
    name: str
    severity: str
    default: bool
    summary: str
    thresholds: Mapping[str, float]
    references: tuple[str, ...]
    aliases: tuple[str, ...]
    page: str  # the Markdown after the front matter

    @property
    def family(self) -> str:
        return FAMILIES[self.code[2]][0]

    def threshold(self, name: str) -> float:
        return float(self.thresholds[name])


@cache
def rules() -> Mapping[str, Rule]:
    """Every rule by code, in order."""
    folder = data_folder("rules")
    pages = sorted(
        name for name in os.listdir(folder) if name.startswith("KL") and name.endswith(".md")
    )
    parts = [_parts(_text(os.path.join(folder, name)), name) for name in pages]
    tables = parsed("rules", [front for front, _ in parts])
    found = [
        _rule(table, page, name)
        for table, (_, page), name in zip(tables, parts, pages, strict=True)
    ]
    return {rule.code: rule for rule in found}


def parse(text: str, origin: str) -> Rule:
    """One page's rule; ValueError naming `origin` where the front matter is wrong."""
    front, page = _parts(text, origin)
    return _rule(parsed("rules", [front])[0], page, origin)


def _parts(text: str, origin: str) -> tuple[str, str]:
    """Front matter and page."""
    _, fence, rest = text.partition("+++\n")
    front, closing, page = rest.partition("\n+++\n")
    if not fence or not closing:
        raise ValueError(f"{origin}: no front matter between lines of +++")
    return front, page


def _rule(table: Mapping[str, Any], page: str, origin: str) -> Rule:
    if table["severity"] not in SEVERITIES or table["code"][2] not in FAMILIES:
        raise ValueError(
            f"{origin}: severity {table['severity']!r} or code {table['code']!r} is not valid"
        )
    return Rule(
        table["code"],
        table["name"],
        table["severity"],
        table["default"],
        table["summary"],
        table.get("thresholds", {}),
        tuple(table.get("references", ())),
        tuple(table.get("aliases", ())),
        page.strip("\n") + "\n",
    )


def _text(path: str) -> str:
    with open(path, encoding="utf-8") as file:
        return file.read()


def find(word: str) -> Rule:
    """The rule of a code, name or alias; UsageError with the nearest one when there is none."""
    for rule in rules().values():
        if _is(rule, word):
            return rule
    raise UsageError(
        f"unknown rule '{word}'{_meant(word, _words(exact=True))}; `kernlint rules` lists them"
    )


def matching(word: str) -> frozenset[str]:
    """The codes that a selector means: a code, name, alias, code prefix (KL1), family word, or
    `all`. UsageError for others."""
    if word.lower() == "all":
        return frozenset(rules())
    found = frozenset(
        rule.code for rule in rules().values() if _is(rule, word) or _covers(rule, word)
    )
    if not found and not any(word.lower() in words for words in FAMILIES.values()):
        raise UsageError(
            f"unknown rule '{word}'{_meant(word, _words(exact=False))}; `kernlint rules` lists them"
        )
    return found


def named(words: Iterable[str]) -> frozenset[str]:
    """The codes that are selected by their own code or name, not as part of a group."""
    return frozenset(rule.code for rule in rules().values() for word in words if _is(rule, word))


def _is(rule: Rule, word: str) -> bool:
    return word.upper() == rule.code or word.lower() == rule.name or word.lower() in rule.aliases


def _covers(rule: Rule, word: str) -> bool:
    prefix = word.upper()
    return (prefix.startswith("KL") and rule.code.startswith(prefix)) or word.lower() in FAMILIES[
        rule.code[2]
    ]


def _about(word: str) -> list[Rule]:
    """The rules whose code begins so; whose name, family or code holds a word; else those whose page speaks of it most
    often."""
    sought = re.sub(r"(ing|ions?|ed|es|s)$", "", word.lower())
    if len(sought) < SHORTEST:
        return []
    if begun := [rule for rule in rules().values() if rule.code.lower().startswith(sought)]:
        return begun[:NEAR]
    named = [
        rule
        for rule in rules().values()
        if sought in f"{rule.code} {rule.name} {rule.family} {' '.join(rule.aliases)}".lower()
    ]
    often = {
        rule.code: len(
            re.findall(rf"\b{re.escape(sought)}", f"{rule.summary}\n{rule.page}".lower())
        )
        for rule in rules().values()
    }
    found = named or [rule for rule in rules().values() if often[rule.code]]
    return sorted(found, key=lambda rule: -often[rule.code])[:NEAR]


def _words(exact: bool) -> list[str]:
    words = [word for rule in rules().values() for word in (rule.code, rule.name, *rule.aliases)]
    return (
        words if exact else [*words, *(word for some in FAMILIES.values() for word in some), "all"]
    )


def _meant(word: str, known: list[str]) -> str:
    """The nearest word; where words or pages speak of it, the rules that do."""
    about = _about(word)
    if about:
        return f"; related: {', '.join(f'{rule.code} ({rule.name})' for rule in about)}"
    close = _neighbour(word.upper()) if _CODE_LIKE.match(word) else nearest(word, known)
    return f", did you mean '{close}'?" if close else ""


def _neighbour(code: str) -> str:
    """The rule whose code is this one with two neighbouring digits swapped, or else with one of
    them another or too many."""
    swapped = [code[:i] + code[i + 1] + code[i] + code[i + 2 :] for i in range(2, len(code) - 1)]
    shorter = [code[:i] + code[i + 1 :] for i in range(2, len(code))]
    near = [*swapped, *(known for known in rules() if _one_differs(code, known)), *shorter]
    return next((known for known in near if known in rules()), "")


def _one_differs(code: str, known: str) -> bool:
    return len(code) == len(known) and sum(a != b for a, b in zip(code, known, strict=True)) == 1
