"""Plain index texts without the heavy library are those that it gives."""

from __future__ import annotations

import subprocess
import sys

from hypothesis import given, settings
from hypothesis import strategies as st

from kernlint.symbolic.display import Display
from kernlint.symbolic.expression import Node
from kernlint.symbolic.polynomial import polynomial, written

THREADS = [("threadIdx.x", "thread"), ("threadIdx.y", "thread")]
NAMES = [*THREADS, ("blockIdx.x", "block"), ("k", "loop"), ("n", "parameter"), ("gridDim.x", "size")]
LEAVES = [Node("symbol", name=name, kind=kind) for name, kind in NAMES]
nodes = st.recursive(
    st.one_of(st.sampled_from(LEAVES), st.integers(-40, 40).map(lambda n: Node("int", value=n))),
    lambda inner: st.tuples(st.sampled_from("+*"), inner, inner).map(lambda t: Node(t[0], (t[1], t[2]))),
    max_leaves=6,
)


@settings(max_examples=200, deadline=None)
@given(nodes)
def test_plain_texts_are_those_of_the_canonical_form(node: Node) -> None:
    terms = polynomial(node)
    if terms is not None:
        assert written(terms) == Display().text(node)


def test_a_finding_with_a_plain_index_needs_no_sympy() -> None:
    call = "try: main(['samples/transpose.cu', '-o', '/dev/null'])\nexcept SystemExit: pass"
    code = f"import sys\nfrom kernlint.cli import main\n{call}\nassert 'sympy' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
