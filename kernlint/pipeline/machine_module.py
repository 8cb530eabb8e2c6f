"""Files of machine code as programs: their kernels, and the numbers of their launches by line.

In: the bytes of a cubin, or of a file that holds some. Out: handles and kernels without a body, as
`PtxProgram` gives them for PTX; facts whose accesses are the lines of the debug table. Raises
`MachineCodeError`. Never: the source. Parameters are called `param_0` and on, and are of the types
that the mangled name states.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from kernlint.base.dataclass import dataclass, field
from kernlint.base.span import Problem, Span
from kernlint.ir import nodes as ir
from kernlint.ir.types import INT, LONG, VOID, OpaqueType, Pointer, Type
from kernlint.lowering.ptx.program import PtxAttributes
from kernlint.lowering.templates.demangling import demangled, parameter_types
from kernlint.machine_code import toolkit
from kernlint.machine_code.accesses import kind
from kernlint.machine_code.containers import cubins
from kernlint.machine_code.control_flow import MEMORY
from kernlint.machine_code.debug_lines import LineTable, SourceLine
from kernlint.machine_code.disassembly import listing
from kernlint.machine_code.elf import Cubin, MachineCodeError, MachineKernel, read
from kernlint.machine_code.execute import LineCount, Module
from kernlint.machine_code.tally import BY_DATA, STOPPED, UNMEASURED, UNREAD
from kernlint.model import facts
from kernlint.model.element_index import ElementIndex
from kernlint.pipeline.compiled_resources import with_resources
from kernlint.pipeline.witness import ANONYMOUS, counts_of, machine_launch

if TYPE_CHECKING:
    from kernlint.hardware import Device

_SCALARS = {4: INT, 8: LONG}
_UNKNOWN_INDEX = ElementIndex(facts.UNWRITTEN)
_COUNTED = ("global", "shared", "local")
_REASONS = {
    BY_DATA: "machine-code-open",
    STOPPED: "machine-code-stopped",
    UNMEASURED: "hardware-model",
    UNREAD: "unknown-pointer",
}


@dataclass(slots=True, eq=False)
class CodeKernel:
    """A kernel of a file of machine code. `name`: as in the source, without arguments; `symbol`: as
    the file has it."""

    name: str
    qualified_name: str
    template_arguments: tuple[str, ...]
    symbol: str
    module: Module
    table: LineTable
    span: Span = Span("", 1, 1, 1, 2)
    attributes: PtxAttributes = PtxAttributes()
    is_template: bool = False
    explicit_instantiations: list[tuple[str, ...]] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


class CodeProgram:
    """The kernels of a file that the device runs."""

    def __init__(self, path: str, data: bytes, device: Device) -> None:
        self.problems: list[Problem] = []
        self.device, self.path = device, path
        self._handle_of: dict[ir.Kernel, CodeKernel] = {}  # namesakes may stand in one line
        self._listed = 0  # instructions so far, which are the lines of code without a line table
        self._kernels = [
            handle
            for module in _modules(_fitting(cubins(data), device))
            for handle in self._handles(module)
        ]
        if not self._kernels:
            raise MachineCodeError("it holds no kernel")

    def kernels(self) -> list[CodeKernel]:
        return self._kernels

    def canonical(self, handle: CodeKernel, texts: tuple[str, ...]) -> tuple[str, ...]:
        """Each kernel is one instance: whichever arguments are named, it is this one."""
        return handle.template_arguments

    def host_functions(self) -> list[ir.HostFunction]:
        return []

    def instantiate(
        self,
        handle: CodeKernel,
        template_arguments: tuple[str, ...] | None,
        cluster: tuple[int, int, int] | None = None,
    ) -> ir.Kernel:
        """The kernel's declaration: its body is the machine code's."""
        code = handle.module.kernels[handle.symbol]
        parameters = tuple(_parameters(code))
        declared = ir.Kernel(
            handle.name,
            handle.qualified_name,
            handle.template_arguments,
            handle.span,
            parameters,
            (),
            tuple(each.object for each in parameters if each.object is not None),
            ir.Label("return"),
            "cuda",
            code.static_shared_bytes,
        )
        self._handle_of[declared] = handle
        return declared

    def heard(self, kernel: facts.Kernel, instance: ir.Kernel) -> facts.Kernel:
        """The facts of a launch, with the accesses that its machine code makes."""
        handle = self._handle_of[instance]
        code = handle.module.kernels[handle.symbol]
        origin = f"{os.path.basename(self.path)}, sm_{handle.module.cubin.architecture}"
        launch = None if code.in_clusters else machine_launch(kernel, instance, code.parameters)
        if launch is None:
            why = "unknown-cluster" if code.in_clusters else "unknown-launch"
            found = [replace(each, reason=why) for each in self._uncounted(handle, origin)]
        else:
            counts = handle.module.count(handle.symbol, launch, self.device)
            found = [self._access(count, handle, origin) for count in counts]
        found.sort(key=lambda access: (access.span.path, access.span.line))
        known = with_resources(
            replace(kernel, accesses=tuple(found)),
            code,
            handle.module.code.get(handle.symbol, ()),
            origin,
        )
        return replace(known, estimate="machine code alone has no estimate", shared_cycles=None)

    def _handles(self, module: Module) -> Iterator[CodeKernel]:
        for symbol in module.kernels:
            if module.code.get(symbol):
                found = demangled(symbol)
                qualified = ANONYMOUS.sub("", found.name)
                name = qualified.rpartition("::")[2]
                table = module.lines.get(symbol)
                if table is None or not table.places:
                    table = self._by_instruction(module, symbol)
                handle = CodeKernel(
                    name, qualified, found.template_arguments, symbol, module, table
                )
                handle.span = self._span(table.places[0])
                yield handle

    def _by_instruction(self, module: Module, symbol: str) -> LineTable:
        """The place of code without a line table: the number of the instruction in the file."""
        code = module.code[symbol]
        lines = range(self._listed + 1, self._listed + len(code) + 1)
        self._listed += len(code)
        table = LineTable(
            tuple(each.address for each in code),
            tuple(SourceLine(self.path, line) for line in lines),
        )
        module.lines = {**module.lines, symbol: table}
        return table

    def _span(self, place: SourceLine) -> Span:
        path = os.path.normpath(place.path)
        beside = os.path.join(os.path.dirname(self.path), os.path.basename(path))
        if not os.path.isfile(path) and os.path.isfile(beside):
            path = beside
        return Span(path, place.line, 1, place.line, 2)

    def _uncounted(self, handle: CodeKernel, origin: str) -> Iterator[facts.Access]:
        """The lines with memory instructions, where no launch is known."""
        found: dict[tuple[SourceLine, str, str], set[int]] = {}
        for each in handle.module.code[handle.symbol]:
            if each.family in MEMORY and not (each.guard is not None and each.guard.always):
                what = kind(each)
                place = handle.table.at(each.address) or handle.table.places[0]
                found.setdefault((place, what.space, what.op), set()).add(what.bits or 32)
        for (place, space, op), bits in found.items():
            empty = LineCount(place, space, op, tuple(sorted(bits)), False, 0, 0, 0, 0, 0, 0, "-")
            yield self._access(empty, handle, origin)

    def _access(self, count: LineCount, handle: CodeKernel, origin: str) -> facts.Access:
        exact = not count.doubt and count.space in _COUNTED and count.op != "copy"
        span = self._span(count.place or handle.table.places[0])
        widths = ", ".join(str(bits) for bits in count.bits)
        lanes = count.threads / count.requests if count.requests else None
        counts = counts_of(count) if exact and count.requests else None
        return facts.Access(
            span=span,
            charged_line=span.line,
            text=f"{count.space} {count.op} of {widths} bits",
            object="",
            space=count.space,
            op=count.op,
            hardware_op=count.op,
            bytes=max(1, max(count.bits, default=32) // 8),
            element_index=_UNKNOWN_INDEX,
            status="exact" if exact else "unknown",
            reason="" if exact else _REASONS.get(count.doubt, "hardware-model"),
            requests=count.requests if exact else None,
            active_lanes=lanes if exact else None,
            wavefronts=counts if count.space == "shared" else None,
            sectors=counts if count.space != "shared" else None,
            read_from=origin,
        )


def launch_comments(path: str) -> list[tuple[Span, str]]:
    """The lines of a text beside the file, where launches stand as comments; none without one."""
    try:
        text = Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return []
    return [
        (Span(path, line, 1, line, len(words) + 1), words)
        for line, words in enumerate(text.splitlines(), 1)
    ]


def _fitting(found: Sequence[bytes], device: Device) -> list[tuple[bytes, Cubin]]:
    """The cubins of the architecture nearest below the device's, of its own generation."""
    wanted = device.capability or 0
    read_ = [(data, read(data)) for data in found]
    runs = {
        cubin.architecture
        for _, cubin in read_
        if cubin.architecture // 10 == wanted // 10 and cubin.architecture <= wanted
    }
    if not runs:
        held = ", ".join(f"sm_{each}" for each in sorted({c.architecture for _, c in read_}))
        raise MachineCodeError(
            f"it holds machine code for {held}, which {device.title} does not run: "
            "choose a matching one with --device"
        )
    return [(data, cubin) for data, cubin in read_ if cubin.architecture == max(runs)]


def _modules(found: Sequence[tuple[bytes, Cubin]]) -> Iterator[Module]:
    disassembler = toolkit.nvdisasm()
    with tempfile.TemporaryDirectory() as folder:
        for number, (data, cubin) in enumerate(found):
            made = Path(folder) / f"{number}.cubin"
            made.write_bytes(data)
            if cubin.kernels:
                yield Module(cubin, listing(disassembler, made))


def _parameters(code: MachineKernel) -> Iterator[ir.Parameter]:
    """By the mangled name's types; a pointer that nobody gives is one of its own."""
    types = parameter_types(code.name) or ()
    stated: Mapping[int, str] = dict(enumerate(types)) if len(types) == len(code.parameters) else {}
    for each in code.parameters:
        name = f"param_{each.ordinal}"
        if stated.get(each.ordinal, "").endswith("*"):
            pointee = ir.MemoryObject(name, "global", VOID, None, 1, parameter=name)
            type_: Type = Pointer(VOID)
            yield ir.Parameter(name, ir.Variable(name, type_), pointee)
        else:
            plain = _SCALARS.get(each.size) or OpaqueType(name, each.size)
            yield ir.Parameter(name, ir.Variable(name, plain))
