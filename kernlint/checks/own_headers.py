"""Which headers that are not there are the user's own. Goes in: a file's facts. Comes out: their
names, and words that tell them."""

from __future__ import annotations

import re

from kernlint.model.facts import File

# headers of the language and the toolkit, by their names: `cuda_utils.h` and `vector.cuh` are a
# user's
SYSTEM = re.compile(
    r"[^.]*|(assert|ctype|errno|float|getopt|inttypes|limits|math|signal|std(arg|bool|def|int|io|lib)|string|time|unistd)\.h|sys/.*"
    r"|(cub|thrust|nv|cuda|cooperative_groups|crt|hip)/.*"
    r"|cuda(_(runtime(_api)?|fp(4|6|8|16)|bf16|pipeline|awbarrier|profiler_api|device_runtime_api|gl_interop|texture_types))?\.h(pp)?"
    r"|(device_(launch_parameters|functions|atomic_functions|types)|driver_(types|functions)|host_(config|defines)|builtin_types"
    r"|(vector|math|common|texture|surface)_(types|functions|constants)|sm_\d\d_\w+|cooperative_groups|mma|nvToolsExt|nvrtc"
    r"|cu(rand|blas|fft|sparse|solver)(_kernel|_v2|Xt|Dn)?)\.h(pp)?"
)
NAMED = 3  # headers that are spelled out


def missed(file: File) -> list[str]:
    """The user's own headers that were not found."""
    return [name for name in file.missing_headers if not SYSTEM.fullmatch(name)]


def not_found(file: File) -> str:
    """`, not found: `a.h``, or "" where all are there."""
    names = [f"`{name}`" for name in missed(file)]
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return f", not found: {', '.join(names[:NAMED])}{more}" if names else ""
