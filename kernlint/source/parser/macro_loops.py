"""A macro of a header that was not found where only a loop makes sense: `CUDA_1D_KERNEL_LOOP(i, n)
{ … }`.

Goes in: the place of the macro's name in a body. Comes out: terminals as if the source said

    for (; CUDA_1D_KERNEL_LOOP(n);) { int i = CUDA_1D_KERNEL_LOOP(n); … }

which says all that is known: the body executes some number of times, and names that only the macro
can have declared hold some number. A pragma before it names the macro, for the note that lowering
makes of it.
"""

from __future__ import annotations

import re

from kernlint.source.parser.classify_declarations import DeclarationClassifier
from kernlint.source.parser.names import VALUE, known_type

PRAGMA = "macro-loop"
_LOOP_NAME = re.compile(r"(?:^|_)(?:LOOP|FOR|FOREACH|EACH)(?:_|$)")


def is_macro_loop(classifier: DeclarationClassifier, i: int, after: int) -> bool:
    """Whether `NAME(…)` at i, which ends before `after`, heads what follows: a braced body, or any
    where its name says so."""
    return classifier.texts[after] == "{" or _LOOP_NAME.search(classifier.texts[i]) is not None


def macro_loop_head(classifier: DeclarationClassifier, i: int, after: int) -> None:
    """Emits what stands before the loop's body, of which `NAME(…)` is [i, after): the head, the
    brace of the body, declarations of the names that only the macro can have declared."""
    parts = list(classifier.split(i + 2, after - 1))
    counters = [start for start, stop in parts if stop == start + 1 and _is_new(classifier, start)]
    given = [
        (start, stop)
        for start, stop in parts
        if start not in counters and start < stop and not _is_type(classifier, start, stop)
    ]
    head = classifier.stream.tokens[i]
    classifier.emit_text("PRAGMA", f"{PRAGMA} {classifier.texts[i]}", head)
    for terminal, text in (("FOR", "for"), ("LPAR", "("), ("SEMI", ";")):
        classifier.emit_text(terminal, text, head)
    _call(classifier, i, after, given)
    for terminal, text in (("SEMI", ";"), ("RPAR", ")"), ("LBRACE", "{")):
        classifier.emit_text(terminal, text, classifier.stream.tokens[after - 1])
    for counter in counters:
        classifier.scope.declare(classifier.texts[counter], VALUE)
        classifier.emit_text("TYPE_WORD", "int", classifier.stream.tokens[counter])
        classifier.emit("DECLARED", counter)
        classifier.emit_text("INIT_ASSIGN", "=", classifier.stream.tokens[counter])
        _call(classifier, i, after, given)
        classifier.emit_text("SEMI", ";", classifier.stream.tokens[counter])


def _is_new(classifier: DeclarationClassifier, i: int) -> bool:
    """Whether nothing but the macro can have declared the name at i."""
    name = classifier.texts[i]
    return (
        classifier.is_name(i)
        and not name.isupper()
        and classifier.scope.find(name) is None
        and not known_type(name)
    )


def _is_type(classifier: DeclarationClassifier, start: int, stop: int) -> bool:
    return stop == start + 1 and known_type(classifier.texts[start])


def _call(
    classifier: DeclarationClassifier, i: int, after: int, arguments: list[tuple[int, int]]
) -> None:
    """The macro as a call of a function that nobody defined."""
    classifier.emit("IDENTIFIER", i)
    classifier.emit("CALL_LPAR", i + 1)
    for number, (start, stop) in enumerate(arguments):
        if number:
            classifier.emit("COMMA", start - 1)
        classifier.argument(start, stop)
    classifier.emit("RPAR", after - 1)
