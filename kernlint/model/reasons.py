"""Why a number is not exact, and why something was not analysed: the two closed lists.

Keys are stable (they appear in reports); texts are for people. Every KL003 of the pipeline is made
here, by `gave_up` and `refused`.
"""

from __future__ import annotations

from collections.abc import Iterable

from kernlint.base.dataclass import dataclass
from kernlint.base.deadline import SPENT
from kernlint.base.span import Problem, SourceError, Span

CODE = "KL003"
REASONS: dict[str, str] = {
    "loaded-value": "depends on a value loaded from memory",
    "unknown-argument": "depends on an argument whose value is unknown",
    "unknown-launch": "the launch configuration is unknown",
    "sizes": "depends on sizes that the user gives",
    "machine-code-open": "depends on loaded data or an unknown argument",
    "machine-code-stopped": "the machine code was not executed to its end",
    "unknown-cluster": "the size of the kernel's cluster is unknown",
    "remote-shared": "accesses the shared memory of another block of the cluster, which is not counted",
    "unknown-type": "depends on a type that no analysed file defines",
    "unknown-name": "depends on a name that no analysed file defines",
    "unknown-function": "depends on a function that no analysed file defines",
    "unknown-pointer": "the pointer's target is unknown",
    "unknown-alignment": "the alignment of the base address is unknown",
    "uninitialised": "depends on a variable that is not initialised",
    "float-value": "depends on floating-point arithmetic that is not computed",
    "clock": "depends on a clock, a special register or a random value",
    "data-dependent-flow": "whether it executes depends on values loaded from memory",
    "unknown-trip-count": "the number of loop iterations is unknown",
    "atomic-result": "depends on the result of an atomic operation, whose order is not defined",
    "lane-exchange": "depends on a lane exchange that is not computed",
    "budget": "the analysis reached its work budget",
    "unsupported": "uses a construct that kernlint does not analyse",
    "opaque-memory": "goes through an image, a texture or a union",
    "contention-data": "the cost depends on which lanes share a bank, which the data decides",
    "faulty": "the access cannot run right, so the kernel may stop or count otherwise",
    "hardware-model": "the device's rule for this operation is assumed, not measured",
    "compiler": "the compiler may merge, forward, hoist or remove this access, or charge it to another line",
    "inlined-asm": "the compiler may charge or duplicate this instruction elsewhere",
}

REMEDIES: dict[str, str] = {  # of those reasons that a user can fix
    "unknown-argument": "give the argument's value: `--arg NAME=VALUE` or `// kernlint: launch(…, NAME=VALUE)`",
    "unknown-launch": "give the launch: `--grid … --block …` or `// kernlint: launch(grid=…, block=…)`",
    "unknown-cluster": "declare it on the kernel: `__cluster_dims__(X, Y, Z)`",
    "unknown-type": "give the folder of its header: `-I DIR`",
    "unknown-name": "define it (`-D NAME=VALUE`), or give the folder of its header: `-I DIR`",
    "unknown-function": "give the folder of its header: `-I DIR`",
}


UNCOUNTED = {  # why it is not counted what a call accesses, in short, where notes are hidden
    "definition": "not defined in the analysed files",
    "matrix": "CUDA does not specify which lane accesses what",
    "pointer-call": "unknown call target",
    "virtual-call": "unknown call target",
    "subscript": "not defined in the analysed files",
    "cute": "`nvcc -ptx -lineinfo` and `kernlint report --against` show CuTe whole",
    "range": "elements of a class that is not followed",
    "pack": "parameter packs that no launch gives",
    "overload": "no definition fits the call as far as types are known",
    "hardware-access": "instructions whose memory traffic is not modelled",
    "library-exchange": "in shared memory of the library",
}


@dataclass(frozen=True, slots=True)
class GaveUp:
    """One reason why something was not analysed. `text`: a sentence with its words in braces;
    `note`: nothing is lost by it; `transient`: it depends on what else the machine does."""

    text: str
    remedy: str = ""
    note: bool = False
    transient: bool = False


SEEN = "give the folder of the header that defines it (`-I DIR`)"
MACRO = "give the folder of the header that defines it (`-I DIR`), or define it (`-D NAME=…`)"
REPORT = "this is a bug in kernlint: please report it with the kernel"
SMALLER = "analyse one kernel (`--kernel NAME`), or give the launch that matters (`// kernlint: launch(…)`)"
GRID = "give a smaller grid of the same shape: `--grid …`"
UNSEEN = "its launches are not seen"  # ends what is said of host code that cannot be read
LAUNCHES = (
    "give them: `// kernlint: launch(grid=…, block=…)` above the kernel, or `--grid … --block …`"
)
LAUNCH = "give its launch: `// kernlint: launch(grid=…, block=…)`"
SIZES = f"{LAUNCH}, or the argument that decides it (`--arg NAME=VALUE`)"

GAVE_UP: dict[str, GaveUp] = {
    "time": GaveUp(
        f"{{what}} {SPENT}", "raise the limit: `--timeout-per-file SECONDS`, 0 for none"
    ),
    "nesting": GaveUp("{what} is nested too deeply to analyse"),
    "fault": GaveUp("{what} stopped with an internal error: {error}", REPORT),
    "rule-fault": GaveUp("rule {rule} stopped on `{name}` with an internal error: {error}", REPORT),
    "killed": GaveUp(
        "the process that analysed this file was killed (out of memory?): nothing in it was analysed",
        "use fewer workers: `-j 1`",
    ),
    "compile": GaveUp(
        "not compiled, so what the compiler does is predicted: {why}",
        "pass the macros and folders that the file is compiled with: `-D`, `-I`, `--compile-commands`",
        True,
    ),
    "compile-timeout": GaveUp(
        "not compiled in time, so what the compiler does is predicted: {why}",
        "run again when the machine is less busy",
        True,
        True,
    ),
    "compile-cluster": GaveUp(
        "launches in clusters are not read from machine code, so what the compiler does is predicted",
        "",
        True,
    ),
    "launches": GaveUp(
        "{left} of {all} distinct launches of `{name}` not analysed (the limit is {limit})", SMALLER
    ),
    "instances": GaveUp(
        "{left} more instances of `{name}` not analysed: the block size of their launches is unknown",
        SIZES,
        True,
    ),
    "further-launches": GaveUp(
        "{left} more launches of `{name}` not analysed: the analysis of those before " + SPENT,
        "give the launch that matters (`// kernlint: launch(…)`), ask for one instance of a template "
        "(`--kernel 'NAME<…>'`), or raise the limit: `--timeout-per-file SECONDS`",
    ),
    "further-instances": GaveUp(
        "{left} more instances of `{name}` not analysed: nothing launches them, and the analysis of "
        f"the others {SPENT}",
        "ask for one (`--kernel 'NAME<…>'`), or raise the limit: `--timeout-per-file SECONDS`",
    ),
    "empty-launch": GaveUp("a launch of `{name}` needs at least one block and one thread"),
    "grid-size": GaveUp(
        "a grid of {blocks} blocks is more than kernlint enumerates ({most})", GRID
    ),
    "launch-size": GaveUp(
        "{what}, more than {device} allows ({most})",
        "give a launch that fits: `--grid … --block …`",
    ),
    "launch-bounds": GaveUp(
        "{what}, more than the kernel's `__launch_bounds__` allow ({most}): the launch fails at run time",
        "launch smaller blocks, or raise the first number of `__launch_bounds__`",
    ),
    "splits": GaveUp("guards split the grid into too many different sets of blocks", GRID),
    "memory": GaveUp("a single block needs more memory than the analysis allows"),
    "block-unknown": GaveUp("the block size of this launch of {name} is unknown{why}", SIZES, True),
    "host-function": GaveUp(
        "host code of {function} is not followed to its launches: {why}", SIZES
    ),
    "launched-definition": GaveUp("launches `{name}`, whose definition was not found", SEEN, True),
    "launched-types": GaveUp(
        "launches `{name}`, whose template arguments cannot be deduced", SEEN, True
    ),
    "no-kernel": GaveUp("launch of `{name}`, which is not a kernel"),
    "header": GaveUp(
        "{headers} not found{where}: no analysed file defines {names}; numbers exclude what depends on {them}",
        "give the folder of the header (`-I DIR`)",
    ),
    "pointer-call": GaveUp(
        "the target of the call `{name}` is unknown: its accesses are not counted", "", True
    ),
    "virtual-call": GaveUp(
        "`{name}` is virtual and its target is unknown: its accesses are not counted",
        "",
        True,
    ),
    "definition": GaveUp(
        "`{name}` is called but its definition was not found: its accesses are not counted",
        SEEN,
        True,
    ),
    "subscript": GaveUp(
        "what `{name}` of `{type}` accesses is not counted: no analysed file defines that",
        SEEN,
        True,
    ),
    "cute": GaveUp(
        "CuTe: `nvcc -ptx -lineinfo -o k.ptx {file}` and `kernlint report {file} --against k.ptx` show these kernels whole, on the source's lines",
        "",
        True,
    ),
    "range": GaveUp(
        "the elements of `{name}` are not followed: their accesses are not counted", "", True
    ),
    "pack": GaveUp(
        "no launch gives the elements of the parameter pack `{name}`: it is taken as empty, and what "
        "is done with its elements is not counted",
        f"{LAUNCH}, or instantiate the kernel",
        True,
    ),
    "overload": GaveUp(
        "which definition of `{name}` this call means is unknown: its accesses are not counted",
        "give the folder of the headers whose types or values decide it (`-I DIR`)",
        True,
    ),
    "hardware-access": GaveUp(
        "`{name}`: what it moves between registers, shared and global memory is not counted",
        "profile this line to count them",
        True,
    ),
    "library-exchange": GaveUp(
        "`{name}` over several warps exchanges values in shared memory of the library: these accesses are not counted",
        "profile this line to count them",
        True,
    ),
    "matrix": GaveUp(
        "`{name}`: accesses not counted, since CUDA does not specify which lane accesses which part of a matrix",
        "profile this line to count it; `ldmatrix` in inline PTX has known lanes and is counted",
        True,
    ),
    "kernel-macro": GaveUp(
        "`{name}` is not defined in the analysed files; assumed to declare a kernel",
        MACRO,
        True,
    ),
    "loop-macro": GaveUp(
        "`{name}` is a macro whose definition was not found; assumed to be a loop with any number of iterations",
        MACRO,
        True,
    ),
    "text-put-in": GaveUp(
        "{name} is not analysed: {where} `{text}`, which is inserted at run time{hint}"
    ),
    "template": GaveUp(
        "{what} is a template ({kind}: `{text}`) and is not analysed before it is rendered",
        "render it first and give kernlint the result, as a file or on standard input (`… | kernlint - --language opencl`)",
    ),
    "python-kernel": GaveUp(
        "`{name}` is a {library} kernel (`{decorator}`), which is not analysed in Python; its PTX is: {ptx}",
        "give kernlint the PTX that the library makes, with the launch: `kernlint kernel.ptx --grid … --block …`",
    ),
    "no-text": GaveUp(
        "no kernel could be read in this text: it contains `{text}`, which is inserted at run time{hint}"
    ),
    "recursion": GaveUp(
        "recursive call of {name} is not analysed: its depth and arguments are unknown"
    ),
    "call-depth": GaveUp("call of {name} is not analysed: calls are nested more than {most} deep"),
    "size": GaveUp(
        "call of {name} is not analysed: with inlined calls the function has more than {most} statements"
    ),
    "branches": GaveUp(
        "host code is followed into the first {most} branches of this chain of `else if`, not into the {left} others"
    ),
    "computed-jump": GaveUp(
        "`goto *…`: a jump to an address that is computed", "write the jump as `switch`"
    ),
    "backward-jump": GaveUp(
        "goto {label}: a jump into a block or into the middle of another jump's loop",
        "write the loop as `for` or `while`",
    ),
    "operator": GaveUp("operator {operator} is not analysed"),
    "expression": GaveUp("`{text}` is not analysed here{kind}", REPORT),
    "pack-elements": GaveUp(
        "`{text}` is a parameter pack whose elements are not known",
        "analyse it with the file that calls or launches the template",
    ),
    "designators": GaveUp(
        "designated initialisers of parts of elements, or with designators that are not constant, are not analysed"
    ),
    "type-value": GaveUp(
        "`{text}` is a type where a value is expected, perhaps for a macro whose definition was not found",
        MACRO,
    ),
    "number": GaveUp("the number {number} cannot be read"),
    "array-size": GaveUp("the size of an array is negative: {count}"),
    "copy-size": GaveUp("{function} with a size that is not constant is not analysed"),
    "assembly": GaveUp("this asm statement is not analysed: {why}"),
    "ptx-call": GaveUp(
        "`{call}` is not followed: its accesses are not counted and its result is unknown",
        "",
        True,
    ),
    "ptx-target": GaveUp("PTX: the target of `{branch}` is computed or outside this function"),
    "ptx-loop": GaveUp("PTX: this branch enters a loop other than at its header"),
    "access": GaveUp("`{text}`: {counter} of this {space} {op} unknown", "", True),
    "open-access": GaveUp(
        "`{text}`: anything from {least} to {most} wavefronts for this shared {op}", "", True
    ),
    "branch": GaveUp("`{condition}`: unknown whether lanes diverge", "", True),
    "barrier": GaveUp("`{text}`: unknown whether all running threads reach this barrier", "", True),
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


def is_transient(problems: Iterable[Problem]) -> bool:
    """Whether another run of the same may get further."""
    return any(GAVE_UP[p.reason].transient for p in problems if p.reason in GAVE_UP)


def refused(reason: str, span: Span, /, **words: object) -> SourceError:
    """To be raised where a step cannot go on."""
    return SourceError(sentence(reason, **words), span, CODE, reason)
