"""Why a number is not exact, and why something was not analysed: the two closed lists. Keys are
stable (they appear in reports); texts are for people. Every KL003 that the pipeline tells is made
here, by `gave_up` and `refused`.
"""

from __future__ import annotations

import re

from kernlint.base.dataclass import dataclass
from kernlint.base.deadline import SPENT
from kernlint.base.span import Problem, SourceError, Span

CODE = "KL003"
REASONS: dict[str, str] = {
    "loaded-value": "depends on a value loaded from memory",
    "unknown-argument": "depends on an argument whose value is not known",
    "unknown-launch": "the launch configuration is not known",
    "unknown-cluster": "the size of the kernel's cluster is not known",
    "remote-shared": "goes to the shared memory of another block of the cluster, which is not counted",
    "unknown-type": "depends on a type that is not defined in the files seen",
    "unknown-function": "depends on a function that is not defined in the files seen",
    "unknown-pointer": "the pointer's target is not known",
    "unknown-alignment": "the alignment of the base address is not known",
    "uninitialised": "depends on a variable that is not initialised",
    "float-value": "depends on floating-point arithmetic that is not computed",
    "clock": "depends on a clock, a special register or a random value",
    "data-dependent-flow": "whether it executes depends on values loaded from memory",
    "unknown-trip-count": "the number of loop iterations is not known",
    "atomic-result": "depends on the result of an atomic operation, whose order is not defined",
    "lane-exchange": "depends on a lane exchange that is not computed",
    "budget": "the analysis stopped at its work budget",
    "unsupported": "uses a construct that kernlint does not analyse",
    "opaque-memory": "goes through an image, a texture or a union",
    "contention-data": "the cost depends on which values meet in one bank, which the data decides",
    "hardware-model": "the device's rule for this operation is assumed, not measured",
    "compiler": "the compiler may merge, forward, hoist or remove this access, or charge it to another line",
    "inlined-asm": "the compiler may charge or duplicate this instruction elsewhere",
}

REMEDIES: dict[str, str] = {  # of those reasons that a user can mend
    "unknown-argument": "give the argument's value: `--arg NAME=VALUE` or `// kernlint: launch(…, NAME=VALUE)`",
    "unknown-launch": "say how the kernel is launched: `--grid … --block …` or `// kernlint: launch(grid=…, block=…)`",
    "unknown-cluster": "say it where the kernel is defined: `__cluster_dims__(X, Y, Z)`",
    "unknown-type": "let kernlint see the definition: `-I DIR` for its header",
    "unknown-function": "let kernlint see the definition: `-I DIR` for its header",
}


UNCOUNTED = {  # why it is not counted what a call accesses, in short, where notes are hidden
    "definition": "not defined in the files seen",
    "matrix": "CUDA leaves open which lane takes what",
    "pointer-call": "which function it is, is not known",
    "virtual-call": "which function it is, is not known",
}


@dataclass(frozen=True, slots=True)
class GaveUp:
    """One reason why something was not analysed. `text`: a sentence with its words in braces;
    `note`: nothing is lost by it."""

    text: str
    remedy: str = ""
    note: bool = False


SEEN = "give the folder of the header that defines it (`-I DIR`)"
MACRO = "give the folder of the header that defines it (`-I DIR`), or define it (`-D NAME=…`)"
REPORT = "this is kernlint's mistake: please report it with the kernel"
SMALLER = "look at fewer of them (`--kernel NAME`), or state the launch that matters (`// kernlint: launch(…)`)"
GRID = "state a smaller grid of the same kind: `--grid …`"
SIZES = "say how it is launched: `// kernlint: launch(grid=…, block=…)`, or give the argument that decides (`--arg NAME=VALUE`)"

GAVE_UP: dict[str, GaveUp] = {
    "time": GaveUp(
        f"{{what}} {SPENT}", "give it more: `--timeout-per-file SECONDS`, 0 for no limit"
    ),
    "nesting": GaveUp("{what} is nested too deeply to analyse"),
    "fault": GaveUp("{what} stopped, a fault of kernlint: {error}", REPORT),
    "rule-fault": GaveUp("rule {rule} stopped on `{name}`, a fault of kernlint: {error}", REPORT),
    "killed": GaveUp(
        "the process that analysed this file was killed (out of memory?): nothing in it was analysed",
        "use fewer workers: `-j 1`",
    ),
    "launches": GaveUp(
        "{left} of {all} distinct launches of `{name}` not analysed (the limit is {limit})", SMALLER
    ),
    "instances": GaveUp(
        "{left} more instances of `{name}` not analysed: their launches do not say how many threads they have",
        SIZES,
        True,
    ),
    "empty-launch": GaveUp("a launch of `{name}` needs at least one block and one thread"),
    "grid-size": GaveUp(
        "a grid of {blocks} blocks is more than kernlint enumerates ({most})", GRID
    ),
    "launch-size": GaveUp(
        "{what}, more than {device} allows ({most})",
        "state a launch that fits: `--grid … --block …`",
    ),
    "launch-bounds": GaveUp(
        "{what}, more than the kernel's `__launch_bounds__` allow ({most}): the launch fails when the program runs",
        "state smaller blocks, or raise the first number of `__launch_bounds__`",
    ),
    "splits": GaveUp("guards split the grid into too many different sets of blocks", GRID),
    "memory": GaveUp("one block alone needs more memory than the analysis allows"),
    "block-unknown": GaveUp(
        "the block size of this launch of {name} is not known{why}", SIZES, True
    ),
    "host-function": GaveUp(
        "host code of {function} is not followed to its launches: {why}", SIZES
    ),
    "launched-definition": GaveUp("launches `{name}`, whose definition was not found", SEEN, True),
    "launched-types": GaveUp(
        "launches `{name}`, whose template arguments do not follow from what is known", SEEN, True
    ),
    "no-kernel": GaveUp("launch of `{name}`, which is no kernel"),
    "header": GaveUp(
        "{headers} not found{where}: nothing seen defines {names}; numbers leave out what depends on {them}",
        "give the folder that the header lies in (`-I DIR`)",
    ),
    "pointer-call": GaveUp(
        "which function `{name}` calls is not known: what it accesses is not counted", "", True
    ),
    "virtual-call": GaveUp(
        "`{name}` is virtual, and whose is called is not known: what it accesses is not counted",
        "",
        True,
    ),
    "definition": GaveUp(
        "`{name}` is called and its definition was not found: what it accesses is not counted",
        SEEN,
        True,
    ),
    "matrix": GaveUp(
        "`{name}`: what it accesses is not counted, since CUDA leaves open which lane takes which part of a matrix",
        "a profile of this line counts it; of `ldmatrix` in inline PTX the lanes are known, and counted here",
        True,
    ),
    "kernel-macro": GaveUp(
        "`{name}` is defined in none of the files seen and is taken to declare a kernel",
        MACRO,
        True,
    ),
    "loop-macro": GaveUp(
        "`{name}` is a macro whose definition was not found and is taken for a loop, which executes any number of times",
        MACRO,
        True,
    ),
    "text-put-in": GaveUp(
        "{name} is not analysed: {where} `{text}`, which is put in when the program runs{hint}"
    ),
    "template": GaveUp(
        "{what} is a template ({kind}: `{text}`), no code before it is rendered: it is not analysed",
        "render it first and give kernlint the result, as a file or on standard input (`… | kernlint - --language opencl`)",
    ),
    "no-text": GaveUp(
        "no kernel could be read in this text: it holds `{text}`, which is put in when the program runs{hint}"
    ),
    "recursion": GaveUp(
        "recursive call of {name} is not analysed: how often it calls itself, and with what, is not known"
    ),
    "call-depth": GaveUp("call of {name} is not analysed: calls are nested more than {most} deep"),
    "size": GaveUp(
        "call of {name} is not analysed: with all that is called the function has more than {most} statements"
    ),
    "backward-jump": GaveUp(
        "goto {label}: a jump into a block, or into the middle of what another jump repeats",
        "write the loop as `for` or `while`",
    ),
    "operator": GaveUp("operator {operator} is not analysed"),
    "expression": GaveUp("`{text}` is not analysed here{kind}", REPORT),
    "designators": GaveUp(
        "initialisers that name parts of elements, or places that are no constants, are not analysed"
    ),
    "type-value": GaveUp(
        "`{text}` is a type where a value is expected, as for a macro whose definition was not found",
        MACRO,
    ),
    "number": GaveUp("the number {number} cannot be read"),
    "array-size": GaveUp("the size of an array is negative: {count}"),
    "copy-size": GaveUp("{function} of a size that is not constant is not analysed"),
    "assembly": GaveUp("this asm statement is not analysed: {why}"),
    "ptx-call": GaveUp(
        "`{call}` is not followed: what it accesses is not counted, what it returns is not known",
        "",
        True,
    ),
    "ptx-target": GaveUp("PTX: the target of `{branch}` is computed or not in this function"),
    "ptx-loop": GaveUp("PTX: this branch enters a loop elsewhere than at its head"),
    "access": GaveUp("`{text}`: {counter} of this {space} {op} not known", "", True),
    "branch": GaveUp("`{condition}`: whether lanes diverge is not known", "", True),
    "barrier": GaveUp(
        "`{text}`: whether all live threads reach this barrier is not known", "", True
    ),
}


def sentence(reason: str, /, **words: object) -> str:
    """The text of a reason; KeyError for one that is not in the table."""
    return GAVE_UP[reason].text.format(
        **{name: f"{word:,}" if isinstance(word, int) else word for name, word in words.items()}
    )


def gave_up(
    reason: str, span: Span, kernel: str = "", subject: str = "", /, **words: object
) -> Problem:
    """A KL003: something that was not analysed."""
    return Problem(
        CODE, span, sentence(reason, **words), kernel, GAVE_UP[reason].note, subject, reason
    )


def refused(reason: str, span: Span, /, **words: object) -> SourceError:
    """To be raised where a step cannot go on."""
    return SourceError(sentence(reason, **words), span, CODE, reason)


def says(reason: str, message: str) -> bool:
    """Whether a message is what the table has for a reason, with whatever words."""
    parts = re.split(r"\{\w+\}", GAVE_UP[reason].text)
    return re.fullmatch(".*".join(map(re.escape, parts)), message, re.DOTALL) is not None
