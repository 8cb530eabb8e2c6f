"""What the help of each command says below its options: examples, exit codes, files, environment.
Goes in: a command. Comes out: text."""

from __future__ import annotations

ABOUT = """\
Tells what the profiler would tell about CUDA and OpenCL kernels, from source alone: bank conflicts, uncoalesced
accesses, divergence and barriers, in numbers, with the reason and the way out. No GPU, no CUDA toolkit.

commands:
  check FILE…     findings (the default: `kernlint FILE…` is `kernlint check FILE…`)
  report FILE…    every access, branch and barrier of every kernel, in numbers
  tune FILE…      other layouts of shared arrays, other blocks, ranked by estimated time
  compare FILE…   the same numbers beside what Nsight Compute counted, line by line
  explain CODE    what a rule finds, why it costs, how to fix it
  rules           all rules
  devices [NAME]  device profiles, every figure with its source
  calibrate       measure this machine's GPU, write its device profile
  baseline prune  takes out of a baseline what is no longer found
  config          the keys of kernlint.toml and [tool.kernlint]
  completion      completion for bash, zsh, fish or tcsh
  server          the language server, for editors (extra `server`)
"""

EXAMPLES = {
    "": """\
  kernlint transpose.cu                          findings, with the code they are about
  kernlint src/ --output-format concise          a folder, one line per finding, as gcc prints them
  kernlint --block 32x8 --grid 64x64 --arg n=2048 transpose.cu
  kernlint report transpose.cu                   the numbers of every access
  kernlint report --line 30 transpose.cu         how the number on line 30 comes about
  kernlint explain KL101""",
    "check": """\
  kernlint check kernels/                        every *.cu *.cuh *.hip *.cl *.clh *.ocl … below the folder
  kernlint check train.py jit.cpp                kernels in strings: CuPy, PyCUDA, PyOpenCL, R"(…)" (docs/embedded.md)
  kernlint check --select shared-memory a.cu     one family; codes (KL101), names, prefixes (KL1) and `all` work too
  kernlint check --severity info a.cu            notes as well: assumed launches, what could not be known
  kernlint check --block 256 --arg n=1000000 a.cu
  kernlint check src/ --output-format concise --also sarif=kernlint.sarif
  kernlint check --unsafe-fixes --diff a.cu      what could be edited: padded arrays, float literals, masks of shuffles and votes
  kernlint check src/ --write-baseline           from now on only what is new: --baseline .kernlint-baseline.json
  generate | kernlint check - --stdin-filename k.cl""",
    "report": """\
  kernlint report a.cu                           tables for people
  kernlint report a.cu --output-format json      facts for programs (docs/report.md)
  kernlint report a.ptx --block 256 --grid 64    PTX of nvcc, clang, Triton or Numba (docs/ptx.md)
  kernlint report a.cu --against a.ptx           what the compiler merged, unrolled and removed, line by line
  kernlint report a.cu --line 30                 one line's derivation: index, lanes, addresses, banks or sectors
                                                 (of a declaration: every access to what it declares)
  kernlint report a.cu --line 30 --map           the same as a drawing: lanes by banks, or the sectors of each cache line
  kernlint report a.cu --output-format html -o a.html
                                                 a page to look at: kernels by cost, annotated source, bank maps""",
    "tune": """\
  kernlint tune a.cu                             every shared array and every launch, best forms first, with the edits
  kernlint tune a.cu --only padding,swizzle      layouts alone; the kinds are padding, swizzle, skew and block
  kernlint tune a.cu --arch sm_80 --registers 40
  kernlint tune a.cu --diff                      the best layout of each array as a patch; --apply writes the file
  kernlint tune a.cu --output-format json        every form that changes something (docs/tune.md)
  kernlint tune k.cl --grid 64x64 --block 16x16  where no host code or directive tells the launch""",
    "compare": """\
  nvcc -O3 -lineinfo -o app app.cu
  ncu --section SourceCounters --section LaunchStats --import-source yes -o app ./app
  ncu --import app.ncu-rep --page source --csv --print-source cuda,sass > source.csv
  kernlint compare app.cu --ncu source.csv       line by line, worst first

  ncu --import app.ncu-rep --page raw --csv > raw.csv
  kernlint compare app.cu --ncu source.csv --ncu raw.csv
                                                 the raw page adds each launch's grid and block; alone, it gives
                                                 totals of each kernel
  kernlint compare app.cu --ncu app.ncu-rep      the report itself, where NVIDIA's ncu_report is installed
                                                 (pip install '.[ncu]' in kernlint's checkout)
  kernlint compare app.cu --ncu source.csv --output-format concise""",
    "explain": """\
  kernlint explain KL101                         on the terminal; names work too: shared-bank-conflict
  kernlint explain KL101 KL201 --output-format md
  kernlint explain --all --output-format html -o rules.html""",
    "rules": """\
  kernlint rules
  kernlint rules --output-format json            with thresholds, references and former names""",
    "devices": """\
  kernlint devices                               the names that --device takes
  kernlint devices h100                          every figure, and where it is from
  kernlint devices mine.toml                     a profile that `kernlint calibrate` wrote""",
    "calibrate": """\
  kernlint calibrate                             writes nvidia-h100-80gb-hbm3.toml, .raw.xz and .svg, for example
  kernlint calibrate --device-name mine -o profiles/mine.toml
  kernlint report a.cu --device profiles/mine.toml""",
    "baseline": """\
  kernlint src/ --write-baseline                 accept what is found today, in .kernlint-baseline.json
  kernlint src/ --baseline .kernlint-baseline.json
  kernlint baseline prune src/                   after mending: forget what is gone
  kernlint baseline show""",
    "config": """\
  kernlint config                                every key, with what it means
  kernlint check --show-settings src/a.cu        what is set for a file, and by which files""",
    "completion": """\
  kernlint completion bash > ~/.local/share/bash-completion/completions/kernlint
  kernlint completion zsh > ~/.zfunc/_kernlint   (with fpath+=~/.zfunc before compinit)
  kernlint completion fish > ~/.config/fish/completions/kernlint.fish""",
    "server": """\
  pip install '.[server]'                        in the checkout of kernlint
  kernlint server                                started by the editor: docs/editors.md""",
}
NOTES = {
    "": """\
A path that is called like a command: `kernlint ./report`.""",
    "check": """\
Launches are taken from the command line, else from `// kernlint: launch(grid=64x64, block=32x8, n=2048)` above a kernel,
else from reqd_work_group_size, from launches in host code, from __launch_bounds__;
else a block that the kernel suggests is assumed and told (KL002).""",
    "tune": """\
Every figure comes from analysing the changed file as `kernlint report` would; forms that change nothing are not listed. A layout is
changed only where all uses of the array have all their subscripts and every column stays within its row under the launches known; a
block only where a thread's work depends on its place in the grid alone. Otherwise the reason is told.""",
    "compare": """\
Verdicts: agrees; inside, vague (a range holds the measured value, within a factor of 2 or wider); wrong; partial, unknown
(some or all of the line has no number); missing (not predicted); invented (predicted, not executed). docs/compare.md""",
    "config": """\
docs/configuration.md has an example with every key.""",
}
EXIT = {
    "": """\
0 nothing found; 1 findings at or above --fail-on (default: warning); 2 a request that makes no sense.""",
    "check": """\
0 nothing found; 1 findings at or above --fail-on, with --strict also analysis that was stopped for its time;
2 a request that makes no sense, or a path that is not there (the others are analysed all the same).""",
    "report": """\
0 everything was analysed; 1 a file, function or kernel was not (the reasons stand in the report); 2 a request
that makes no sense.""",
    "tune": """\
0 everything was analysed; 1 a file, function or kernel was not; 2 a request that makes no sense.""",
    "compare": """\
0 no exact claim is contradicted; 1 one is; 2 the profile cannot be used, or a request that makes no sense.""",
    "explain": """\
0 printed; 2 no such rule.""",
    "rules": """\
0 printed.""",
    "devices": """\
0 printed; 2 no such profile.""",
    "calibrate": """\
0 written; 2 no nvcc, no GPU, a busy GPU, or a file that cannot be written.""",
    "baseline": """\
0 done; 2 a request that makes no sense, or no such baseline.""",
    "config": """\
0 printed.""",
    "completion": """\
0 printed; 2 no such shell.""",
    "server": """\
0 the editor ended it; 2 pygls is not installed.""",
}
SETTINGS = """\
  kernlint.toml, .kernlint.toml, pyproject.toml  settings, in the nearest folder above each file that has one
  .kernlint_cache/                               results of earlier runs; may be deleted at any time"""
BASELINE = "  .kernlint-baseline.json                        findings that are accepted, by default"
FILES = {
    "check": f"{SETTINGS}\n{BASELINE}",
    "report": SETTINGS,
    "tune": SETTINGS,
    "compare": SETTINGS,
    "baseline": f"{SETTINGS}\n{BASELINE}",
}
COLOURS = """\
  NO_COLOR                                       no colour; wins over
  FORCE_COLOR, CLICOLOR_FORCE                    colour also where the output is no terminal; --color wins over all"""
RUNNING = """\
  KERNLINT_CACHE_DIR                             the folder of --cache-dir
  CI, TERM=dumb                                  no progress bar"""
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
