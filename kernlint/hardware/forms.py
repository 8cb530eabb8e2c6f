"""The pipelined form of shared-memory time: what a scheduler, the pipe and a warp's own chain each
allow.

In: instructions, warps, wavefronts per instruction. Out: cycles. Never: addresses, or which device
it is; the constants are the profile's, measured by `kernlint calibrate`.

    T = latency + warp·w + (busy^n + (spread·max(0, w - schedulers)/W)^n)^(1/n)     n = 1.5
    busy = max(wavefront·i·w·W, scheduler·i·W, interval·i)

The shared-memory pipe takes `wavefront` cycles per wavefront, one scheduler alone cannot feed it
faster than `scheduler` cycles per wavefront, a warp issues one instruction per `interval` cycles;
the last value arrives `latency` cycles after that. The warps of a scheduler leave a barrier
`spread` cycles apart, which shows only while the pipe is not the limit.

Where the operation is a loop of load and compare-and-swap (`round` > 0), each of the `rounds` waits
for the one before it, and

    T = latency + warp·w + ((i·(round·rounds + scheduler·W))^blend + (wavefront·i·w·W)^blend)^(1/blend)
"""

from __future__ import annotations

from typing import Any

from kernlint.base.dataclass import dataclass

# how sharply the start gives way to the pipe; measured on H100, the same for every width and
# operation
START = 1.5


@dataclass(frozen=True, slots=True)
class PipelineForm:
    """The constants of one operation and width, in cycles of the SM's clock; `blend` has no unit.
    `round` is 0 outside loops."""

    latency: float
    wavefront: float
    scheduler: float
    interval: float = 0.0
    warp: float = 0.0
    spread: float = 0.0
    schedulers: int = 4
    round: float = 0.0
    blend: float = 1.0

    def cycles(self, i: Any, w: Any, wavefronts: Any, rounds: Any = 1) -> Any:
        """Cycles of i instructions of each of w warps at `wavefronts` per instruction; numbers, or
        arrays that broadcast."""
        pipe = self.wavefront * i * w * wavefronts
        if self.round:
            chain = i * (self.round * rounds + self.scheduler * wavefronts)
            return (
                self.latency
                + self.warp * w
                + (chain**self.blend + pipe**self.blend) ** (1 / self.blend)
            )
        import numpy as np  # heavy, and only needed to work a time out

        busy = np.maximum(pipe, np.maximum(self.scheduler * i * wavefronts, self.interval * i))
        start = self.spread * np.maximum(0, w - self.schedulers) / wavefronts
        return self.latency + self.warp * w + (busy**START + start**START) ** (1 / START)
