"""The pages of docs/rules/, made from rules/: `python -m tests.docs.rule_docs` writes them anew,
tests/docs/test_docs.py compares."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from kernlint.checks.rule_addresses import file_name
from kernlint.checks.rules import FAMILIES, Rule, rules
from kernlint.render import rule_pages
from tests.places import DOCS

FOLDER = DOCS / "rules"
HEAD = """\
# The rules

Made from `rules/` by `python -m tests.docs.rule_docs`. `kernlint explain CODE` prints a page, `kernlint rules` this list. `--select` and
`--ignore` take codes, names, prefixes (`KL1`) and families.
"""


def pages() -> dict[str, str]:
    """Every file of the folder by name."""
    known = list(rules().values())
    return {"README.md": "".join(_index(known))} | {
        file_name(rule): rule_pages.markdown(rule) for rule in known
    }


def _index(known: list[Rule]) -> Iterator[str]:
    yield HEAD
    for digit, some in groupby(known, key=lambda rule: rule.code[2]):
        yield f"\n## {FAMILIES[digit][0]} (KL{digit})\n\n| code | name | severity | finds |\n|---|---|---|---|\n"
        for rule in some:
            severity = rule.severity + ("" if rule.default else ", when selected")
            yield f"| [{rule.code}]({file_name(rule)}) | `{rule.name}` | {severity} | {rule.summary.replace('|', '&#124;')} |\n"


def write() -> None:
    FOLDER.mkdir(exist_ok=True)
    for path in FOLDER.iterdir():
        path.unlink()
    for name, text in pages().items():
        (FOLDER / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write()
