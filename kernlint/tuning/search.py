"""The search: every other form of a file's shared arrays and launches, analysed as the file is, and
ranked.

Goes in: a file with its settings, and what runs many analyses. Comes out: `Tuned`. Each figure
comes from an analysis of the whole changed text (or of the launch with another block); nothing is
carried over from the original.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from math import prod

from kernlint import hardware
from kernlint.base.dataclass import dataclass
from kernlint.base.span import Problem, Span
from kernlint.checks.shared_memory import padding
from kernlint.execution.measured import Measured
from kernlint.hardware import Device
from kernlint.model import facts
from kernlint.model.finding import Edit
from kernlint.model.settings import LaunchOverrides, Settings
from kernlint.pipeline.workers import Result, Work
from kernlint.source import files
from kernlint.source.edits import applied
from kernlint.source_model.declared_rows import Rows
from kernlint.source_model.rewritable import cannot_move
from kernlint.tuning.addresses import unaligned, widest
from kernlint.tuning.arrays import Kept, TunedArray, arrays, bytes_of
from kernlint.tuning.blocks import Dim3, blocks
from kernlint.tuning.figures import Figures, better, figures, lanes, ranked, summed
from kernlint.tuning.layouts import Layout, layouts
from kernlint.tuning.rows import AnalysedSource, analysed, leaves_row
from kernlint.tuning.suggestions import suggested

Runner = Callable[[Sequence[Work]], Sequence[Result]]


@dataclass(frozen=True, slots=True)
class Option:
    """One form. `kind`: padding | swizzle | skew | block | together. `each`: by launch; `figures`:
    of all of them."""

    kind: str
    title: str
    figures: Figures
    each: tuple[Figures, ...]
    edits: tuple[Edit, ...] = ()
    block: Dim3 | None = None
    grid: Dim3 | None = None


@dataclass(frozen=True, slots=True)
class Subject:
    """What is tuned: a shared array (`array` names it) or the block of one launch. `options`: those
    that change something, best first; `same`: how many forms were tried that change nothing.
    `kept`: why it must stay as it is, or why some forms were not tried."""

    array: str
    span: Span | None
    kernels: tuple[facts.Kernel, ...]
    baseline: Figures
    options: tuple[Option, ...] = ()
    same: int = 0
    lost: int = 0
    kept: str = ""

    @property
    def best(self) -> Option | None:
        """The form to take; None where the present one is as good."""
        return (
            self.options[0]
            if self.options and better(self.options[0].figures, self.baseline)
            else None
        )


@dataclass(frozen=True, slots=True)
class Tuned:
    """One file. `together`: the best layouts of all arrays at once, where there are several."""

    path: str
    text: str
    device: str
    subjects: tuple[Subject, ...]
    problems: tuple[Problem, ...]
    analysed: bool = False  # at least one kernel
    together: Option | None = None
    together_baseline: Figures | None = None


@dataclass(frozen=True, slots=True)
class Tried:
    """A form before it was analysed."""

    option: Option
    work: Work
    kernels: tuple[facts.Kernel, ...]  # of the original, that it is about
    shape: tuple[str, tuple[int, ...]] = ("", ())  # what an array must have become


def tune(source: files.Source, settings: Settings, kinds: Iterable[str], run: Runner) -> Tuned:
    """Every subject of one file with its options. `settings` as for a report: with the estimate."""
    device = hardware.device(settings.device)
    wanted = set(kinds)
    plain = analysed(source, settings)
    file, measured = plain.file, plain.measured
    subjects: list[Subject] = []
    tried: list[list[Tried]] = []
    for found in arrays(file) if wanted - {"block"} else []:
        subject, forms = _of_array(found, plain, source, settings, device, wanted)
        subjects.append(subject)
        tried.append(forms)
    for kernel in file.kernels if "block" in wanted else ():
        subject, forms = _of_launch(kernel, source, settings, measured, device)
        subjects.append(subject)
        tried.append(forms)
    results = list(run([one.work for forms in tried for one in forms]))
    finished = []
    for subject, forms in zip(subjects, tried, strict=True):
        own, results = results[: len(forms)], results[len(forms) :]
        finished.append(_ranked(subject, forms, own))
    together, before = _together(finished, file, source, settings, run)
    return Tuned(
        source.path,
        source.text or "",
        settings.device,
        tuple(finished),
        file.problems,
        bool(file.kernels),
        together,
        before,
    )


# ------------------------------------------------------------------ arrays


def _of_array(
    found: TunedArray | Kept,
    before: AnalysedSource,
    source: files.Source,
    settings: Settings,
    device: Device,
    wanted: set[str],
) -> tuple[Subject, list[Tried]]:
    kernels = tuple(
        k
        for k in before.file.kernels
        if any((a.object, a.object_span) == (found.name, found.span) for a in k.accesses)
    )
    baseline = summed([figures(kernel, found.name) for kernel in kernels])
    subject = Subject(found.name, found.span, kernels, baseline)
    if isinstance(found, Kept):
        return replace(subject, kept=found.reason), []
    costly = [
        (a, k)
        for k in kernels
        for a in k.accesses
        if (a.object, a.object_span) == (found.name, found.span) and _conflicts(a)
    ]
    if not costly:
        return replace(subject, kept="all its accesses take the ideal number of wavefronts"), []
    leaves = leaves_row(found, before, source, settings) if isinstance(found.rows, Rows) else ""
    kept = [reason for reason in (leaves, cannot_move(found.uses, found.language)) if reason]
    how = replace(settings, kernel=_only(kernels, settings), launch=_assumed(kernels, settings))
    forms = []
    offered = [padding.solved(access, kernel, device) for access, kernel in costly]
    for layout in layouts(found, device, offered, suggested(found, kernels, device)):
        if layout.kind not in wanted or (layout.columns_must_stay and leaves):
            continue
        if _misplaces(layout, found, before):
            continue
        more = bytes_of(found, layout.shape) - bytes_of(found, found.shape)
        if more and baseline.shared_bytes + more > device.limits.get("shared_per_block", 48 << 10):
            continue
        new = applied(source.text or "", layout.edits)
        if new is None:
            kept.append("it is used within its own subscripts")
            break
        option = Option(layout.kind, layout.title, baseline, (), layout.edits)
        forms.append(
            Tried(option, Work(replace(source, text=new), how), kernels, (found.name, layout.shape))
        )
    return replace(subject, kept="; ".join(dict.fromkeys(kept))), forms


def _misplaces(layout: Layout, array: TunedArray, before: AnalysedSource) -> str:
    """What a layout would put off its alignment; "" where nothing."""
    some, line = list(before.measured.values()), array.span.line
    together = (layout.together or array.row) * array.element_bytes
    width = widest(array.name, line, some)
    if layout.together and together % width:
        return f"a {width}-byte access would be split"
    flat = (
        (array.rows.count, array.rows.length)
        if layout.more and len(array.shape) == 1 and isinstance(array.rows, Rows)
        else None
    )
    return unaligned(array.name, line, layout.more or layout.shape[-1] - array.row, some, flat)


def _conflicts(access: facts.Access) -> bool:
    """Whether an access takes, or may take, more wavefronts than its bytes need."""
    if access.space != "shared" or access.requests == 0:
        return False
    some = [access.wavefronts] + (
        [access.as_compiled.wavefronts] if access.as_compiled is not None else []
    )
    return any(
        counts is None or max(counts.mean, counts.mean_high) > counts.ideal for counts in some
    )


def _assumed(kernels: Sequence[facts.Kernel], settings: Settings) -> LaunchOverrides:
    """The block that was assumed, so that a changed text is not taken to suggest another."""
    blocks_ = {kernel.launch.block for kernel in kernels if kernel.launch.block_assumed}
    return (
        replace(settings.launch, block=blocks_.pop())
        if len(blocks_) == 1 and len(kernels) == 1
        else settings.launch
    )


def _only(kernels: Sequence[facts.Kernel], settings: Settings) -> str | None:
    """The kernel to analyse where an array belongs to one; all of the file otherwise."""
    names = {kernel.qualified_name for kernel in kernels}
    return settings.kernel or (names.pop() if len(names) == 1 else None)


# ------------------------------------------------------------------ blocks


def _of_launch(
    kernel: facts.Kernel,
    source: files.Source,
    settings: Settings,
    measured: Mapping[int, Measured],
    device: Device,
) -> tuple[Subject, list[Tried]]:
    own = figures(kernel)
    subject = Subject("", kernel.span, (kernel,), own)
    lowered = next((m.kernel for m in measured.values() if _same(m.kernel, kernel)), None)
    if lowered is None:
        return replace(subject, kept="it could not be followed"), []
    found = blocks(lowered, kernel.launch, device)
    if found.reason:
        return replace(subject, kept=found.reason), []
    arguments = f"<{', '.join(kernel.template_arguments)}>" if kernel.template_arguments else ""
    forms = []
    for block, grid in found.choices:
        launch = LaunchOverrides(
            grid, block, kernel.dynamic_shared_bytes, dict(kernel.launch.arguments)
        )
        how = replace(
            settings, launch=launch, kernel=f"{kernel.qualified_name}{arguments}", stated=()
        )
        title = f"block {_dims(block)}, grid {_dims(grid)}"
        forms.append(
            Tried(
                Option("block", title, own, (), block=block, grid=grid),
                Work(source, how),
                (kernel,),
            )
        )
    return subject, forms


def _same(lowered: object, kernel: facts.Kernel) -> bool:
    names = ("qualified_name", "template_arguments", "span")
    return all(getattr(lowered, name) == getattr(kernel, name) for name in names)


def _dims(sizes: Dim3) -> str:
    from kernlint.checks.words import size

    return size(sizes)


# ------------------------------------------------------------------ ranking


def _ranked(subject: Subject, forms: Sequence[Tried], results: Sequence[Result]) -> Subject:
    kept = []
    for form, result in zip(forms, results, strict=True):
        option = _analysed(form, result)
        if option is not None:
            kept.append(option)
    changing = [option for option in kept if option.figures.outcome != subject.baseline.outcome]
    best_first = ranked(changing, lambda option: option.figures, subject.baseline)
    return replace(
        subject,
        options=tuple(best_first),
        same=len(kept) - len(changing),
        lost=len(forms) - len(kept),
    )


def _analysed(form: Tried, result: Result) -> Option | None:
    """The option with its figures; None where its analysis is not about the same launches, or lanes
    execute something else."""
    if not isinstance(result, facts.File):
        return None
    names = {kernel.qualified_name for kernel in form.kernels}
    after = [kernel for kernel in result.kernels if kernel.qualified_name in names]
    if form.option.kind == "block":
        after = [kernel for kernel in after if kernel.launch.block == form.option.block][:1]
    if len(after) != len(form.kernels) or any(
        lanes(new) != lanes(old) for new, old in zip(after, form.kernels, strict=True)
    ):
        return None
    if form.option.kind != "block" and any(
        new.launch.block != old.launch.block for new, old in zip(after, form.kernels, strict=True)
    ):
        return None
    array, shape = form.shape
    if array and any(
        a.object_shape != shape
        for kernel in after
        for a in kernel.accesses
        if a.object == array and a.space == "shared"
    ):
        return None
    if (
        form.option.kind == "block"
        and lanes(form.kernels[0]) is None
        and _threads(after[0]) != _threads(form.kernels[0])
    ):
        return None  # whether the threads beyond do nothing is not known
    each = tuple(figures(kernel, array) for kernel in after)
    return replace(form.option, figures=summed(each), each=each)


def _threads(kernel: facts.Kernel) -> int:
    return prod(kernel.launch.grid or (0,)) * prod(kernel.launch.block)


def _together(
    subjects: Sequence[Subject],
    file: facts.File,
    source: files.Source,
    settings: Settings,
    run: Runner,
) -> tuple[Option | None, Figures | None]:
    """The best layouts at once, with the figures of all kernels that hold one of them."""
    best = [(subject, subject.best) for subject in subjects if subject.array]
    chosen = [(subject, option) for subject, option in best if option is not None]
    if len(chosen) < 2:
        return None, None
    edits = tuple(edit for _, option in chosen for edit in option.edits)
    text = applied(source.text or "", edits)
    if text is None:
        return None, None
    kernels = tuple(
        k
        for k in file.kernels
        if any(any(k is one for one in subject.kernels) for subject, _ in chosen)
    )
    before = summed([figures(kernel) for kernel in kernels])
    title = "; ".join(f"`{subject.array}`: {option.title}" for subject, option in chosen)
    form = Tried(
        Option("together", title, before, (), edits),
        Work(replace(source, text=text), settings),
        kernels,
    )
    (result,) = run([form.work])
    return _analysed(form, result), before
