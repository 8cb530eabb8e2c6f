"""What programs without kernlint in them answer, kept in the folder that KERNLINT_KEPT names.

CI runs the tests on pure Python and again on the compiled wheel, and an oracle need not be compiled
and run twice. Without that variable nothing is kept.
"""

from __future__ import annotations

import hashlib
import os
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")


def kept(of: tuple[Any, ...], make: Callable[[], T]) -> T:
    """What `make` answers to the inputs `of`, which must be all that the answer depends on."""
    folder = os.environ.get("KERNLINT_KEPT")
    if not folder:
        return make()
    path = Path(folder) / hashlib.sha256(repr(of).encode()).hexdigest()
    if path.exists():
        answer: T = pickle.loads(path.read_bytes())
        return answer
    made = make()
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(f".{os.getpid()}")
    partial.write_bytes(pickle.dumps(made))
    partial.replace(path)
    return made
