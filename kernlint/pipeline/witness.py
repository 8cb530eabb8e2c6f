"""The compiler as a witness: predictions replaced by what a kernel's machine code says.

In: a file, the user's compiler, a kernel's facts under a launch. Out: the facts, with `as_compiled`
and `charged_line` from machine code wherever it decides them. A file that does not compile keeps
its predictions, and a note says so. Never: a number of machine code that loaded data or an unknown
argument decides; there the prediction stands.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from kernlint.base.dataclass import dataclass
from kernlint.base.span import Problem, Span
from kernlint.lowering.ptx.program import plain_argument
from kernlint.lowering.templates.demangling import demangled
from kernlint.model import facts
from kernlint.model.reasons import gave_up
from kernlint.model.settings import Settings
from kernlint.pipeline.compiled_resources import unexecuted, with_resources
from kernlint.pipeline.initial_constants import initial_constants
from kernlint.pipeline.joined_counts import Pointers, joined, rest
from kernlint.source import files

if TYPE_CHECKING:
    from kernlint.hardware import Device
    from kernlint.ir import nodes as ir
    from kernlint.machine_code.elf import KernelParameter
    from kernlint.machine_code.execute import LineCount, Module
    from kernlint.machine_code.launch import Argument, MachineLaunch

# launches in clusters that the machine code does not tell of: a block's rank is not followed
CLUSTERS = re.compile(r"\bthis_cluster\b|%cluster|cudaLaunchAttributeCluster")
ANONYMOUS = re.compile(r"\b_GLOBAL__N_\w*::")  # a namespace without a name, as nvcc calls it
READ = "machine-code"  # the reason of what only the machine code says
Charged = tuple[str, int, str, str]  # file's name, line, space, operation
ALLOCATED = 256  # bytes: what cudaMalloc aligns to
UNITS = {"shared": "wavefronts", "global": "sectors", "local": "sectors"}


@dataclass(frozen=True, slots=True)
class Witness:
    """A file's machine code. `origin`: "nvcc 13.0.88, sm_90"."""

    module: Module
    origin: str
    device: Device
    initial: frozenset[str] = frozenset()  # `__constant__` variables that nothing changes

    def registers(self, given: Mapping[str, int]) -> dict[str, int]:
        """Per thread, by the names that settings know kernels by; those `given` (by the user, ""
        for all kernels) stand. Namesakes that differ are left out."""
        found: dict[str, set[int]] = defaultdict(set)
        for name, kernel in self.module.kernels.items():
            plain = demangled(name)
            short = plain.name.rpartition("::")[2]
            arguments = ", ".join(plain.template_arguments)
            found[f"{short}<{arguments}>" if arguments else short].add(kernel.registers)
        read = {name: one for name, (one, *others) in found.items() if not others}
        open_ = {name for name in read if given.keys().isdisjoint((name.partition("<")[0], ""))}
        return {**{name: read[name] for name in open_}, **given}

    def heard(self, kernel: facts.Kernel, instance: ir.Kernel) -> facts.Kernel:
        """The kernel's facts, corrected."""
        name = self._name(kernel)
        if name is None:
            return kernel
        code = self.module.kernels[name]
        instructions, spilled = self.module.code.get(name, ()), self.module.spills.get(name)
        kernel = with_resources(kernel, code, instructions, self.origin, spilled)
        launch = None if code.in_clusters else machine_launch(kernel, instance, code.parameters)
        if launch is None:
            return kernel
        launch = replace(launch, initial=self.initial)
        files = {os.path.basename(access.span.path) for access in kernel.accesses}
        counts = self.module.count(name, launch, self.device, files)
        accesses = _Reading(kernel, counts, self.origin, pointers(instance)).accesses()
        return replace(kernel, accesses=tuple(accesses))

    def _name(self, kernel: facts.Kernel) -> str | None:
        """The mangled name; None where the instance was not compiled, or several may be meant."""
        wanted = (kernel.name, [plain_argument(text) for text in kernel.template_arguments])
        found = {}
        for name in self.module.kernels:
            plain = demangled(name)
            arguments = [plain_argument(text) for text in plain.template_arguments]
            if (plain.name.rpartition("::")[2], arguments) == wanted:
                found[name] = ANONYMOUS.sub("", plain.name)
        if len(found) > 1:  # namesakes of other namespaces
            found = {name: own for name, own in found.items() if own == kernel.qualified_name}
        return next(iter(found)) if len(found) == 1 else None


def witness(
    source: files.Source, settings: Settings, device: Device, problems: list[Problem]
) -> Witness | None:
    """The file compiled for the device; None, and a note, where it cannot be. A text that is not
    the file's, typed or tried, is not compiled."""
    from kernlint.machine_code import toolkit
    from kernlint.machine_code.elf import MachineCodeError, ToolTimeout

    path, compiler = source.path, settings.compiler
    if compiler is None or device.capability is None or not os.path.isfile(path):
        return None
    if files.read(path, settings.language).text != source.text:
        return None
    start = Span(path, 1, 1, 1, 1)
    if CLUSTERS.search(source.text or ""):
        problems.append(gave_up("compile-cluster", start))
        return None
    try:
        module = toolkit.compiled(
            compiler.path, path, device.capability, settings.defines, settings.include_dirs
        )
    except MachineCodeError as error:
        reason = "compile-timeout" if isinstance(error, ToolTimeout) else "compile"
        problems.append(gave_up(reason, start, why=str(error)))
        return None
    origin = f"nvcc {compiler.version}, sm_{device.capability}"
    return Witness(module, origin, device, initial_constants(source.text or "", module.constants))


def machine_launch(
    kernel: facts.Kernel, instance: ir.Kernel, parameters: Sequence[KernelParameter]
) -> MachineLaunch | None:
    """The launch as machine code sees it; None where a size is not known, or the source's parameters
    do not lie as the code's `parameters` do."""
    from kernlint.machine_code.launch import MachineLaunch

    launch = kernel.launch
    if launch.grid is None or launch.block_assumed or launch.dynamic_shared_bytes is None:
        return None
    found = list(_arguments(kernel, instance))
    if [size for size, _ in found] != [parameter.size for parameter in parameters]:
        return None
    arguments = {number: argument for number, (_, argument) in enumerate(found)}
    return MachineLaunch(launch.grid, launch.block, launch.dynamic_shared_bytes, arguments)


def _arguments(kernel: facts.Kernel, instance: ir.Kernel) -> Iterator[tuple[int, Argument]]:
    """Size and value of each parameter: scalars and pointers as they are, members of a class at the
    offsets that natural alignment gives them. Classes within a class have padding of their own:
    from the first on nothing is said."""
    from kernlint.machine_code.launch import ArgumentMember

    for name, leaves in _groups(instance).items():
        if [leaf.name for leaf in leaves] == [name]:
            yield leaves[0].variable.type.size or 0, _value(kernel, leaves[0])
            continue
        members, offset, widest, is_flat = [], 0, 1, True
        for leaf in leaves:
            size, align = leaf.variable.type.size or 0, leaf.variable.type.align
            offset = -(-offset // align) * align
            value = _value(kernel, leaf)
            is_flat = is_flat and leaf.name.count(".") == 1
            if is_flat and value is not None and not isinstance(value, tuple):
                members.append(ArgumentMember(offset, size, value))
            offset, widest = offset + size, max(widest, align)
        yield -(-offset // widest) * widest, tuple(members)


def _value(kernel: facts.Kernel, parameter: ir.Parameter) -> Argument:
    """None where it is not known; a pointer that nobody gives is one of its own, unless the counts
    rest on its not being null."""
    from kernlint.machine_code.launch import DevicePointer

    given = kernel.launch.arguments.get(parameter.name)
    if isinstance(given, int):
        return given
    if isinstance(given, facts.PointerArgument):
        return DevicePointer(given.offset_bytes) if given.align >= ALLOCATED else None
    if given is not None or parameter.object is None:
        return None
    return None if f"{parameter.name}{facts.NOT_NULL}" in kernel.assumptions else DevicePointer()


def pointers(instance: ir.Kernel) -> Pointers:
    """By the place of a parameter's pointer, its name."""
    found = {}
    for number, group in enumerate(_groups(instance).values()):
        offset = 0
        for leaf in group:
            align = leaf.variable.type.align
            offset = -(-offset // align) * align
            if leaf.object is not None:
                found[number, offset] = leaf.name
            offset += leaf.variable.type.size or 0
    return found


def _groups(instance: ir.Kernel) -> dict[str, list[ir.Parameter]]:
    """The leaves of each parameter."""
    groups: dict[str, list[ir.Parameter]] = defaultdict(list)
    for parameter in instance.parameters:
        groups[parameter.name.partition(".")[0]].append(parameter)
    return groups


class _Reading:
    """One kernel's accesses held against the counts of its lines."""

    def __init__(
        self, kernel: facts.Kernel, counts: Sequence[LineCount], origin: str, pointers: Pointers
    ) -> None:
        self.kernel, self.origin, self.pointers = kernel, origin, pointers
        self.changed: dict[int, facts.Access] = {}
        self.of_header: set[int] = set()  # accesses whose instructions are charged to a header
        self.unplaced: set[tuple[str, str]] = set()  # kinds of which some access is not found
        self.counts: dict[Charged, LineCount] = {
            (os.path.basename(count.place.path), count.place.line, count.space, count.op): count
            for count in counts
            if count.place is not None and count.space in UNITS and count.op != "copy"
            if count.site is None
        }
        self.unread: dict[Charged, LineCount] = {
            (os.path.basename(count.place.path), count.place.line, space, count.op): count
            for count in counts
            if count.place is not None and count.space == "generic"
            for space in UNITS
        }
        self.called = [count for count in counts if count.site is not None]
        self.generic = any(count.space == "generic" or count.place is None for count in counts)
        self.files = {os.path.basename(access.span.path) for access in kernel.accesses}
        self.of_line: dict[Charged, list[int]] = defaultdict(list)
        for index, access in enumerate(kernel.accesses):
            self.of_line[_charged(access)].append(index)

    def accesses(self) -> list[facts.Access]:
        for key, count in self.counts.items():
            if indices := self.of_line.get(key):
                self._line(indices, count)
        for key, count in self.unread.items():
            self._doubted([i for i in self.of_line.get(key, ()) if i not in self.changed], count)
        self._called()
        self._moved()
        return [
            self.changed.get(index, access) for index, access in enumerate(self.kernel.accesses)
        ]

    def _line(self, indices: Sequence[int], count: LineCount) -> None:
        """A line by objects, as far as they can be told apart and the sum says nothing."""
        whole = _agree([self.kernel.accesses[index] for index in indices], count)
        parts = None if whole else joined(indices, self.kernel.accesses, count, self.pointers)
        for own, part in parts or [(list(indices), count)]:
            if not part.doubt:
                self._read(own, part)
            else:
                self._doubted(own, part)

    def _doubted(self, indices: Sequence[int], count: LineCount) -> None:
        """A line that the machine code leaves open: where data decides, the prediction stands; else
        it is a range."""
        from kernlint.machine_code.tally import BY_DATA

        for index in indices if count.doubt != BY_DATA else ():
            access = self.kernel.accesses[index]
            if (access.as_compiled or access).status == "exact":
                self.changed[index] = replace(
                    access, status="range", as_compiled=None, reason="compiler", detail=count.doubt
                )

    def _read(self, indices: Sequence[int], count: LineCount) -> None:
        """A line whose numbers machine code decides. Several accesses of a line that the model
        counts otherwise than the machine have one sum: it is told of the first."""
        accesses = [self.kernel.accesses[index] for index in indices]
        if _agree(accesses, count):
            for index, access in zip(indices, accesses, strict=True):
                line = count.place.line if count.place is not None else access.charged_line
                self.changed[index] = replace(_at(access, line), read_from=self.origin)
            return
        left = rest(indices, self.kernel.accesses, count)
        if left is not None and len(indices) > 1:
            open_, count = left
            for index in indices:
                self.changed[index] = replace(self.kernel.accesses[index], read_from=self.origin)
            self.changed[open_] = self._counted(self.kernel.accesses[open_], count)
            return
        first, *others = indices
        self.changed[first] = self._counted(self.kernel.accesses[first], count)
        for index in others:
            self.changed[index] = unexecuted(self.kernel.accesses[index], "merged", self.origin)

    def _called(self) -> None:
        """Accesses that are charged to a header, by the line that calls it."""
        found: dict[Charged, list[LineCount]] = defaultdict(list)
        for count in self.called:
            if count.site is not None:
                name = os.path.basename(count.site.path)
                found[name, count.site.line, count.space, count.op].append(count)
        for key, counts in found.items():
            indices = [i for i in self.of_line.get(key, ()) if i not in self.changed]
            if len(counts) != 1 or not indices or key in self.counts:
                self.unplaced.add(key[2:])
                continue
            self.of_header.update(indices)
            (count,) = counts
            if not count.doubt and count.place is not None:
                self._read(indices, count)
                for index in indices:
                    changed = self.changed[index]
                    path, line = count.place.path, count.place.line
                    changed = replace(changed, charged_path=path, charged_line=line)
                    self.changed[index] = changed

    def _moved(self) -> None:
        """Accesses on lines without machine code: what is left of their kind is charged to another
        line, the nearest that no access claims; else they are gone. Where counts of their kind are
        open, or addresses are generic, nothing is said."""
        for space, op in dict.fromkeys((key[2], key[3]) for key in self.of_line):
            if space not in ("shared", "global") or op == "copy":
                continue
            own = {key: count for key, count in self.counts.items() if key[2:] == (space, op)}
            free = [key for key in own if key not in self.of_line]
            unsure = self.generic or (space, op) in self.unplaced
            if unsure or any(own[key].doubt for key in free):
                continue
            if any(key[0] not in self.files for key in free):
                continue  # charged to a header: which access that is, the line does not tell
            lost = [
                key
                for key, indices in self.of_line.items()
                if key[2:] == (space, op) and key not in own and self.of_header.isdisjoint(indices)
            ]
            for key in sorted(free, key=lambda each: each[1]):
                nearest = min(lost, key=lambda other: abs(other[1] - key[1]), default=None)
                if nearest is not None and own[key].requests:
                    lost.remove(nearest)
                    self._read(self.of_line[nearest], own[key])
            for key in lost:
                for index in self.of_line[key]:
                    access = self.kernel.accesses[index]
                    self.changed[index] = unexecuted(access, "eliminated", self.origin)

    def _counted(self, access: facts.Access, count: LineCount) -> facts.Access:
        """The access with the counts of a line."""
        if not count.requests:
            return unexecuted(access, "eliminated", self.origin)
        counts = counts_of(count)
        shared = access.space == "shared"
        line = count.place.line if count.place is not None else access.charged_line
        compiled = facts.Compiled(
            bytes=max(count.bits) // 8,
            requests=count.requests,
            active_lanes=count.threads / count.requests,
            wavefronts=counts if shared else None,
            sectors=None if shared else counts,
            status="exact",
            charged_line=line,
            reason=access.as_compiled.reason if access.as_compiled is not None else READ,
            space=access.space,
        )
        return replace(access, as_compiled=compiled, read_from=self.origin)


def counts_of(count: LineCount) -> facts.Counts:
    """Wavefronts or sectors per request."""
    mean = count.units / count.requests
    ideal = count.ideal / count.requests
    return facts.Counts(min(count.least, count.most), mean, count.most, ideal, mean, mean)


def _at(access: facts.Access, line: int) -> facts.Access:
    """The access charged to a line."""
    compiled = access.as_compiled
    if compiled is None:
        return replace(access, charged_line=line)
    return replace(access, as_compiled=replace(compiled, charged_line=line))


def _charged(access: facts.Access) -> Charged:
    compiled = access.as_compiled
    line = compiled.charged_line if compiled is not None else access.charged_line
    path = os.path.basename(access.charged_path or access.span.path)
    return path, line, access.space, access.op


def _agree(accesses: Sequence[facts.Access], count: LineCount) -> bool:
    """Whether the model is sure of a line and says the same of it. Requests in which a guard leaves
    no lane active are the machine's alone."""
    requests = units = 0.0
    for access in accesses:
        compiled = access.as_compiled
        told: facts.Access | facts.Compiled = access if compiled is None else compiled
        counts = told.wavefronts if access.space == "shared" else told.sectors
        if told.requests == 0:
            continue
        if told.status != "exact" or told.requests is None or counts is None:
            return False
        requests += told.requests
        units += told.requests * counts.mean
    close = abs(units - count.units) <= 1e-6 * max(units, 1)
    return close and (requests == count.requests or count.predicated)
