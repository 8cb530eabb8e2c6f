"""When Python looks for garbage in cycles: while nobody types. A look at everything that is remembered takes longer than many an edit.

What is left after a look is set aside (`gc.freeze`), so that the next one sees only what was made since; every now and then all is looked
at again.
"""

from __future__ import annotations

import gc

PAUSE = 2.0  # seconds without an edit
MANY = 500_000  # objects made and not freed after which a look is due all the same
WHOLE = 20  # looks after which one sees what was set aside too


class Garbage:
    """Of this process. `begin`: from here on garbage is looked for when `collect` is called, or a lot has been made."""

    def __init__(self) -> None:
        self._looks = 0

    def begin(self) -> None:
        gc.set_threshold(MANY, 10, 10)

    def glance(self) -> None:
        """At what was made last, in the pause after a key: what the analysis before left behind."""
        gc.collect(0)

    def end(self) -> None:
        """The process ends: what is remembered is not looked at once more."""
        gc.disable()
        gc.freeze()

    def collect(self) -> None:
        self._looks += 1
        if self._looks % WHOLE == 0:
            gc.unfreeze()
        gc.collect()
        gc.freeze()
