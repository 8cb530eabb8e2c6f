"""`kernlint completion SHELL`: the script by which a shell completes commands, options, rules,
devices and files.

shtab makes it from the parsers. It knows options behind a command only, and `kernlint FILE…` has
none: there the shell is given `check` in thought (bash, zsh), or the options of `check` again
(fish; tcsh mingles those of all commands anyway). Goes in: a shell's name. Comes out: text.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterable, Mapping

import shtab

from kernlint import hardware
from kernlint.base.usage import CHANGES, FORMATS, STATUSES
from kernlint.checks import rules

Completer = Mapping[str, object]  # by shell, as shtab takes it
Parsers = Mapping[str, Callable[[], argparse.ArgumentParser]]  # by command


def script(shell: str, parsers: Parsers) -> str:
    """The completion script of a shell."""
    preamble = WITH_CHECK_ZSH.replace("COMMANDS", " ".join(parsers)) if shell == "zsh" else ""
    text = shtab.complete(_all_in_one(shell, parsers), shell, preamble=preamble)
    return MADE_UP.get(shell, str)(text)


def _zsh(text: str) -> str:
    """Values also behind `--option=`, and several files or codes, which shtab's specifications have
    no word for."""
    for pattern, replacement in ZSH_SPECIFICATIONS.items():
        text = re.sub(pattern, replacement, text, flags=re.MULTILINE)
    return text


def _all_in_one(shell: str, parsers: Parsers) -> argparse.ArgumentParser:
    """Every command as a sub-command, each option with what completes it."""
    parents = [parsers["check"]()] if shell == "fish" else []
    parser = argparse.ArgumentParser(
        "kernlint", parents=parents, add_help=not parents, conflict_handler="resolve"
    )
    parser.add_argument("-V", "--version", action="version", version="")
    _complete(parser, "check")
    commands = parser.add_subparsers()
    for name, make in parsers.items():
        one = make()
        _complete(one, name)
        commands.add_parser(
            name, parents=[one], add_help=False, conflict_handler="resolve", help=one.description
        )
    return parser


def _complete(parser: argparse.ArgumentParser, command: str) -> None:
    for action in parser._actions:
        found = next(
            (
                COMPLETERS[name]
                for name in (f"{command} {action.dest}", action.dest)
                if name in COMPLETERS
            ),
            None,
        )
        if found is not None:
            action.complete = found()  # type: ignore[attr-defined]


def _rules() -> list[str]:
    """Codes, names, families, `all`."""
    known = rules.rules().values()
    return [*_codes(), *dict.fromkeys(rule.family for rule in known), "all"]


def _codes() -> list[str]:
    known = rules.rules().values()
    return [*(rule.code for rule in known), *(rule.name for rule in known)]


def _words(name: str, words: Iterable[str]) -> Completer:
    """One of these words."""
    joined = " ".join(words)
    bash = f'_kernlint_{name}() {{ compgen -W "{joined}" -- "$1"; }}'
    return {
        "bash": f"_kernlint_{name}",
        "zsh": f"({joined})",
        "fish": joined,
        "tcsh": f"({joined})",
        "preamble": {"bash": bash},
    }


def _list(name: str, words: Iterable[str]) -> Completer:
    """Some of these words with commas between them."""
    joined = " ".join(words)
    before = 'local before=""; [[ $1 == *,* ]] && before="${1%,*},"'
    return {
        "bash": f"_kernlint_{name}",
        "zsh": f"_values -s , {name} {joined}",
        "fish": f"(__fish_complete_list , _kernlint_{name})",
        "tcsh": f"({joined})",
        "preamble": {
            "bash": f'_kernlint_{name}() {{ {before}; compgen -P "$before" -W "{joined}" -- "${{1##*,}}"; }}',
            "fish": f"function _kernlint_{name}; string split ' ' '{joined}'; end",
        },
    }


def _words_or_files(name: str, words: Iterable[str], glob: str = "*") -> Completer:
    """One of these words, or a file."""
    joined = " ".join(words)
    bash = (
        'compgen -f -- "$1"'
        if glob == "*"
        else f'compgen -d -- "$1"; compgen -f -X \'!{glob}\' -- "$1"'
    )
    return {
        "bash": f"_kernlint_{name}_file",
        "zsh": f"_kernlint_{name}",
        "fish": f"(string split ' ' '{joined}'; __fish_complete_path (commandline -ct))",
        "tcsh": f"({joined})",
        "preamble": {
            "bash": f'_kernlint_{name}_file() {{ compgen -W "{joined}" -- "$1"; {bash}; }}',
            "zsh": f"_kernlint_{name}() {{ local -a words_=({joined}); _describe {name} words_; _files -g '{glob}' }}",
        },
    }


def _file() -> Completer:
    return shtab.FILE


def _folder() -> Completer:
    return shtab.DIRECTORY


COMPLETERS: Mapping[str, Callable[[], Completer]] = {
    "select": lambda: _list("rules", _rules()),
    "ignore": lambda: _list("rules", _rules()),
    "status": lambda: _list("statuses", STATUSES),
    "only": lambda: _list("kinds", CHANGES),
    "codes": lambda: _words("codes", _codes()),
    "also": lambda: _words("formats", [f"{name}=" for name in FORMATS]),
    "device": lambda: _words_or_files("devices", hardware.names(), "*.toml"),
    "name": lambda: _words_or_files("devices", hardware.names(), "*.toml"),
    "baseline paths": lambda: _words_or_files("baselines", ("prune", "show")),
    "compile_commands": _folder,
    "include": _folder,
    "cache_dir": _folder,
} | dict.fromkeys(
    ("paths", "output_file", "baseline", "write_baseline", "against", "ncu", "registers", "config"),
    _file,
)

WITH_CHECK_BASH = """
# `--option=value` comes as three words; what begins with no command is `check`.
_kernlint() {
  local -a words=()
  local index at=$COMP_CWORD
  for ((index = 0; index < ${#COMP_WORDS[@]}; index++)); do
    if [[ ${COMP_WORDS[index]} == "=" && ${words[${#words[@]} - 1]} == --* ]]; then
      if ((index == COMP_CWORD)); then words+=(""); else ((index < COMP_CWORD)) && ((at--)); fi
    else
      words+=("${COMP_WORDS[index]}")
    fi
  done
  local first="${words[1]-}" bare=1
  [[ -n $first && " ${_shtab_kernlint_subparsers[*]} " == *" $first "* ]] && bare=0
  if ((bare && (at > 1 || ${#first} > 0) )) && [[ $at != 1 || $first == -* ]]; then
    words=("${words[0]}" check "${words[@]:1}")
    ((at++))
  fi
  local -a COMP_WORDS=("${words[@]}")
  local COMP_CWORD=$at word="${words[at]-}"
  _shtab_kernlint
  if ((bare && at == 2)) && [[ $first == -* && $word == "$first" ]]; then
    while IFS= read -r index; do COMPREPLY+=("$index"); done < <(compgen -W "-V --version" -- "$word")
  elif ((bare && at == 1)); then
    compopt -o filenames 2>/dev/null
    while IFS= read -r index; do COMPREPLY+=("$index"); done < <(compgen -f -- "$word")
  fi
  if [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]]; then compopt -o nospace 2>/dev/null; fi
  return 0
}
complete -o bashdefault -F _kernlint kernlint
"""
WITH_CHECK_ZSH = """
# What begins with no command is `check`.
functions[_kernlint_commanded]=$functions[_shtab_kernlint]
_shtab_kernlint() {
  local -a known=(COMMANDS)
  if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then
    _kernlint_commanded
    _files
  else
    if (( ! $known[(Ie)$words[2]] )); then
      words=("$words[1]" check "${(@)words[2,-1]}")
      (( CURRENT++ ))
    fi
    _kernlint_commanded
    (( CURRENT == 3 )) && [[ $words[3] == -* ]] && compadd -- --version
  fi
}
"""
ZSH_SPECIFICATIONS: Mapping[str, str] = {
    r'^(  "\*?--[\w-]+)(?=\[.*\]:)': r"\1=",  # "--select[only these rules]:RULE,…:_values …"
    # {-o,--output-file}"[write there]:FILE:_files"
    r'^(  (?:"\*")?\{-\w,--[\w-]+)(?=\}"\[.*\]:)': r"\1=",
    r'^  "\(\*\)::': '  "*:',  # "(*)::files and folders:_files"
}
MADE_UP: Mapping[str, Callable[[str], str]] = {
    "bash": lambda text: text + WITH_CHECK_BASH,
    "zsh": _zsh,
}
