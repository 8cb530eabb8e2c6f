"""When Python looks for garbage in cycles: in the language server while nobody types, elsewhere
before the next file, where the last ones left a lot behind.

What an analysis makes lives to its end and is then freed without a look, but for 1 to 5 MB in
cycles (measured on CUDA files of ggml). Looks on the way took a tenth of its time, looks when the
process ends another, and a look at all that a server remembers takes longer than many an edit. What
is left after a look is set aside (`gc.freeze`), so that the next one sees only what was made since;
every now and then all is looked at again.
"""

from __future__ import annotations

import atexit
import gc
from itertools import count

PAUSE = 2.0  # seconds without an edit
MANY = 500_000  # objects made and not freed after which a look is due all the same,
MANY_OF_A_FILE = 2_000_000  # and where no look was meant before the end of the file
WHOLE = 20  # looks after which one sees what was set aside too
LEFT = 200_000  # objects made since the last look and not freed, some 20 MB


_looks, _files = count(1), count(1)


def begin(many: int = MANY) -> None:
    """From here on garbage is looked for when `collect` is called or a lot has been made, and not
    when the process ends."""
    gc.set_threshold(many, 10, 10)
    atexit.register(end)


def glance() -> None:
    """At what was made last, in the pause after a key: what the analysis before left behind."""
    gc.collect(0)


def collect() -> None:
    if next(_looks) % WHOLE == 0:
        gc.unfreeze()
    gc.collect()
    gc.freeze()


def before_file() -> None:
    """The analysis of a file begins. Where the files before left a lot behind (classes made of
    templates: 5 to 30 MB in cycles with the headers of CUB), it is looked through, and the rest is
    set aside. Behind the last file nobody looks: the process ends."""
    if gc.get_count()[0] > LEFT:
        if next(_files) % WHOLE == 0:
            gc.unfreeze()
        gc.collect()
        gc.freeze()


def end() -> None:
    """The process ends: what is remembered is not looked at once more."""
    gc.disable()
    gc.freeze()
