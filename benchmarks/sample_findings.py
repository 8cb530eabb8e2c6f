"""A random sample of findings on real code, for a person to judge: `python
benchmarks/sample_findings.py NAME=FINDINGS.json … > sample.md`.

Each input is what `kernlint --severity info --output-format json` wrote for one folder. All rules
get a share of the sample as equal as their numbers of findings allow, and within a rule all
findings are equally likely; one rule cannot fill the table. The same inputs and seed give the same
sample.
"""

from __future__ import annotations

import argparse
import json
import os
import random
from collections import defaultdict
from pathlib import Path
from typing import Any


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("inputs", nargs="+", metavar="NAME=FINDINGS.json")
    parser.add_argument("--seed", type=int, default=20261122)
    parser.add_argument("--count", type=int, default=100)
    options = parser.parse_args()
    found = [finding for text in options.inputs for finding in read(*text.split("=", 1))]
    print("| # | place | rule | finding | verdict | why |\n|--:|---|---|---|---|---|")
    for number, finding in enumerate(draw(found, options.count, options.seed), 1):
        place = f"{finding['where']}:{finding['location']['row']}"
        print(f"| {number} | {place} | {finding['code']} | {short(finding['message'])} | | |")


def read(name: str, path: str) -> list[dict[str, Any]]:
    """The findings of one input, each with `where`: the package's name and the file's path below
    the folder that all files share."""
    findings: list[dict[str, Any]] = json.loads(Path(path).read_text(encoding="utf-8"))["findings"]
    root = os.path.commonpath([finding["filename"] for finding in findings]) if findings else ""
    return [
        {**finding, "where": f"{name}/{os.path.relpath(finding['filename'], root)}"}
        for finding in findings
    ]


def draw(found: list[dict[str, Any]], count: int, seed: int) -> list[dict[str, Any]]:
    """`count` findings, an equal share of each rule as far as it has so many; in order of rule and
    place."""
    generator = random.Random(seed)
    by_rule: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for finding in sorted(
        found,
        key=lambda f: (
            f["code"],
            f["where"],
            f["location"]["row"],
            f["location"]["column"],
            f["message"],
        ),
    ):
        by_rule[finding["code"]].append(finding)
    for some in by_rule.values():
        generator.shuffle(some)
    drawn: list[dict[str, Any]] = []
    while len(drawn) < count and any(by_rule.values()):
        for code in sorted(by_rule):
            if by_rule[code] and len(drawn) < count:
                drawn.append(by_rule[code].pop())
    return sorted(drawn, key=lambda f: (f["code"], f["where"], f["location"]["row"]))


def short(message: str, most: int = 100) -> str:
    text = message.replace("|", "\\|").replace("\n", " ")
    return text if len(text) <= most else f"{text[:most]}…"


if __name__ == "__main__":
    main()
