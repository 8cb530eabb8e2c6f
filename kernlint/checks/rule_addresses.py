"""Where kernlint's home and the rules' pages stand in the web: where a team serves docs/rules, else
where the installed package says, else nowhere.

Goes in: rules, a template such as `https://docs.example/rules/{page}`. Comes out: addresses.
Nothing is fetched.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from urllib.parse import urlsplit

from kernlint.base.usage import meant
from kernlint.checks.rules import Rule

LABEL = "rules"  # of the project's URL (`[project.urls]`) that says where the pages stand
HOME = "homepage"  # of the one that says where the project does
PLACEHOLDERS: Mapping[str, Callable[[Rule], str]] = {
    "code": lambda rule: rule.code,
    "name": lambda rule: rule.name,
    "page": lambda rule: file_name(rule),
}
_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")


def file_name(rule: Rule) -> str:
    """KL101-shared-bank-conflict.md"""
    return f"{rule.code}-{rule.name}.md"


def template(text: object) -> str:
    """A template of addresses, checked; without a placeholder it is the folder of the pages.
    ValueError with what is wrong."""
    parts = urlsplit(text) if isinstance(text, str) else None
    is_web = parts is not None and parts.scheme and parts.netloc
    if not is_web and not (parts is not None and parts.scheme == "file"):
        raise ValueError("expected a web address such as https://docs.example/rules/{page}")
    assert isinstance(text, str)
    for name in _PLACEHOLDER.findall(text):
        if name not in PLACEHOLDERS:
            known = ", ".join(f"{{{one}}}" for one in PLACEHOLDERS)
            raise ValueError(
                f"no placeholder {{{name}}}{meant(name, PLACEHOLDERS)}; there are {known}"
            )
    return text if _PLACEHOLDER.search(text) else f"{text.rstrip('/')}/{{page}}"


def address(rule: Rule, served: str = "") -> str | None:
    """Of the rule's page. `served`: the template of the configuration; else the installed
    package's, None where that names no place."""
    declared = _declared(LABEL)
    found = served or (template(declared) if declared else "")
    return _PLACEHOLDER.sub(lambda match: PLACEHOLDERS[match[1]](rule), found) if found else None


def home() -> str | None:
    """The project's own, as the installed package says; None where it names none."""
    return _declared(HOME) or None


@cache
def _declared(label: str) -> str:
    from importlib.metadata import PackageNotFoundError, metadata

    try:
        found = metadata("kernlint").get_all("Project-URL") or []
    except PackageNotFoundError:
        return ""
    labelled = (text.partition(",") for text in found)
    return next((url.strip() for name, _, url in labelled if name.strip().lower() == label), "")
