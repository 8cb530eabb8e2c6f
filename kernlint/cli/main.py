"""The command line: words in, exit code out. Start-up matters: nothing heavy is imported before a
command needs it.

Exit codes: 0 nothing found, 1 findings at or above --fail-on, 2 a request that makes no sense or a
fault of kernlint itself.
"""

from __future__ import annotations

import contextlib
import io
import os
import shlex
import sys
import threading
from collections.abc import Iterable, Sequence

from kernlint import __version__
from kernlint.base import garbage
from kernlint.base.usage import UsageError, meant

ELSEWHERE = {  # words that are no commands but what people look for under them
    "hover": "`kernlint report FILE --line N`",
    "line": "`kernlint report FILE --line N`",
    "map": "`kernlint report FILE --line N --map`",
    "lint": "`kernlint check FILE`",
    "analyse": "`kernlint check FILE` for findings, `kernlint report FILE` for all numbers",
    "analyze": "`kernlint check FILE` for findings, `kernlint report FILE` for all numbers",
    "profile": "`kernlint report FILE`",
    "fix": "`kernlint check FILE --fix`",
    "diff": "`kernlint check FILE --diff`",
    "lsp": "`kernlint server`",
    "swizzle": "`kernlint tune FILE`",
    "pad": "`kernlint tune FILE`",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command. Never lets an exception through."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if sys.stdout is None or sys.stderr is None:  # closed by the caller
        if sys.stderr is not None:
            print("kernlint: cannot write the output: it is closed", file=sys.stderr)
        return 2
    for stream in (sys.stdout, sys.stderr):
        if isinstance(
            stream, io.TextIOWrapper
        ):  # a file name or a quoted line may hold what the terminal cannot show
            stream.reconfigure(errors="backslashreplace")
    try:
        code = run(given)
        if not sys.stdout.closed:  # a language server's client closes it
            sys.stdout.flush()
        return code
    except SystemExit as exit_:
        return exit_.code if isinstance(exit_.code, int) else 2
    except UsageError as error:
        print(f"kernlint: {error}", file=sys.stderr)
    except BrokenPipeError:  # the reader has seen enough
        _forget_output()
        return 1
    except OSError as error:  # what is read is read elsewhere: only writing is left
        _forget_output()
        print(
            f"kernlint: cannot write the output: {(error.strerror or str(error)).lower()}",
            file=sys.stderr,
        )
    except KeyboardInterrupt:
        print("kernlint: interrupted", file=sys.stderr)
        return 130
    except Exception as error:
        print(
            f"kernlint: internal fault: {type(error).__name__}: {error}\nPlease report it with the file.",
            file=sys.stderr,
        )
    return 2


def _forget_output() -> None:
    """What is still to be written goes nowhere, so that closing the output does not fail once
    more."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _require_no_command(word: str, commands: Iterable[str]) -> None:
    """A first word that is no path but close to a command's name, or names what a command does, is
    told, before other paths are read."""
    is_path = "." in word or os.sep in word or os.path.lexists(word)
    if is_path or word.startswith("-"):
        return
    if word in ELSEWHERE:
        raise UsageError(f"no file or folder `{word}`, and no command: {ELSEWHERE[word]} does that")
    if word[:2].upper() == "KL" and word[2:].isdigit():
        raise UsageError(
            f"no file or folder `{word}`: `kernlint explain {word}` prints the page of a rule"
        )
    if hint := meant(word, commands, 0.7):
        raise UsageError(f"no file or folder `{word}`{hint.replace('mean', 'mean the command')}")


def run(given: list[str]) -> int:
    if given and given[0] in ("-V", "--version"):
        print(f"kernlint {__version__}")
        return 0
    prepare_process()  # before anything is imported that leaves garbage to look for
    from kernlint.cli import commands
    from kernlint.cli.arguments import top_parser

    if not given:
        top_parser().print_help(sys.stderr)
        return 2
    if given[0] in ("-h", "--help", "help"):
        top_parser().print_help()
        return 0
    if given[0] in commands.COMMANDS:
        return commands.run(given[0], given[1:])
    _require_no_command(given[0], commands.COMMANDS)
    if late := commands.late(given):
        others = list(given)
        others.remove(late)
        raise UsageError(f"the command comes first: `kernlint {shlex.join([late, *others])}`")
    return commands.run("check", given)


PYTHON_CALLS = 16_000  # within each other: a long chain of `else if` nests as deep as it is long
STACK_BYTES = 1 << 30  # only what nesting really needs is ever touched
THREAD_STACK_BYTES = 1 << 27


def _deepen_stack() -> None:
    """Compiled modules nest on the machine's stack. On Linux that of the main thread grows up to
    its limit; others are made of one size."""
    sys.setrecursionlimit(max(PYTHON_CALLS, sys.getrecursionlimit()))
    threading.stack_size(THREAD_STACK_BYTES)
    try:
        import resource
    except ImportError:  # Windows: a thread's stack is of one size
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_STACK)
    wanted = STACK_BYTES if hard == resource.RLIM_INFINITY else min(STACK_BYTES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_STACK, (wanted, hard))


def prepare_process() -> None:
    """What a process that analyses files sets for itself."""
    # numpy would start a thread per core for products that nothing here needs
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    _deepen_stack()
    garbage.begin(garbage.MANY_OF_A_FILE)
