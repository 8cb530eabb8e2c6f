"""The time of a launch: what each part of the machine needs for it, what latency leaves exposed,
and how these add up.

In: measured facts of one kernel launch, a device, registers per thread. Out: `facts.Estimate`, or
the reason why there is none.

    one block:   latency L, the longest chain of dependences of its slowest warp
    one SM:      n blocks in waves of r resident ones; each unit u needs T(u) for them
    the launch:  launch overhead + max(waves·L + (waves - 1)·B, max T(u)) + min(L, max T(u) / waves),  waves = ceil(n / r)

B is what an SM takes from one block to the next. The last term is what the first wave cannot
overlap: its requests arrive together. The launch overhead is what the profiler counts for an empty
kernel; L2's reads and writes go opposite ways and do not wait for each other. What fits in L2 is
taken to be there, as it is when kernels follow one another. Every constant is the device profile's,
measured by `kernlint calibrate` or published; none was fitted to kernels (docs/estimate.md).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

from kernlint.base.dataclass import dataclass
from kernlint.estimate import costs
from kernlint.estimate.build import TimedProgram, build
from kernlint.estimate.caches import caching
from kernlint.estimate.graph import Op, Sync, walk
from kernlint.estimate.path import Pace, duration
from kernlint.estimate.traffic import Capacity, Traffic, capacity, traffic
from kernlint.execution.counting.footprint import Touched
from kernlint.execution.measured import Measured
from kernlint.hardware import Device
from kernlint.hardware.occupancy import Occupancy, occupancy
from kernlint.ir import nodes as ir
from kernlint.model import facts

MODEL = "wave model 1"  # named wherever a figure of it is shown
# cycles that an update of an address takes at most after the one before: on an H100 16.7 million
# float additions to one address took 0.8 to 2 cycles each
UPDATE = 4
FRAME = 3  # instructions of every kernel: its stack pointer, the descriptor of global memory, EXIT
NEEDED = (
    ("latencies", "latency", ("shared_cycles", "l1_cycles", "l2_cycles", "global_cycles")),
    (
        "rates",
        "throughput",
        (
            "shared_wavefronts_per_cycle",
            "l1_sectors_per_cycle",
            "l2_sectors_per_cycle",
            "dram_bytes_per_second",
        ),
    ),
    ("rates", "throughput", ("instructions_per_cycle",)),
    (
        "overheads",
        "overhead",
        ("profiled_launch_cycles", "block_turnaround_cycles", "barrier_cycles"),
    ),
    ("clocks", "clock", ("sm_mhz",)),
    ("limits", "limits", ("multiprocessors", "l2_bytes")),
)
# the key of each pipe's rate; what issues to none of them, or to one whose rate is not known, only
# takes a scheduler's slot
PIPES = {
    costs.ALU: "logic32_per_cycle",
    costs.IMAD: "multiply32_per_cycle",
    costs.FMA: "fma32_per_cycle",
    costs.FP64: "fma64_per_cycle",
    costs.XU: "special32_per_cycle",
    costs.LSU: "memory_instructions_per_cycle",
}


def lacking(device: Device) -> str:
    """What the profile does not state that an estimate needs; "" when it is complete."""
    missing = [
        f"{section}.{key}"
        for field, section, keys in NEEDED
        for key in keys
        if key not in getattr(device, field)
    ]
    return ", ".join(missing)


def assessed(
    kernel: facts.Kernel, measured: Measured, device: Device, registers: int | None = None
) -> facts.Kernel:
    """The launch with its estimate, or why there is none, and with what its caches have to hold.
    `registers`: 32-bit registers per thread; without, they are taken not to limit."""
    work = _work(kernel, measured, device, registers)
    if isinstance(work, str):
        return replace(kernel, estimate=work)
    block = math.prod(kernel.launch.block)
    held = (
        caching(measured, work.found, work.capacity, device, work.share.resident, block)
        if work.capacity.l1
        else None
    )
    return replace(kernel, estimate=_estimate(work, registers), caching=held)


def _work(
    kernel: facts.Kernel, measured: Measured, device: Device, registers: int | None
) -> LaunchWork | str:
    grid = kernel.launch.grid
    if grid is None or kernel.launch.origin == "assumed":
        return "the launch is not known"
    unknown = [
        loop
        for loop, most in measured.longest.items()
        if most is None and measured.executions.get(loop)
    ]
    if unknown:
        return f"the number of iterations of `{unknown[0].site.condition}` is not known"
    if (
        not {"multiprocessors", "warps_per_sm", "blocks_per_sm", "shared_per_sm"}
        <= device.limits.keys()
    ):
        return f"the profile of {device.name} does not state what a multiprocessor holds"
    shared = kernel.static_shared_bytes + (kernel.dynamic_shared_bytes or 0)
    held = occupancy(math.prod(kernel.launch.block), registers, shared, device)
    if held.blocks == 0:
        return f"no block fits on a multiprocessor: {', '.join(held.limiters)}"
    return LaunchWork(kernel, measured, device, held, math.prod(grid))


def _estimate(work: LaunchWork, registers: int | None) -> facts.Estimate | str:
    device = work.device
    if lacking(device):
        return f"the profile of {device.name} does not state {lacking(device)}"
    cycles, parts = work.cycles()
    if why := work.not_modelled(cycles):
        return why
    limiter = max((name for name in parts if name != "barriers"), key=lambda name: parts[name])
    low, high = work.bounds(cycles)
    mhz = device.clocks["sm_mhz"]
    return facts.Estimate(
        device=device.name,
        model=MODEL,
        cycles=round(cycles),
        microseconds=round(cycles / mhz, 3),
        cycles_low=round(low),
        cycles_high=round(high),
        block_cycles=round(work.latency),
        limiter=limiter,
        parts={name: round(value, 1) for name, value in parts.items()},
        savings=work.savings(cycles),
        occupancy=work.held.share,
        occupancy_limiters=work.held.limiters,
        registers=registers,
        instructions=round(work.instructions),
        assumptions=tuple(work.assumptions()),
    )


@dataclass(frozen=True, slots=True)
class Share:
    """Where blocks go: `most` on the busiest multiprocessor, `resident` of them at once, in
    `waves`."""

    blocks: int
    most: int
    resident: int
    waves: int
    active: int  # multiprocessors with a block


class LaunchWork:
    """What one launch asks of the machine."""

    def __init__(
        self, kernel: facts.Kernel, measured: Measured, device: Device, held: Occupancy, blocks: int
    ) -> None:
        self.kernel, self.measured, self.device = kernel, measured, device
        sms = device.limits["multiprocessors"]
        most = -(-blocks // sms)
        resident = min(held.blocks, most)
        self.share = Share(blocks, most, resident, -(-most // resident), min(sms, blocks))
        self.held = held
        memory = {
            tally.site: (access.space, frozenset(tally.objects))
            for tally, access in measured.accesses
        }
        self.program: TimedProgram = build(
            measured.kernel, measured.analysis, self._trips(), memory
        )
        self.found = self._traffic()
        shared = (
            kernel.static_shared_bytes + (kernel.dynamic_shared_bytes or 0) + device.shared_window
        )
        self.capacity: Capacity = capacity(self.found, measured, device, resident, shared, blocks)
        if not self.capacity.l1_holds:
            self.found = {
                site: replace(t, beyond=t.sectors) if t.op == "load" else t
                for site, t in self.found.items()
            }
        self.issue = self._instructions(self.found)
        items = list(walk(self.program.items))
        self._waits = any(isinstance(item, Sync) for item in items)
        self._timed = [
            op
            for op in items
            if isinstance(op, Op)
            and (op.kind == "shuffle" or (op.site is not None and op.kind != "store"))
        ]
        self._latencies: dict[tuple[float, ...], float] = {}

    @property
    def latency(self) -> float:
        """Of one block, in cycles."""
        return self._latency(self.found, self.barrier)

    # ------------------------------------------------------------ counts

    def _trips(self) -> dict[ir.Loop, float]:
        return {loop: float(most or 0) for loop, most in self.measured.longest.items()}

    def _traffic(self) -> dict[ir.AccessSite, Traffic]:
        by_site: dict[ir.AccessSite, list[Touched]] = {}
        for (site, _), touched in self.measured.touched.items():
            by_site.setdefault(site, []).append(touched)
        found = {}
        for (tally, access), around in zip(
            self.measured.accesses, self.measured.total_bounds, strict=True
        ):
            found[tally.site] = traffic(
                tally, access, self.device, by_site.get(tally.site, []), around
            )
        return found

    @property
    def warps(self) -> int:
        return self.measured.warps_per_block * self.share.blocks

    def _instructions(self, memory: Mapping[ir.AccessSite, Traffic]) -> dict[str, float]:
        """Warp instructions of the launch by pipe; "" holds those that need none."""
        found: dict[str, float] = dict.fromkeys((*PIPES, costs.NONE), 0.0)
        found[costs.NONE] = FRAME * self.warps
        for item in walk(self.program.items):
            if isinstance(item, Op):
                found[item.cost.pipe] += self._times(item, memory)
            elif isinstance(item, Sync):
                found[costs.NONE] += self.measured.executions.get(item.statement, 0)
        return found

    def _times(self, op: Op, memory: Mapping[ir.AccessSite, Traffic]) -> float:
        """Warp instructions of an operation. An access without traffic is one of an array that
        lives in registers."""
        if op.site is not None:
            known = memory.get(op.site)
            return known.requests if known is not None else 0.0
        return op.cost.count * (
            self.warps if op.owner is None else self.measured.executions.get(op.owner, 0)
        )

    @property
    def instructions(self) -> float:
        return sum(self.issue.values())

    # ------------------------------------------------------------ times

    @property
    def barrier(self) -> float:
        overheads = self.device.overheads
        return (
            overheads["barrier_cycles"]
            + overheads.get("barrier_cycles_per_warp", 0.0) * self.measured.warps_per_block
        )

    def _latency(self, found: Mapping[ir.AccessSite, Traffic], barrier: float) -> float:
        """Of one block; worked out once for the same times of accesses and of barriers."""
        times = {op: self._access_time(op, found) for op in self._timed}
        key = (barrier if self._waits else 0.0, *times.values())
        if key not in self._latencies:
            pace = Pace(times, self._path_trips, self._taken, barrier)
            # nothing is cached when a kernel starts
            parameters = (
                self.device.latencies["l2_cycles"] if self.measured.kernel.parameters else 0.0
            )
            self._latencies[key] = parameters + duration(self.program.items, pace)
        return self._latencies[key]

    def _access_time(self, op: Op, found: Mapping[ir.AccessSite, Traffic]) -> float:
        """Cycles from the issue of an access or a shuffle until what it gives is there."""
        latencies = self.device.latencies
        if op.kind == "shuffle":
            return latencies["shared_cycles"]
        known = found.get(op.site) if op.site is not None else None
        if known is None or not known.requests:
            return op.cost.latency
        if known.space == "shared":
            passes = known.wavefronts / known.requests
            base = (
                latencies.get("shared_atomic_cycles", latencies["shared_cycles"])
                if op.kind == "atomic"
                else latencies["shared_cycles"]
            )
        else:
            passes = known.lines / known.requests
            missed = (
                latencies["l2_cycles"] if self.capacity.l2_holds else latencies["global_cycles"]
            )
            part = 0.0 if known.space != "global" else 1.0 if op.kind == "atomic" else known.missing
            base = part * missed + (1 - part) * latencies["l1_cycles"]
        return base + max(0.0, passes - 1)

    def _path_trips(self, loop: ir.Loop) -> float:
        """Iterations of the slowest warp."""
        entered, most = self.measured.executions.get(loop, 0), self.measured.longest.get(loop)
        first = next(iter((*loop.body, *loop.step)), None)
        if not entered or first is None or most is None:
            return 0.0
        mean = self.measured.executions.get(first, 0) / entered
        return max(mean, float(most - 1)) if mean < most else float(most)

    def _taken(self, branch: ir.If) -> tuple[float, float]:
        """How much of each side the slowest warp's path holds: all of it where one warp of a block
        goes there."""
        entered = self.measured.executions.get(branch, 0)
        found = []
        for body in (branch.then, branch.otherwise):
            times = self.measured.executions.get(body[0], 0) if body else 0
            found.append(
                min(1.0, times / entered * self.measured.warps_per_block) if entered else 0.0
            )
        return found[0], found[1]

    def units(
        self, found: Mapping[ir.AccessSite, Traffic], issue: Mapping[str, float]
    ) -> dict[str, float]:
        """Cycles that each unit is busy with the whole launch; those of an SM for the busiest one.
        `issue`: instructions by pipe."""
        rates, share = self.device.rates, self.share
        busiest = share.most / share.blocks
        shared = (
            sum(t.wavefronts for t in found.values())
            * busiest
            / rates["shared_wavefronts_per_cycle"]
        )
        touching = [t for t in found.values() if t.space in ("global", "local")]
        l1 = (
            max(
                sum(t.sectors for t in touching) / rates["l1_sectors_per_cycle"],
                sum(t.lines for t in touching),
            )
            * busiest
        )
        read = (
            sum(t.beyond for t in touching if t.op == "load" or t.op == "copy")
            / rates["l2_sectors_per_cycle"]
        )
        written = sum(t.beyond for t in touching if t.op in ("store", "atomic"))
        one = (
            sum(t.beyond for t in touching)
            * busiest
            / rates.get("l2_sectors_per_cycle_one_sm", math.inf)
        )
        dram = 0.0 if self.capacity.l2_holds else self.capacity.moved
        per_cycle = rates["dram_bytes_per_second"] / (self.device.clocks["sm_mhz"] * 1e6)
        return {
            "issue": self._issue_cycles(issue) * busiest,
            "shared memory": shared,
            "L1": l1,
            "L2": max(
                read,
                written / rates.get("l2_write_sectors_per_cycle", rates["l2_sectors_per_cycle"]),
                one,
            ),
            "DRAM": dram / per_cycle,
            "dispatch": share.blocks * self.device.overheads.get("block_cycles", 0.0),
        }

    def _issue_cycles(self, issue: Mapping[str, float]) -> float:
        """Of all warps of the launch on one SM: the schedulers', or the busiest pipe's. An SM with
        fewer warps than schedulers uses as many."""
        rates, schedulers = self.device.rates, self.device.limits.get("schedulers", 1)
        resident = self.share.resident * self.measured.warps_per_block
        rate = rates["instructions_per_cycle"] * min(1.0, resident / schedulers)
        busy = [issue[pipe] / rates[key] for pipe, key in PIPES.items() if key in rates]
        return max([sum(issue.values()) / rate, *busy])

    @property
    def overhead(self) -> float:
        return self.device.overheads["profiled_launch_cycles"]

    def total(self, latency: float, units: Mapping[str, float]) -> float:
        waves, most = self.share.waves, max(units.values())
        turns = (waves - 1) * self.device.overheads["block_turnaround_cycles"]
        return self.overhead + max(waves * latency + turns, most) + min(latency, most / waves)

    def cycles(self) -> tuple[float, dict[str, float]]:
        """Of the launch, and of its parts; they overlap, so that they do not add up to it."""
        units = self.units(self.found, self.issue)
        barriers = self.latency - self._latency(self.found, 0.0)
        exposed = self.latency * self.share.waves
        parts = {
            "launch": self.overhead,
            "latency": exposed,
            **units,
            "barriers": barriers * self.share.waves,
        }
        return self.total(self.latency, units), {
            name: value for name, value in parts.items() if value > 0
        }

    # ------------------------------------------------------------ what would be saved, what is not
    # known

    def _with(self, found: Mapping[ir.AccessSite, Traffic], barrier: float | None = None) -> float:
        return self.total(
            self._latency(found, self.barrier if barrier is None else barrier),
            self.units(found, self.issue),
        )

    def savings(self, cycles: float) -> tuple[facts.Saving, ...]:
        """What the launch would gain without bank conflicts, with coalesced accesses, without
        barriers."""
        ideal = {
            s: replace(t, wavefronts=min(t.wavefronts, t.ideal)) if t.space == "shared" else t
            for s, t in self.found.items()
        }
        packed = {
            s: _packed(t, self.device) if t.space == "global" else t for s, t in self.found.items()
        }
        without = {
            "bank conflicts": self._with(ideal),
            "uncoalesced accesses": self._with(packed),
            "barriers": self._with(self.found, 0.0),
        }
        found = [
            facts.Saving(cause, round(cycles - left), (cycles - left) / cycles)
            for cause, left in without.items()
        ]
        return tuple(s for s in found if s.cycles > 0)

    def bounds(self, cycles: float) -> tuple[float, float]:
        """The estimate with what is not known, or only between bounds, at its least and at its
        most."""
        lanes = self.device.warp_lanes
        least = {s: _at_best(t) if t.assumed else _scaled(t, 0) for s, t in self.found.items()}
        most = {
            s: _at_worst(t, lanes) if t.assumed else _scaled(t, 1) for s, t in self.found.items()
        }
        low = self.overhead if self.measured.doubtful else self._bound(least, cycles)
        high = self._bound(most, cycles) + self._from_dram(most) + self._serialized()[0]
        return min(cycles, low), max(cycles, high)

    def not_modelled(self, cycles: float) -> str:
        """What decides the time and is not modelled; "" for nothing."""
        calls = [s.what for s in self.measured.executions if isinstance(s, ir.Clobber)]
        if calls:
            return f"what `{calls[0]}` does is not counted"
        if self.measured.kernel.uncounted:
            return f"what `{self.measured.kernel.uncounted[0][0]}` accesses is not counted"
        longest, text, updates = self._serialized()
        if longest > cycles:
            return f"`{text}` may update one address {updates:,} times, and how long that takes is not modelled"
        return ""

    def _serialized(self) -> tuple[float, str, int]:
        """Of the global atomics that may take longest, one update of an address after the other:
        cycles at most, the access, updates of its busiest address."""
        found = []
        touched = self.measured.touched
        for tally, access in self.measured.accesses:
            if access.space != "global" or access.op != "atomic" or not access.requests:
                continue
            updates = access.requests * (access.active_lanes or self.device.warp_lanes)
            reach = [t for (site, _), t in touched.items() if site is tally.site]
            known = reach and not any(t.unknown for t in reach)
            places = sum(max(1, (t.high - t.low) // max(1, access.bytes)) for t in reach)
            busiest = math.ceil(updates / places) if known else math.ceil(updates)
            found.append((UPDATE * busiest if busiest > 1 else 0.0, access.text, busiest))
        return max(found, default=(0.0, "", 0))

    def _from_dram(self, found: Mapping[ir.AccessSite, Traffic]) -> float:
        """Cycles that accesses of unknown addresses take beside, where what they touch is not in
        L2: each sector comes with a second one that is not used."""
        unknown = {site for (site, _), t in self.measured.touched.items() if t.unknown}
        sectors = sum(t.beyond for site, t in found.items() if site in unknown)
        if not sectors or not self.capacity.l2_holds:
            return 0.0
        rates, latencies = self.device.rates, self.device.latencies
        per_cycle = rates["dram_bytes_per_second"] / (self.device.clocks["sm_mhz"] * 1e6)
        farther = latencies["global_cycles"] - latencies["l2_cycles"]
        moved = 2 * sectors * self.device.sector_bytes
        return moved / per_cycle + self.share.waves * farther

    def _bound(self, found: Mapping[ir.AccessSite, Traffic], cycles: float) -> float:
        """The estimate with other traffic; `cycles` with that of the launch."""
        if all(t is self.found[site] for site, t in found.items()):
            return cycles
        return self.total(
            self._latency(found, self.barrier), self.units(found, self._instructions(found))
        )

    def assumptions(self) -> list[str]:
        found = [t.assumed for t in self.found.values() if t.assumed]
        if self.held.limits.get("registers") is None:
            found.append(
                "registers are not known and taken not to limit what is resident; give --registers"
            )
        where = "is in L2 from the start" if self.capacity.l2_holds else "comes from DRAM once"
        if any(t.unknown for t in self.measured.touched.values()):
            found.append(f"which global memory is touched is not known; it {where}")
        elif any(t.space == "global" for t in self.found.values()):
            found.append(
                f"global memory touched ({self.capacity.footprint / 1e6:.3g} MB at most) {where}"
            )
        if self.measured.doubtful:
            found.append("branches on data are taken as if every warp went there")
        if self.kernel.dynamic_shared_bytes is None and any(
            o.dynamic for o in self.measured.kernel.objects
        ):
            found.append(
                "how much dynamic shared memory a block has is not known and taken to be none"
            )
        stores = any(
            t.space == "global" and t.op in ("store", "atomic") for t in self.found.values()
        )
        if stores and "l2_write_sectors_per_cycle" not in self.device.rates:
            found.append(
                f"how fast L2 of {self.device.name} takes stores is not known and taken to be as fast as it gives loads"
            )
        keys = [f"{section}.{key}" for _, section, keys in NEEDED for key in keys]
        guessed = [key for key in keys if self.device.sources.get(key, "").startswith("assumed")]
        return [
            *found,
            *([f"of the profile of {self.device.name}: {', '.join(guessed)}"] if guessed else []),
        ]


def _packed(t: Traffic, device: Device) -> Traffic:
    """The same bytes in as few sectors as hold them."""
    if t.sectors <= t.ideal:
        return t
    part = t.ideal / t.sectors
    lines = max(t.requests, t.ideal * device.sector_bytes / device.line_bytes)
    return replace(
        t,
        sectors=t.ideal,
        lines=min(t.lines, lines),
        beyond=min(t.beyond, t.ideal if t.beyond == t.sectors else t.fresh),
        fresh=t.fresh * part,
    )


def _scaled(t: Traffic, end: int) -> Traffic:
    """At the least (0) or the most (1) of its spread."""
    requests, total = t.spread.requests[end], t.spread.total[end]
    if requests == total == 1.0:
        return t
    return replace(
        t,
        requests=t.requests * requests,
        wavefronts=t.wavefronts * total,
        sectors=t.sectors * total,
        lines=t.lines * total,
        beyond=t.beyond * total,
    )


def _at_best(t: Traffic) -> Traffic:
    return (
        replace(t, wavefronts=t.ideal)
        if t.space == "shared"
        else replace(t, sectors=min(t.ideal, t.requests), beyond=min(t.beyond, t.ideal, t.requests))
    )


def _at_worst(t: Traffic, lanes: int) -> Traffic:
    return replace(t, wavefronts=t.requests * lanes) if t.space == "shared" else t
