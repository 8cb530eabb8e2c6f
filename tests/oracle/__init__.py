"""The oracle: kernels run as plain C++ under emulated warps, every access counted. Independent of
kernlint. See README.md."""

from tests.oracle.build import OracleError
from tests.oracle.cases import Buffer, Case, Local, run_kernel, run_kernels
from tests.oracle.facts import Fact, Launch, Request, analyse_program

__all__ = [
    "Buffer",
    "Case",
    "Fact",
    "Launch",
    "Local",
    "OracleError",
    "Request",
    "analyse_program",
    "run_kernel",
    "run_kernels",
]
