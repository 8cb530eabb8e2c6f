"""Walks a kernel as the optimiser would see it: values as forms, loops unrolled, accesses held
against what is still known.

In: a kernel and what is known of its loops. Out: `Walker` with the risks of pairs of accesses, the
uses of loaded values and what was alive at each branch. Loops with a constant trip count up to
`RUN_OUT` are run out; other loops are walked until their counters are known, then once more with
the previous iterations' accesses shifted by 1 to `WINDOW` iterations. Never looks at the launch.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from itertools import islice

from kernlint.base import deadline
from kernlint.base.dataclass import replace
from kernlint.ir import nodes as ir
from kernlint.ir.traversal import expressions, left_to, targets, walk
from kernlint.optimizer import compiler_pairs as pairs
from kernlint.optimizer.assigned_variables import AssignedVariables
from kernlint.optimizer.compiler_accesses import Unread
from kernlint.optimizer.compiler_choices import Costs, only_chooses, small
from kernlint.optimizer.compiler_dead import Dead
from kernlint.optimizer.compiler_earlier import WINDOW, earlier
from kernlint.optimizer.compiler_ends import stored_by_all, ways_to
from kernlint.optimizer.compiler_entries import (
    after_barrier,
    after_call,
    after_clobber,
    after_exchange,
    after_function,
    is_fence,
    joined_entries,
    outlasting,
    past,
    still_near,
    with_earlier,
    without,
)
from kernlint.optimizer.compiler_facts import Risk
from kernlint.optimizer.compiler_forms import Form, form_of
from kernlint.optimizer.compiler_implied import implied, possible
from kernlint.optimizer.compiler_live import Live, State
from kernlint.optimizer.compiler_origins import Origins
from kernlint.optimizer.compiler_rare import branches, calls
from kernlint.optimizer.compiler_state import Arms, Entry, Path, Span, Step, Tested
from kernlint.optimizer.compiler_turns import (
    counts_few,
    exceeds,
    most_trips,
    stays,
    trips_between,
    wraps,
)
from kernlint.optimizer.compiler_unrolling import splits
from kernlint.optimizer.compiler_ways import leaves, parting, rest, written

RUN_OUT = 64  # iterations of a constant loop that are walked one by one
BUDGET = 16_000  # statements
EXCHANGES = (ir.Shuffle, ir.Vote)


class Walker(Origins):
    """`reached`: the blocks (see `Instance`) that a branch ends; `kept`: loops that are not run
    out, `spans`: where they begin and end; `steady`: of these, those with a counter that steps by
    the same amount each time; `few`: those whose counts have a known bound, `trips`: between which
    they lie; `wrapping`: those whose counters may wrap around; `single`: those that nvcc does not
    unroll; `copies`: of loops that are walked as so many iterations though their ends are open;
    `constant_trips`: their counts, where known; `most_trips`: the greatest they can be; `counts`: of
    loops that are run out, `uneven`: of these, those whose counts differ by the loops around them; `arms`: of each value that a branch decides; `turned`: the way in a loop to what it leaves in its
    variables, by value and part; `tests`: what the first test of a loop reads."""

    def __init__(
        self,
        kernel: ir.Kernel,
        copies: Mapping[ir.Loop, int] | None = None,
        unread: Unread = frozenset(),
        gone: Dead | None = None,
        filled: Unread = frozenset(),
    ) -> None:
        super().__init__(kernel, unread, gone or Dead(), filled)
        self.copies = copies or {}
        self.reached: dict[ir.If, list[tuple[int, ...]]] = defaultdict(list)
        self.exits: dict[ir.Label, list[State]] = defaultdict(list)
        self.left_to = left_to(kernel.body, (ir.Region, ir.Loop))
        self.spent = 0
        self.arms: dict[int, Arms] = {}
        self.tests: dict[int, set[Path]] = defaultdict(set)
        self.kept: set[ir.Loop] = set()
        self.first_tests: dict[ir.Loop, Form] = {}  # what is tested before the first iteration
        self.steady: set[ir.Loop] = set()
        self.few: set[ir.Loop] = set()
        self.wrapping: set[ir.Loop] = set()
        self.single: set[ir.Loop] = set()
        self.trips: dict[ir.Loop, tuple[int, int]] = {}
        self.counts: dict[ir.Loop, int] = {}
        self.uneven: set[ir.Loop] = set()
        self.splitting: dict[ir.Statement, bool] = {}
        self.changing = AssignedVariables(kernel.body)
        self.constant_trips: dict[ir.Loop, int] = {}
        self.costs: Costs = {}
        self.most_trips: dict[ir.Loop, int] = {}
        self.spans: dict[ir.Loop, Span] = {}
        self.calling = frozenset(s for s in walk(kernel.body) if calls(s))
        self.branching = frozenset(s for s in walk(kernel.body) if branches(s))
        self.parted: list[
            int
        ] = []  # places in the log, behind which what branches for rare operands is computed
        held = {
            p.variable: self.atoms.atom(("object", p.object))
            for p in kernel.parameters
            if p.object is not None
        }
        end = self.body(
            kernel.body, State(held, Live(self.register), ())
        )  # what is known where the kernel ends, or is left early, nobody asks
        ends = [x.path for x in (end, *self.exits[kernel.label]) if x is not None]
        self.note(stored_by_all(self, self.origins, ways_to(ends, self.log)))
        self.settle()

    def most_trips_of(self, s: ir.Loop) -> int | None:
        return self.constant_trips.get(s, self.most_trips.get(s))

    # -------------------------------------------------------------- control

    def join(
        self,
        before: Live,
        a: State | None,
        b: State | None,
        key: ir.If | ir.Region | ir.Loop,
        path: Path,
        condition: Form | None = None,
    ) -> State | None:
        if a is None or b is None:
            only = a or b
            return (
                None
                if only is None
                else replace(
                    only,
                    path=path
                    if only.path[: len(path)] == path and condition is None
                    else only.path,
                )
            )
        held = dict(a.held)
        label = key if isinstance(key, (ir.If, ir.Loop)) else key.label
        for variable in self.changing.of(key):
            x, y = a.held.get(variable), b.held.get(variable)
            if x != y:
                parts = tuple(p for p in (x, y, condition) if p is not None)
                made = held[variable] = self.atoms.atom(
                    ("join", label, variable, *parts), frozenset(self.inside)
                )
                (number,) = self.atoms.inside(made)
                branch = key if isinstance(key, ir.If) else parting(a.path, b.path)
                if branch is not None and x is not None and y is not None:
                    self.arms[number] = Arms(branch, (a.path, b.path))
                if isinstance(key, ir.If) and x is not None and y is not None:
                    self.selects[number] = len(self.log), self.fences, path
        return State(held, joined_entries(self.memory, before, a.entries, b.entries), path)

    def scope(self, s: ir.Region, state: State) -> State | None:
        """A body that `Leave(label)` ends early."""
        start = len(self.log)
        state.entries.freeze()
        outer, self.exits[s.label] = self.exits[s.label], []
        end = self.body(s.body, state)
        leaving, self.exits[s.label] = self.exits[s.label], outer
        ends = [x for x in (end, *leaving) if x is not None]
        if not ends:
            return None
        behind = self.steps.step(self.atoms.atom(("entered", s)), True, s)
        path = rest([x.path for x in ends], behind) if self.left_to[s] else state.path
        ways = ways_to([x.path for x in ends], self.log[start:]) if self.recording else []
        met = [pairs.arms(a, b) for a, b in pairs.meeting(ways)]
        for risks in met if all(met) else ():
            self.note(risks)
        self.note(stored_by_all(self, self.origins, ways))
        ends = (
            [replace(x, entries=written(x, ends, state.entries)) for x in ends]
            if len(ends) > 1
            else ends
        )
        end = ends[0]
        for other in ends[1:]:
            end = self.join(state.entries, end, other, s, path) or end
        return replace(end, path=path)

    def body(self, body: ir.Body, state: State | None) -> State | None:
        ended: list[
            tuple[list[Entry], int, int, Path]
        ] = []  # arms that leave: accesses before them, and what follows
        for statement in body:
            if state is None:
                break
            before, start = state.path, len(self.log)
            state = self.statement(statement, state)
            if isinstance(statement, ir.If) and state is not None and leaves(statement):
                ended.append(
                    (
                        [e for e in self.log[start:] if len(e.path) == len(before) + 1],
                        start,
                        len(self.log),
                        state.path,
                    )
                )
        for arm, before_arm, start, path in ended:
            if not arm:
                continue
            rest = [place for place in range(start, len(self.log)) if self.log[place].path == path]
            fresh = all(e.store or pairs.space(e) != "global" for e in self.log[:before_arm])
            self.note(pairs.tails(arm, [self.log[place] for place in rest], fresh))
            if raised := pairs.raised(arm, [self.log[place] for place in rest]):
                self.note(
                    dict.fromkeys(
                        (e.site for e in raised), Risk("hoisted", False, (0, 2), pairs.BOTH_WAYS)
                    )
                )
                self.recharge(before_arm, raised)
            last = max(
                (place for place in range(start) if self.log[place] is arm[-1]), default=None
            )
            self.meet([] if last is None else [last], rest)
        return state

    def meet(self, ends: list[int], others: list[int]) -> None:
        """Stores at the end of one way, and those of the other that may become one with them."""
        for a in ends if self.recording else ():
            self.meets += [
                (a, b)
                for b in others
                if self.log[a].store and pairs.joins(self.log[a], self.log[b])
            ]

    def statement(self, s: ir.Statement, state: State) -> State | None:
        deadline.check(4 + len(state.entries.all) // 256)
        self.spent += 1
        if s in self.branching:
            self.parted.append(len(self.log))
            state = (
                replace(state, entries=past(state.entries, self.memory)) if self.hinted else state
            )
        if s in self.calling:
            state = replace(state, entries=after_function(state.entries))
        if (entries := still_near(state.entries, s)) is not state.entries:
            state = replace(state, entries=entries)
        if not isinstance(s, (ir.If, ir.Loop, ir.Region)) and self.splits(s):
            self.cuts += 1
        match s:
            case ir.If():
                return self.branch(s, state)
            case ir.Loop():
                return self.loop(s, state)
            case ir.Region():
                return self.scope(s, state)
            case ir.Leave():
                state.entries.freeze()
                self.exits[s.label].append(state)
                self.cuts += 1
                return None
            case ir.Trap():
                self.cuts += 1
                return None
            case ir.Barrier():
                if s.lanes is not None:
                    self.use(self.form(s.lanes, state), state)
                return self.past_fence(state, s.site.scope == "memory")
            case ir.Clobber():
                self.fences += 1
                for e in expressions(s):
                    self.use(self.form(e, state), state)
                for known in list(self.epochs):
                    self.epochs[known] += 1
                return replace(state, entries=after_clobber(state.entries))
            case ir.Assume():
                assumed = self.form(s.condition, state)
                self.samples.assume(assumed, state.path)
                self.take(assumed, "seen", state)
                return state
            case ir.Taken():
                for e in s.values:
                    self.take(self.form(e, state), s.how, state)
                return self.past_fence(state, True) if is_fence(s) else state
            case ir.Load() | ir.Store() | ir.Atomic() | ir.Copy() | ir.Matrix():
                return self.access(s, state)
        return self.plain(s, state)

    def past_fence(self, state: State, calls: bool) -> State:
        """After a barrier, or a call that may write any memory."""
        self.fences, self.meeting = self.fences + 1, False
        for known in list(self.epochs):
            self.epochs[known] += not self.memory.passes_barriers(known)
        entries = after_barrier(state.entries, self.memory)
        return replace(state, entries=after_call(entries, self.memory) if calls else entries)

    def splits(self, s: ir.Statement) -> bool:
        if s not in self.splitting:
            self.splitting[s] = splits(s)
        return self.splitting[s]

    def plain(self, s: ir.Statement, state: State) -> State:
        forms = [self.form(e, state) for e in expressions(s)]
        if isinstance(s, ir.Assign):
            return State({**state.held, s.variable: forms[0]}, state.entries, state.path)
        made = {v: self.new("exchange", s, v, parts=tuple(forms)) for v in targets(s)}
        removed = isinstance(s, ir.Shuffle) or (
            isinstance(s, ir.Vote) and not s.kind.startswith("block")
        )  # where nobody needs the result
        for form in forms:
            self.take(form, "seen" if removed else "used", state)
        for form in made.values() if removed else ():
            self.standing[next(iter(self.atoms.inside(form)))].add(state.path)
        entries = (
            after_exchange(state.entries, self.memory)
            if self.inside and isinstance(s, EXCHANGES)
            else state.entries
        )
        return replace(state, held={**state.held, **made}, entries=entries)

    def take(self, form: Form, how: str, state: State) -> None:
        """See `ir.Taken`."""
        if how == "used":
            self.use(form, state)
        else:
            (self.open if how == "open" else self.seen).update(self.atoms.inside(form))

    def branch(self, s: ir.If, state: State) -> State | None:
        condition = self.form(s.condition, state)
        if condition.value is not None:
            return self.body(s.then if condition.value else s.otherwise, state)
        if self.recording:
            self.alive[s] |= {e.site for e in state.entries.values() if e.forward and not e.store}
            self.reached[s].append((self.cuts, *self.block))
            self.fenced[s].add(self.fences)
        start = len(self.log)
        state.entries.freeze()
        then = self.arm(s.then, state, self.step(s, condition, True))
        middle = len(self.log)
        otherwise = self.arm(s.otherwise, state, self.step(s, condition, False))
        if s not in self.gone.branches and not small(
            s, self.members
        ):  # what is chosen without a branch is needed where it is read
            arrays = frozenset(e.memory for e in self.log[start:])
            if only_chooses(s, self.members, self.costs) and all(
                memory is not None and memory.space == "local" for memory in arrays
            ):
                self.tested.append(Tested(s, condition, state.path, arrays))
            else:
                self.use(condition, state)
        self.cuts += len(self.log) > start  # an arm with accesses may stay a branch
        if then is not None and otherwise is not None:
            here = len(state.path) + 1
            arms = [
                [e for e in part if len(e.path) == here]
                for part in (self.log[start:middle], self.log[middle:])
            ]
            self.note(pairs.arms(*arms))
            self.note(pairs.nested_ends(self.log[start:middle], self.log[middle:], here))
            lasts = [
                [p for p in range(*part) if len(self.log[p].path) == here][-1:]
                for part in ((start, middle), (middle, len(self.log)))
            ]
            self.meet(*lasts)
            if any(
                not a.store and not b.store and a.form == b.form for a in arms[0] for b in arms[1]
            ):
                self.recharge(start, arms[0])
                self.raised = True
            places = start, middle, len(self.log)
            self.choose(s, condition, state, then, otherwise, places, self.changing.of(s))
        return self.join(state.entries, then, otherwise, s, state.path, condition)

    def step(self, s: ir.If, condition: Form, side: bool) -> Step:
        return self.steps.step(
            condition,
            side,
            s,
            implied(condition, side, self.atoms),
            possible(condition, side, self.atoms),
            self.turns,
        )

    def arm(self, body: ir.Body, state: State, step: Step) -> State | None:
        outer, self.cuts = self.block, self.cuts + 1
        self.block = (*outer, self.cuts)
        end = self.body(body, replace(state, path=(*state.path, step)))
        self.block = outer
        return end

    # -------------------------------------------------------------- loops

    def loop(self, s: ir.Loop, state: State) -> State | None:
        state.entries.freeze()
        if s.unroll != 1 and (ended := self.run_out(s, state)) is not None:
            return ended[0]
        if self.counting:
            assigned = list(self.changing.of(s))
            return self.left(s, state, assigned, [replace(state, entries=Live(self.register))])
        self.kept.add(s)
        if s.condition is not None and not (s.post_test or s.header):
            self.first_tests[s] = self.form(s.condition, state)
        if self.recording:
            self.alive[s] |= {e.site for e in state.entries.values() if e.forward and not e.store}
        self.cuts += 1
        start = len(self.log), self.fences
        self.begun[s] = len(self.log)
        outer, self.inside = self.inside, (*self.inside, s)
        assigned = list(self.changing.of(s))
        counters = self.counters(s, state, assigned)
        if any(step != Form() for step in counters.values()):
            self.steady.add(s)
        if counts_few(s, state.held, counters, self.atoms):
            self.few.add(s)
        if wraps(s, state.held, counters, self.atoms):
            self.wrapping.add(s)
        if s.unroll == 1 or stays(s, counters):
            self.single.add(s)
        if (trips := trips_between(s, state.held, counters, self.atoms)) is not None:
            self.trips[s] = trips
        recording, self.recording = self.recording, False
        first = self.iteration(s, self.entered(s, state, counters, assigned, []))
        self.recording = recording
        shifted = earlier(self, s, first.entries) if first is not None else []
        again = outlasting(s, state.entries, first) if first is not None else state.entries
        inner = self.entered(s, replace(state, entries=again), counters, assigned, shifted)
        outer_exits, self.exits[s.label] = self.exits[s.label], []
        last = self.iteration(s, inner)
        self.spans[s] = Span(*start, len(self.log), self.fences)
        leaving, self.exits[s.label] = self.exits[s.label], outer_exits
        self.inside, self.cuts = outer, self.cuts + 1
        if last is not None:
            for v in assigned:  # what the next iteration starts with
                if v in last.held and v in inner.held:
                    for a in self.atoms.inside(inner.held[v]):
                        self.feeds[a].append(last.held[v])
                        self.turned[a, last.held[v]] = inner.path
        return self.left(s, state, assigned, [x for x in (last, *leaving) if x is not None])

    def run_out(self, s: ir.Loop, state: State) -> tuple[State | None] | None:
        """The state after a loop whose condition is decided in every iteration; None when it is
        not."""
        if s.condition is None or ((s.unroll or 0) > 1 and s not in self.copies) or self.counting:
            return None
        if s not in self.copies and exceeds(s, state.held, self.atoms, RUN_OUT):
            return None
        known, met, turns = len(self.instances), len(self.sites), self.turns
        result = self._run_out(s, state) if self.spent <= BUDGET else None
        self.turns = turns
        if result is None:
            del self.instances[known:]
            self.sites = dict(islice(self.sites.items(), met))
        if result is None and self.spent > BUDGET and self.recording:
            sites = [x.site for x in walk((s,)) if isinstance(x, (ir.Load, ir.Store))]
            self.note(
                {
                    site: Risk(
                        "forwarded",
                        False,
                        (0, 1),
                        "its loops may be unrolled further than can be followed",
                    )
                    for site in sites
                }
            )
        return result

    def _run_out(self, s: ir.Loop, state: State) -> tuple[State | None] | None:
        current: State | None = state
        outer_exits, self.exits[s.label] = self.exits[s.label], []
        ended = False
        assert s.condition is not None
        outer = self.turns
        for count in range(RUN_OUT + 1):
            self.turns = (*outer, (s, count))
            if current is not None and s.post_test:
                current = self.body(s.step, self.body(s.body, current))
            current = self.body(s.header, current)
            if current is None:
                ended = True
                break
            decided = self.form(s.condition, current).value
            if decided is None and s in self.copies:
                decided = count < self.copies[s]
            if decided is None or count == RUN_OUT or self.spent > BUDGET:
                break
            if not decided:
                ended = True
                break
            if not s.post_test:
                current = self.body(s.step, self.body(s.body, current))
                if current is None:
                    ended = True
                    break
        leaving, self.exits[s.label] = self.exits[s.label], outer_exits
        if not ended:
            return None
        if self.counts.setdefault(s, count) != count:
            self.uneven.add(s)
        self.counts[s] = max(self.counts[s], count)
        for other in leaving:
            current = (
                self.join(state.entries, current, other, s, state.path)
                if current is not None
                else replace(other, path=state.path)
            )
        if current is not None and any(x in self.uneven for x in walk(s.body)):
            entries = _left_in_doubt(state.entries, current.entries)
            current = replace(current, entries=entries)
        return (None if current is None else replace(current, path=state.path),)

    def counters(
        self, s: ir.Loop, state: State, assigned: list[ir.Variable]
    ) -> dict[ir.Variable, Form]:
        """The counters of a loop: variable → its step, found by walking one iteration from unknown
        values."""
        held = {
            **state.held,
            **{
                v: self.atoms.atom(("carried", s, v), frozenset(self.inside), True)
                for v in assigned
            },
        }
        recording, counting = self.recording, self.counting
        self.recording, self.counting = False, True
        end = self.iteration(
            s, State(held, Live(self.register), (*state.path, self.steps.step(None, True, s)))
        )
        self.recording, self.counting = recording, counting
        self.exits[s.label] = []
        found = {}
        for v in assigned:
            if end is not None and v in end.held:
                step = end.held[v] - held[v]
                if s not in self.atoms.varies(step):
                    found[v] = step
        return found

    def entered(
        self,
        s: ir.Loop,
        state: State,
        counters: Mapping[ir.Variable, Form],
        assigned: list[ir.Variable],
        shifted: list[Entry],
    ) -> State:
        iteration = self.atoms.atom(("iteration", s), frozenset(self.inside))
        held = dict(state.held)
        for v in assigned:
            start = state.held.get(v)
            if v in counters and start is not None:
                held[v] = start + counters[v] * iteration
            else:
                held[v] = self.atoms.atom(("carried", s, v), frozenset(self.inside), True)
                if start is not None:
                    self.feeds[next(iter(self.atoms.inside(held[v])))].append(start)
        self.count_trips(s, held, iteration)
        rest = s.unroll and self.constant_trips.get(s, 0) % s.unroll  # is straight code
        factor = 1 if s in self.single else s.unroll if s.unroll and not rest else WINDOW
        self.unrolled[next(iter(self.atoms.inside(iteration)))] = factor
        return State(
            held,
            past(with_earlier(state.entries, shifted), self.memory),
            (*state.path, self.steps.step(None, True, s)),
        )

    def count_trips(self, s: ir.Loop, held: Mapping[ir.Variable, Form], iteration: Form) -> None:
        """The count of a loop `i < limit` whose start, step and limit the source says."""
        test = s.condition
        while isinstance(test, ir.Convert):
            test = test.operand
        if isinstance(test, ir.Binary) and test.op in ("<", "<="):
            left = form_of(test.left, held, self.atoms) - form_of(test.right, held, self.atoms)
            most = most_trips(left, iteration, test.op == "<=", self.atoms)
            if most is not None:
                self.most_trips[s] = most
            if (
                len(left.terms) == 1
                and left.terms[0][0] == iteration.terms[0][0]
                and left.terms[0][1] > 0
            ):
                self.constant_trips[s] = max(
                    0, -((left.constant - (test.op == "<=")) // left.terms[0][1])
                )

    def iteration(self, s: ir.Loop, state: State) -> State | None:
        """One iteration; returns the state at its end."""
        current: State | None = state
        if not s.post_test:
            current = self.body(s.header, current)
        if current is not None and s.condition is not None and not s.post_test:
            tested = self.form(s.condition, current)
            self.use(tested, current)
            for a in self.atoms.inside(tested):
                self.tests[a].add(state.path[:-1])
        current = self.body(s.step, self.body(s.body, current))
        if s.post_test:
            current = self.body(s.header, current)
            if current is not None and s.condition is not None:
                self.use(self.form(s.condition, current), current)
        return current

    def left(
        self, s: ir.Loop, state: State, assigned: list[ir.Variable], ends: list[State]
    ) -> State | None:
        """The state after a loop: its variables unknown, everything any iteration left behind still
        there."""
        still = [without(end.entries, lambda e: s in self.atoms.varies(e.form)) for end in ends]
        entries = joined_entries(self.memory, state.entries, *still)
        if s in self.kept and any(isinstance(x, EXCHANGES) for x in walk((s,))):
            entries = after_exchange(entries, self.memory)
        held = dict(state.held)
        for v in dict.fromkeys(assigned):
            values = tuple(end.held[v] for end in ends if v in end.held)
            start = state.held.get(v)
            made = held[v] = self.new(
                "after", s, v, parts=(*values, *((start,) if start is not None else ()))
            )
            for value in values if s in self.kept else ():
                if value != start:
                    self.turned[next(iter(self.atoms.inside(made))), value] = (
                        *state.path,
                        self.steps.step(None, True, s),
                    )
        return State(held, entries, state.path)


def _left_in_doubt(before: Live, after: Live) -> Live:
    """What a loop around one of uneven counts leaves: nvcc may unroll neither."""
    after = after.own()
    for number in tuple(after.since(before)):
        e = after.all.get(number)
        if e is not None and number not in before.all and not e.doubtful:
            after.put(replace(e, doubtful=True))
    return after
