"""The index of every access: a symbolic pass over a kernel.

In: an `ir.Kernel` and its launch. Out: per access site, the index in elements from the object's
start, as a sum of products and as people read it. Never: counts, or a value of a lane. Text is for
people: it is not stable and nothing is computed from it.

Variables hold nodes. Where paths join with different values, and around loops, a variable becomes a
symbol of its own name; but one that starts from thread ids or an object and advances by a
loop-invariant step keeps its form: start + step*iteration.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial

from kernlint.algebra.display import Display
from kernlint.algebra.expression import IndexNode, Nodes, symbols
from kernlint.algebra.loops import assigned, induction
from kernlint.algebra.polynomial import Polynomial
from kernlint.algebra.relevance import relevant
from kernlint.algebra.values import AXES, JOINED, OPENCL, WALKED, Environment, Values
from kernlint.base.dataclass import dataclass
from kernlint.ir import nodes as ir
from kernlint.ir.traversal import targets as assigned_by
from kernlint.ir.types import Array, Pointer, Record, Type
from kernlint.model.element_index import ElementIndex
from kernlint.model.facts import UNWRITTEN, Launch

# a variable as an iteration of a loop begins, or (None) the number of that iteration
Carried = tuple[ir.BranchSite, ir.Variable | None]
# nodes of a value that a variable may stand for; a longer one is shown by the variable's name
LONGEST = 48
LANES = ("thread", "lane", "block")  # kinds of symbols that tell threads apart
TELLING = (*LANES, "object", "pointer", JOINED, WALKED)  # and those that say where a pointer points


@dataclass(frozen=True, slots=True)
class Index:
    """An access's byte address as an expression. `width`: bytes of one machine access; `object`:
    None for an unknown pointer."""

    address: IndexNode
    object: ir.MemoryObject | None
    width: int


@dataclass(frozen=True, slots=True)
class Walked:
    """A variable that a loop moves on by a step: its value before the loop, the step, its value in
    an iteration."""

    start: IndexNode
    step: IndexNode
    inside: IndexNode


@dataclass(frozen=True, slots=True)
class LoopCarried:
    """What a loop carries: its counter, which has no value before the loop that says more, the
    iteration, and what walks."""

    counter: ir.Variable | None
    iteration: IndexNode
    walked: Mapping[ir.Variable, Walked]


NOT_REACHED = ElementIndex("")


def index_reader(kernel: ir.Kernel, launch: Launch) -> Callable[[ir.AccessSite], ElementIndex]:
    """The index of an access site with its unit: nothing is done before the first site is asked
    for; a site not reached has no text."""

    found = cache(partial(_found, kernel, launch))

    @cache
    def read(site: ir.AccessSite) -> ElementIndex:
        sites, display = found()
        return shown(sites[site], display) if site in sites else NOT_REACHED

    return read


def _found(kernel: ir.Kernel, launch: Launch) -> tuple[dict[ir.AccessSite, Index], Display]:
    return indices(kernel, launch), Display(
        _opencl_joins(launch) if kernel.language == "opencl" else ()
    )


def indices(kernel: ir.Kernel, launch: Launch) -> dict[ir.AccessSite, Index]:
    """The address of each access site as an expression node."""
    return indices_in_loops(kernel, launch)[0]


def indices_in_loops(
    kernel: ir.Kernel, launch: Launch
) -> tuple[dict[ir.AccessSite, Index], dict[IndexNode, Carried]]:
    """The same with the meaning of symbols: a variable as an iteration begins, or the number of the
    iteration of a loop, from 0."""
    walk = IndexWalk(kernel, launch)
    walk.run(kernel.body, walk.start())
    return walk.found, walk.carried


def shown(index: Index, display: Display) -> ElementIndex:
    """The index in elements: of the object where its element is scalar and not narrower, else of
    the access; else in bytes."""
    origins = symbols(index.address)
    if any(symbol.kind == "unknown" for symbol in origins):
        return ElementIndex(UNWRITTEN)
    terms = display.canonical(index.address)
    bases = sorted(
        (symbol for symbol in origins if symbol.op == "base"),
        key=lambda symbol: (symbol.name, symbol.serial),
    )
    origin = next((symbol for symbol in bases if terms.get((display.symbol(symbol),)) == 1), None)
    base = None if origin is None else (display.symbol(origin),)
    terms = {monomial: n for monomial, n in terms.items() if monomial != base}
    if origin is not None and _tells_lanes_apart(origin, origins, terms):
        return ElementIndex(UNWRITTEN)
    kind = "" if origin is None else origin.kind
    for unit in _units(index):
        if unit and not any(n % unit for n in terms.values()):
            units = {monomial: n // unit for monomial, n in terms.items()}
            return ElementIndex(display.show(units), unit, display.index_terms(units), kind)
    return ElementIndex(f"byte {display.show(terms)}", 0, display.index_terms(terms), kind)


def _tells_lanes_apart(origin: IndexNode, inside: Iterable[IndexNode], terms: Polynomial) -> bool:
    """Whether all that tells the lanes apart is in the pointer that an address starts from, of which
    only the name is known."""
    if any(symbol.kind in LANES for symbol in inside):
        return False
    return origin.kind == WALKED or (origin.kind == JOINED and not any(terms))


def _units(index: Index) -> Iterable[int]:
    element = index.object.type if index.object is not None else None
    while isinstance(element, Array):
        element = element.element
    size = _scalar_size(element)
    return (
        (size, index.width)
        if size >= index.width
        else (index.width, size)
        if size > 1
        else (index.width,)
    )


def _scalar_size(element: Type | None) -> int:
    return 0 if element is None or isinstance(element, Record) else element.size or 0


def _opencl_joins(launch: Launch) -> tuple[tuple[str, str, int | str, str], ...]:
    sizes = {
        axis: OPENCL["ntid"].format(place) if launch.block_assumed else launch.block[place]
        for axis, place in AXES.items()
    }
    return tuple(
        (
            OPENCL["tid"].format(place),
            OPENCL["ctaid"].format(place),
            sizes[axis],
            f"get_global_id({place})",
        )
        for axis, place in AXES.items()
    )


class IndexWalk:
    """One pass over a kernel's statements. An environment is None where no lane arrives."""

    def __init__(self, kernel: ir.Kernel, launch: Launch) -> None:
        self.nodes = Nodes()
        self.values = Values(self.nodes, kernel.language, launch)
        self.found: dict[ir.AccessSite, Index] = {}
        self.carried: dict[IndexNode, Carried] = {}
        self._kernel, self._launch = kernel, launch
        self._relevant = relevant(kernel.body)
        self._objects: dict[IndexNode, ir.MemoryObject] = {}
        self._leaving: dict[ir.Label, list[Environment]] = {}
        self._depth = 0
        for target in kernel.objects:
            self._objects[self.nodes.base(target.name, "object", id(target))] = target

    def start(self) -> Environment:
        """Parameters: known integers are numbers, pointers their objects, the rest symbols."""
        environment: Environment = {}
        for parameter in self._kernel.parameters:
            known = self._launch.arguments.get(parameter.name)
            if parameter.object is not None:
                base = self.nodes.base(parameter.object.name, "object", id(parameter.object))
                self._objects[base] = parameter.object
                environment[parameter.variable] = base
            elif isinstance(parameter.variable.type, Pointer):
                environment[parameter.variable] = self.nodes.base(parameter.name, "pointer")
            elif isinstance(known, int):
                environment[parameter.variable] = self.nodes.integer(int(known))
            else:
                environment[parameter.variable] = self.nodes.symbol(parameter.name, "parameter")
        return environment

    def run(self, body: ir.Body, environment: Environment | None) -> Environment | None:
        for statement in body:
            if environment is None:
                return None
            environment = self._statement(statement, environment)
        return environment

    def _statement(self, statement: ir.Statement, environment: Environment) -> Environment | None:
        match statement:
            case ir.If():
                return self._if(statement, environment)
            case ir.Region(label=label, body=body):
                return self._region(label, self.run(body, environment))
            case ir.Loop():
                return self._loop(statement, environment)
            case ir.Leave(label=label):
                self._leaving.setdefault(label, []).append(environment)
                return None
            case ir.Trap():
                return None
        self._effect(statement, environment)
        return environment

    def _effect(self, statement: ir.Statement, environment: Environment) -> None:
        match statement:
            case ir.Assign(variable=variable, value=value) if variable in self._relevant:
                node = self.values.node(value, environment)
                long = node.size > LONGEST and not isinstance(variable.type, Pointer)
                environment[variable] = (
                    self.values.origin(variable.name, "value", variable) if long else node
                )
            case ir.Load(targets=targets, address=address, site=site):
                self._access(site, address, environment)
                for _, variable in targets:
                    if variable in self._relevant:
                        name = site.text if len(targets) == 1 else variable.name
                        environment[variable] = self.values.origin(name, "value", variable)
            case ir.Store(address=address, site=site) | ir.Matrix(address=address, site=site):
                self._access(site, address, environment)
            case ir.Atomic(address=address, site=site):
                self._access(site, address, environment)
            case ir.Copy():
                self._access(statement.destination_site, statement.destination, environment)
                self._access(statement.source_site, statement.source, environment)
        if isinstance(statement, (ir.Atomic, ir.Matrix, ir.Shuffle, ir.Vote, ir.Allocate)):
            for variable in assigned_by(statement):
                if variable in self._relevant:
                    environment[variable] = self.values.origin(variable.name, "value", variable)

    def _access(
        self, site: ir.AccessSite, address: ir.Expression, environment: Environment
    ) -> None:
        node = self.values.node(address, environment)
        if site not in self.found:
            bases = [self._objects[symbol] for symbol in symbols(node) if symbol in self._objects]
            width = site.pieces[0][1] if site.pieces else 1
            self.found[site] = Index(node, bases[0] if len(bases) == 1 else None, width)

    def _if(self, statement: ir.If, environment: Environment) -> Environment | None:
        then = self.run(statement.then, dict(environment))
        otherwise = self.run(statement.otherwise, dict(environment))
        return self._join([branch for branch in (then, otherwise) if branch is not None])

    def _region(self, label: ir.Label, end: Environment | None) -> Environment | None:
        arriving = self._leaving.pop(label, [])
        return self._join(arriving + ([end] if end is not None else []))

    def _loop(self, loop: ir.Loop, environment: Environment) -> Environment | None:
        before = dict(environment)
        self._depth += 1
        changes = assigned((loop,))
        carried = self._carry(loop, changes, environment)
        inside = dict(environment)
        if loop.post_test:
            after = self.run(loop.header, self.run(loop.step, self.run(loop.body, inside)))
            ends = [after] if after is not None and loop.condition is not None else []
        else:
            tested = self.run(loop.header, inside)
            ends = [dict(tested)] if tested is not None and loop.condition is not None else []
            self.run(loop.step, self.run(loop.body, tested))
        self._depth -= 1
        result = self._join(ends + self._leaving.pop(loop.label, []))
        return None if result is None else self._settled(changes, result, before, carried)

    def _carry(
        self, loop: ir.Loop, changes: Mapping[ir.Variable, int], environment: Environment
    ) -> LoopCarried:
        """Variables that the loop assigns: start + step*iteration where that says more than the
        name."""
        steps = induction(loop, changes)
        counter = self._counter(steps, environment)
        start = dict(environment)
        for variable in changes:
            if variable in self._relevant:
                environment[variable] = self.values.origin(variable.name, "loop", variable)
                self.carried[environment[variable]] = (loop.site, variable)
        if counter is None:
            iteration = self.nodes.fresh(
                "iteration" + (str(self._depth) if self._depth > 1 else ""), "loop"
            )
            self.carried[iteration] = (loop.site, None)
        else:
            iteration = environment[counter]
        walked = {}
        for variable, step in steps.items():
            if variable in start and variable is not counter and _telling(start[variable]):
                amount = self.values.added(step, environment)
                environment[variable] = self.nodes.add(
                    start[variable], self.nodes.multiply(amount, iteration)
                )
                walked[variable] = Walked(start[variable], amount, environment[variable])
        return LoopCarried(counter, iteration, walked)

    def _counter(
        self, steps: dict[ir.Variable, ir.Expression], environment: Environment
    ) -> ir.Variable | None:
        """A variable that counts the iterations itself: from 0 by 1."""
        for variable, step in steps.items():
            start = environment.get(variable)
            if (
                start is not None
                and start.op == "int"
                and start.value == 0
                and isinstance(step, ir.Constant)
                and step.value == 1
            ):
                return variable
        return None

    def _settled(
        self,
        changes: Iterable[ir.Variable],
        after: Environment,
        before: Environment,
        carried: LoopCarried,
    ) -> Environment:
        """Behind the loop its variables have one last value, which their names stand for; what
        walked from a start that says more keeps it, with the counter's last value for the number of
        turns."""
        changed = [v for v in changes if v in after and v in before and after[v] is not before[v]]
        ends = {variable: after[variable] for variable in changed}
        for variable in changed:
            after[variable] = self.values.origin(variable.name, "value", variable)
        turns = self._turns(carried, ends, after)
        for variable, walked in carried.walked.items():
            more = _beyond(ends[variable], walked.inside) if variable in ends else None
            if more is not None and turns is not None:
                moved = self.nodes.add(walked.start, self.nodes.multiply(walked.step, turns))
                after[variable] = self.nodes.add(
                    moved, self.nodes.integer(0) if more is walked.inside else more
                )
        return after

    def _turns(
        self, carried: LoopCarried, ends: Mapping[ir.Variable, IndexNode], after: Environment
    ) -> IndexNode | None:
        """Which iteration a loop is left in, by the last value of its counter; None where that does
        not tell."""
        if carried.counter is None:
            return self.nodes.fresh(carried.iteration.name, "value")
        if carried.counter not in ends:
            return self.values.origin(carried.counter.name, "value", carried.counter)
        more = _beyond(ends[carried.counter], carried.iteration)
        if more is None:
            return None
        return (
            after[carried.counter]
            if more is carried.iteration
            else self.nodes.add(after[carried.counter], self.nodes.negate(more))
        )

    def _join(self, environments: list[Environment]) -> Environment | None:
        """Where paths meet: a variable whose values differ becomes a symbol of its name."""
        if len(environments) < 2:
            return environments[0] if environments else None
        first, *others = environments
        result: Environment = {}
        for variable, node in first.items():
            for other in others:
                if other.get(variable) is not node:
                    node = self.values.origin(variable.name, JOINED, variable)
                    break
            result[variable] = node
        for variable in dict.fromkeys(
            variable for other in others for variable in other if variable not in first
        ):
            result[variable] = self.values.origin(variable.name, JOINED, variable)
        return result


def _beyond(end: IndexNode, inside: IndexNode) -> IndexNode | None:
    """What a value at a loop's end adds to that of its last iteration, which itself where it is the
    same; None where it is another."""
    if end is inside:
        return inside
    return end.arguments[1] if end.op == "+" and end.arguments[0] is inside else None


def _telling(start: IndexNode) -> bool:
    """Whether a variable's start says more than its name: it holds a thread or block id, or an
    object's address."""
    return any(symbol.kind in TELLING for symbol in symbols(start))
