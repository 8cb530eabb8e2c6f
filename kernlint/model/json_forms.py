"""How single facts are written as JSON where their type alone does not say it, and what the JSON
schema says of them.

Goes in: a value as JSON with the record that it is of. Comes out: what stands in the report.
"""

from __future__ import annotations

from typing import Any

from kernlint.model.declaration import Schema

LINE: Schema = {"minimum": 1}
NOT_NEGATIVE: Schema = {"minimum": 0}
SHARE: Schema = {"minimum": 0, "maximum": 1}
TEXTS: Schema = {"type": "array", "items": {"type": "string"}}
SIZES: Schema = {
    "type": "array",
    "items": {"type": "integer", "minimum": 1},
    "minItems": 3,
    "maxItems": 3,
}
INDICES: Schema = {
    "type": "array",
    "items": {"type": "integer", "minimum": 0},
    "minItems": 3,
    "maxItems": 3,
}
LANES_OF_TWO: Schema = {
    "type": "array",
    "items": {"type": "integer", "minimum": 0},
    "minItems": 2,
    "maxItems": 2,
}
LANES: Schema = {
    "type": "array",
    "items": {"type": "array", "items": {"type": "integer", "minimum": 0}},
    "minItems": 2,
    "maxItems": 2,
}
GONE = {"evaluations": 0, "divergent": 0, "status": "exact", "reason": "unrolled"}


def one_of(*values: str) -> Schema:
    return {"enum": list(values)}


def or_null(schema: Schema) -> Schema:
    return {"oneOf": [{"type": "null"}, schema]}


# ------------------------------------------------------------------ conditions


def elsewhere(record: Any, path: str) -> bool:
    """Whether a record is of another file than the one reported."""
    return bool(record.span.path != path)


def no_total(record: Any, path: str) -> bool:
    """Whether requests are not known over the launch."""
    return record.requests is None


def in_shared(record: Any, path: str) -> bool:
    return bool(record.space == "shared")


def not_shared(record: Any, path: str) -> bool:
    return bool(record.space != "shared")


def has_bounds(kernel: Any, path: str) -> bool:
    return bool(kernel.shared_cycles_low != kernel.shared_cycles_high)


def is_bounded(estimate: Any, path: str) -> bool:
    return bool(estimate.cycles_low != estimate.cycles_high)


def is_wanted(kernel: Any, path: str) -> bool:
    """Whether an estimate was asked for."""
    return bool(kernel.estimate != "")


def has_patterns(branch: Any, path: str) -> bool:
    return bool(branch.patterns)


# ------------------------------------------------------------------ forms


def whole(value: Any, record: Any) -> Any:
    """Whole numbers without a point."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def whole_if_any(value: Any, record: Any) -> Any:
    return whole(value, record) or None


def something(value: Any, record: Any) -> Any:
    """Null for zero and the empty text."""
    return value or None


def to_four_places(value: Any, record: Any) -> Any:
    return round(value, 4)


def with_bounds(counts: Any, record: Any) -> Any:
    """Counts per request; the bounds of the mean only where it is not exact."""
    if counts is None or record.status == "unknown":
        return None
    bounded = record.status == "range"
    return counts if bounded else {k: v for k, v in counts.items() if not k.startswith("mean_")}


def unit(size: Any, access: Any) -> Any:
    """Of an index: 1 where it counts bytes."""
    return size or (1 if access.index.startswith("byte ") else None)


def gone(unrolled: Any, branch: Any) -> Any:
    """What the machine makes of a loop that is unrolled in full."""
    return dict(GONE) if unrolled else None


def known_integers(arguments: Any, launch: Any) -> Any:
    """Integers and pointers: a floating-point argument decides nothing that is reported."""
    return {
        name: int(value) if isinstance(value, int) else value
        for name, value in arguments.items()
        if not isinstance(value, float)
    }


def synchronising(written: Any, kernel: Any) -> Any:
    """Barriers that threads wait at: no fences."""
    pairs = zip(written, kernel.barriers, strict=True)
    return [entry for entry, barrier in pairs if barrier.scope != "memory"]


def estimated(written: Any, kernel: Any) -> Any:
    return None if isinstance(kernel.estimate, str) else written


def why_not(written: Any, kernel: Any) -> Any:
    return kernel.estimate if isinstance(kernel.estimate, str) else None
