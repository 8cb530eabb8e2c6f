"""The part of each command's help below its options: examples, exit codes, files, environment.

In: a command's name. Out: text. Names only what an installed package has: no path of a checkout.
"""

from __future__ import annotations

ABOUT = """\
Static analysis of CUDA and OpenCL kernels: bank conflicts, uncoalesced accesses, divergence and barriers, with the
numbers a profiler would count, why they occur and how to fix them. Needs no GPU and no CUDA toolkit.

commands:
  check FILE…     report findings (default: `kernlint FILE…` means `kernlint check FILE…`)
  report FILE…    print the numbers of every access, branch and barrier
  tune FILE…      search shared-memory layouts and block sizes, ranked by estimated time
  compare FILE…   compare predictions with an Nsight Compute profile, line by line
  explain CODE    explain a rule: what it finds, why it costs time, how to fix it
  rules           list all rules
  devices [NAME]  list device profiles, or show one with the source of every figure
  calibrate       measure this machine's GPU and write its device profile
  baseline        prune or show a baseline
  config          list the keys of kernlint.toml and [tool.kernlint]
  completion      print a completion script for bash, zsh, fish or tcsh
  server          run the language server for editors (extra `server`)
"""

EXAMPLES = {
    "": """\
  kernlint transpose.cu                          findings with the code they refer to
  kernlint src/ --output-format concise          a folder, one line per finding in gcc's format
  kernlint --block 32x8 --grid 64x64 --arg n=2048 transpose.cu
  kernlint report transpose.cu                   the numbers of every access
  kernlint report --line 30 transpose.cu         how the numbers of line 30 are derived
  kernlint explain KL101""",
    "check": """\
  kernlint check kernels/                        every *.cu *.cuh *.hip *.cl *.clh *.ocl … in the folder
  kernlint check train.py jit.cpp                kernels in strings: CuPy, PyCUDA, PyOpenCL, R"(…)"
  kernlint check --select shared-memory a.cu     one family; or codes (KL101), names, prefixes (KL1), `all`
  kernlint check --severity info a.cu            also info: assumed launches, unknown numbers
  kernlint check --block 256 --arg n=1000000 a.cu
  kernlint check src/ --output-format concise --also sarif=kernlint.sarif
  kernlint check --unsafe-fixes --diff a.cu      preview all fixes: padding, float literals, shuffle and vote masks
  kernlint check src/ --write-baseline           accept today's findings; later: --baseline .kernlint-baseline.json
  generate | kernlint check - --stdin-filename k.cl""",
    "report": """\
  kernlint report a.cu                           tables
  kernlint report a.cu --output-format json      the same facts for programs
  kernlint report a.ptx --block 256 --grid 64    PTX from nvcc, clang, Triton or Numba
  kernlint report a.cu --against a.ptx           what the compiler merged, unrolled and removed, line by line
  kernlint report a.cu --line 30                 derive one line: index, lanes, addresses, banks or sectors
                                                 (for a declaration: every access to what it declares)
  kernlint report a.cu --line 30 --map           draw it: lanes by bank, or the sectors of each cache line
  kernlint report a.cu --laws                    formulas for every size of n, pitch and grid
  kernlint report a.cu --output-format html -o a.html
                                                 a web page: kernels by cost, annotated source, bank maps""",
    "tune": """\
  kernlint tune a.cu                             every shared array and launch, best layout first, with the edits
  kernlint tune a.cu --only padding,swizzle      layouts only; the kinds are padding, swizzle, skew and block
  kernlint tune a.cu --arch sm_80 --registers 40
  kernlint tune a.cu --diff                      the best layout of each array as a patch; --apply writes it
  kernlint tune a.cu --output-format json        every layout and block that changes something
  kernlint tune k.cl --grid 64x64 --block 16x16  where no host code or directive gives the launch""",
    "compare": """\
  nvcc -O3 -lineinfo -o app app.cu
  ncu --section SourceCounters --section LaunchStats --import-source yes -o app ./app
  ncu --import app.ncu-rep --page source --csv --print-source cuda,sass > source.csv
  kernlint compare app.cu --ncu source.csv       line by line, largest deviation first

  ncu --import app.ncu-rep --page raw --csv > raw.csv
  kernlint compare app.cu --ncu source.csv --ncu raw.csv
                                                 the raw page adds each launch's grid and block; alone it gives
                                                 totals per kernel
  kernlint compare app.cu --ncu app.ncu-rep      reads the report itself; needs NVIDIA's ncu_report
                                                 (pip install 'kernlint[ncu]')
  kernlint compare app.cu --ncu source.csv --output-format concise""",
    "explain": """\
  kernlint explain KL101                         in the terminal; names work too: shared-bank-conflict
  kernlint explain KL101 KL201 --output-format md
  kernlint explain --all --output-format html -o rules.html""",
    "rules": """\
  kernlint rules
  kernlint rules --output-format json            with thresholds, references and former names""",
    "devices": """\
  kernlint devices                               the names that --device accepts
  kernlint devices h100                          every figure with its source
  kernlint devices mine.toml                     a profile written by `kernlint calibrate`""",
    "calibrate": """\
  kernlint calibrate                             writes for example nvidia-h100-80gb-hbm3.toml, .raw.xz and .svg
  kernlint calibrate --device-name mine -o profiles/mine.toml
  kernlint report a.cu --device profiles/mine.toml""",
    "baseline": """\
  kernlint src/ --write-baseline                 accept today's findings in .kernlint-baseline.json
  kernlint src/ --baseline .kernlint-baseline.json
  kernlint baseline prune src/                   remove fixed findings from the baseline
  kernlint baseline show""",
    "config": """\
  kernlint config                                every key and what it means
  kernlint check --show-settings src/a.cu        the settings of a file and where they come from""",
    "completion": """\
  kernlint completion bash > ~/.local/share/bash-completion/completions/kernlint
  kernlint completion zsh > ~/.zfunc/_kernlint   (with fpath+=~/.zfunc before compinit)
  kernlint completion fish > ~/.config/fish/completions/kernlint.fish""",
    "server": """\
  pip install 'kernlint[server]'
  kernlint server                                usually started by the editor""",
}
NOTES = {
    "": """\
Write `kernlint ./report` for a file or folder named like a command.""",
    "check": """\
A launch comes from the first of these that gives it: the command line, a comment
`// kernlint: launch(grid=64x64, block=32x8, n=2048)` above the kernel, reqd_work_group_size, host code in the file,
__launch_bounds__. Otherwise kernlint assumes a block size that suits the kernel and says so (KL002).""",
    "tune": """\
Every figure comes from analysing the changed file, as `kernlint report` would. Candidates that change nothing are left
out. A layout is changed only if every use of the array has all its subscripts and every column stays within its row for
the known launches; a block, only if a thread's work depends on nothing but its place in the grid. Otherwise the output
gives the reason.""",
    "compare": """\
Verdicts: agrees; inside, vague (a range contains the measured value; vague: the range spans a factor of 2 or more);
wrong; partial, unknown (some or all of the line has no number); missing (executed, not predicted); invented
(predicted, not executed).""",
}
EXIT = {
    "": """\
0 no findings; 1 findings at or above --fail-on (default: warning); 2 usage or configuration error.""",
    "check": """\
0 no findings; 1 findings at or above --fail-on, with --strict also an analysis stopped by
--timeout-per-file; 2 usage or configuration error, or a path that does not exist (the others are still analysed).""",
    "report": """\
0 everything was analysed; 1 a file, function or kernel was not (the report says why); 2 usage or
configuration error.""",
    "tune": """\
0 everything was analysed; 1 a file, function or kernel was not; 2 usage or configuration error.""",
    "compare": """\
0 the profile contradicts no exact number; 1 it contradicts one; 2 the profile cannot be used, usage or
configuration error.""",
    "explain": """\
0 printed; 2 no such rule.""",
    "rules": """\
0 printed.""",
    "devices": """\
0 printed; 2 no such profile.""",
    "calibrate": """\
0 written; 2 no nvcc, no GPU, a busy GPU, or a file that cannot be written.""",
    "baseline": """\
0 done; 2 usage or configuration error, or no such baseline.""",
    "config": """\
0 printed.""",
    "completion": """\
0 printed; 2 no such shell.""",
    "server": """\
0 the editor closed it; 2 pygls is not installed.""",
}
SETTINGS = """\
  kernlint.toml, .kernlint.toml, pyproject.toml  settings, from the nearest folder above each file that has one
  .kernlint_cache/                               results of earlier runs; can be deleted at any time"""
BASELINE = "  .kernlint-baseline.json                        accepted findings (default name)"
FILES = {
    "check": f"{SETTINGS}\n{BASELINE}",
    "report": SETTINGS,
    "tune": SETTINGS,
    "compare": SETTINGS,
    "baseline": f"{SETTINGS}\n{BASELINE}",
}
COLOURS = """\
  NO_COLOR                                       no colour; overrides the next two
  FORCE_COLOR, CLICOLOR_FORCE                    colour even if the output is not a terminal; --color overrides all"""
RUNNING = """\
  KERNLINT_CACHE_DIR                             default of --cache-dir
  CI, TERM=dumb                                  a line every half minute instead of a progress bar"""
COLOURLESS = ("calibrate", "completion", "server")


def epilog(command: str) -> str:
    """The sections below the options of a command, "" for kernlint itself."""
    environment = [RUNNING] if command in FILES else []
    environment += [COLOURS] if command not in COLOURLESS else []
    sections = [
        f"examples:\n{EXAMPLES[command]}",
        NOTES.get(command, ""),
        f"exit codes: {EXIT[command]}",
        f"files:\n{FILES[command]}" if command in FILES else "",
        "environment:\n" + "\n".join(environment) if environment and command else "",
    ]
    return "\n\n".join(section for section in sections if section)
