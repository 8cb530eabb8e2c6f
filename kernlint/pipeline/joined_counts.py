"""The counts of a line, given to the accesses that they are of.

In: accesses of one line, space and operation, and what the machine code counts there by the objects
that addresses begin with. Out: for each object its accesses and its count. Never: a count where an
address may belong to two objects of the line, or to one that no access names.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from kernlint.base.dataclass import replace
from kernlint.model import facts

if TYPE_CHECKING:
    from kernlint.machine_code.execute import LineCount

_PARAMETER = re.compile(r"_param_(\d+)(?:\+(\d+))?$")
_NESTED = re.compile(r"^_Z.*?E(\d+)(\w+)$")  # a variable of a function: length and name
_FRAME = "__local_depot"  # all arrays of a thread

# by ordinal and offset: the pointer that a kernel's parameter is, or holds
Pointers = Mapping[tuple[int, int], str]
Joined = list[tuple[list[int], "LineCount"]]


def joined(
    indices: Sequence[int],
    accesses: Sequence[facts.Access],
    count: LineCount,
    pointers: Pointers,
) -> Joined | None:
    """The accesses and the count of each object; None where they cannot be told apart. An object
    without instructions has a count without requests."""
    names: dict[str, list[int]] = defaultdict(list)
    for index in indices:
        names[accesses[index].object].append(index)
    if len(names) < 2:
        return None
    found: dict[str, list[LineCount]] = defaultdict(list)
    for part in count.parts:
        own = {object_name(root, pointers, tuple(names)) for root in part.objects} & names.keys()
        if len(own) != 1:
            return None
        found[own.pop()].append(part)
    if any(len(parts) > 1 for parts in found.values()):
        return None
    none = replace(count, requests=0, threads=0, units=0, ideal=0, least=0, most=0, parts=())
    return [(own, next(iter(found[name]), none)) for name, own in names.items()]


def object_name(root: str, pointers: Pointers, names: Sequence[str]) -> str:
    """The source's name of what PTX calls `root`, "" where it has none."""
    if match := _PARAMETER.search(root):
        return pointers.get((int(match[1]), int(match[2] or 0)), "")
    if root.startswith(_FRAME):
        return names[0] if len(names) == 1 else ""
    if match := _NESTED.match(root):
        length = int(match[1])
        return match[2][:length] if re.fullmatch(r"(?:_\d+)?", match[2][length:]) else ""
    return root


def rest(
    indices: Sequence[int], accesses: Sequence[facts.Access], count: LineCount
) -> tuple[int, LineCount] | None:
    """The one access of a group of which the model is not sure, and what the others leave of the count;
    None where that is not one, or where the others are said to do more than all do."""
    open_ = []
    requests = units = lanes = 0.0
    for index in indices:
        access = accesses[index]
        told = access.as_compiled or access
        if told.status != "exact" or told.requests is None:
            open_.append(index)
            continue
        counts = told.wavefronts if access.space == "shared" else told.sectors
        requests += told.requests
        units += told.requests * counts.mean if counts is not None else 0
        lanes += told.requests * (told.active_lanes or 0)
    left = count.requests - requests, count.units - units, count.threads - lanes
    whole = all(abs(each - round(each)) < 1e-6 and each >= 0 for each in left)
    if len(open_) != 1 or not whole or not round(left[0]) <= round(left[1]):
        return None
    executed, needed, threads = map(round, left)
    return open_[0], replace(count, requests=executed, units=needed, threads=threads, parts=())
