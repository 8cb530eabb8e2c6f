"""One line of a CSV page as its cells. Goes in: a line. Comes out: texts. Never raises."""

from __future__ import annotations

import csv


def cells_of(line: str) -> list[str]:
    """Commas, semicolons and tabs separate (spreadsheets write the latter two); an empty line is
    one empty cell."""
    text = line.strip("\ufeff\r\n")
    if (
        len(text) > 1 and text[0] == text[-1] == '"' and '""' not in text[1:-1].replace('",""', "")
    ):  # as the profiler writes every row
        return text[1:-1].split('","') if '";"' not in text else text[1:-1].split('";"')
    separator = next(
        (mark for mark in ",;\t" if f'"{mark}"' in text or text.startswith(f"ID{mark}")), ","
    )
    try:
        return next(csv.reader([text], delimiter=separator), None) or [""]
    except csv.Error:  # a cell of more than 128 KiB: no page has one
        return [text]
