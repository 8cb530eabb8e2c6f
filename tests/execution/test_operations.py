"""Integer built-ins against C reference implementations that the host's compiler builds (gcc's
builtins and 128-bit arithmetic)."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest

from kernlint.execution.values.operations import OPERATIONS, wrap
from tests.support import needs

# name → (argument count, C expression over a, b, c, d of type T; U unsigned T, W 128-bit of T's
# sign, B bits, S signed)
REFERENCE: dict[str, tuple[int, str]] = {
    "min": (2, "a < b ? a : b"),
    "max": (2, "a < b ? b : a"),
    "gcd": (2, "(T)common<U>(a < 0 ? (U)0 - (U)a : (U)a, b < 0 ? (U)0 - (U)b : (U)b)"),
    "clamp": (3, "(a < b ? b : a) > c ? c : (a < b ? b : a)"),
    "abs": (1, "(U)(a < 0 ? -(W)a : (W)a)"),
    "abs_diff": (2, "(U)(a < b ? (W)b - (W)a : (W)a - (W)b)"),
    "clz": (1, "(U)a == 0 ? B : __builtin_clzll((unsigned long long)(U)a) - (64 - B)"),
    "ctz": (1, "(U)a == 0 ? B : __builtin_ctzll((unsigned long long)(U)a)"),
    "ffs": (1, "__builtin_ffsll((long long)(U)a)"),
    "popcount": (1, "__builtin_popcountll((unsigned long long)(U)a)"),
    "mul_hi": (2, "(T)(((W)a * (W)b) >> B)"),
    "mad_hi": (3, "(T)((W)(((W)a * (W)b) >> B) + (W)c)"),
    "add_sat": (2, "sat<T>((W)a + (W)b)"),
    "sub_sat": (2, "sat<T>((__int128)a - (__int128)b)"),
    "hadd": (2, "(T)(((W)a + (W)b) >> 1)"),
    "rhadd": (2, "(T)(((W)a + (W)b + 1) >> 1)"),
    "rotate": (2, "rotl<U>((U)a, (int)((U)b % B))"),
    "brev": (1, "reverse<U>((U)a)"),
    "bitselect": (3, "(T)((a & ~c) | (b & c))"),
    "select": (3, "c ? b : a"),
    "select_msb": (3, "((U)c >> (B - 1)) ? b : a"),
    "shl_clamp": (2, "(U)b % 256 >= B ? (T)0 : (T)((U)a << ((U)b % 256))"),
    "shr_clamp": (2, "(U)b % 256 >= B ? (T)(a < 0 ? -1 : 0) : (T)(a >> ((U)b % 256))"),
    "bfe": (3, "bfe<T, U>(a, (int)(b & 255), (int)(c & 255))"),
    "bfi": (4, "bfi<U>((U)a, (U)b, (int)(c & 255), (int)(d & 255))"),
    "lop3": (4, "lop3<U>((U)a, (U)b, (U)c, (int)(d & 255))"),
    "bfind": (1, "bfind<T, U>(a)"),
    "sad": (3, "(U)((U)(a < b ? (W)b - (W)a : (W)a - (W)b) + (U)c)"),
}
# 32-bit operations alone
REFERENCE_32: dict[str, tuple[int, str]] = {
    "mul24": (2, "(T)((W)low24<T>(a) * (W)low24<T>(b))"),
    "mad24": (3, "(T)((W)low24<T>(a) * (W)low24<T>(b) + (W)c)"),
    "mad_sat": (3, "sat<T>((W)a * (W)b + (W)c)"),
    "byte_perm": (3, "perm((unsigned)a, (unsigned)b, (unsigned)c, false)"),
    "byte_perm_sign": (3, "perm((unsigned)a, (unsigned)b, (unsigned)c, true)"),
    "funnelshift_l": (3, "(unsigned)((joined(a, b) << (c & 31)) >> 32)"),
    "funnelshift_r": (3, "(unsigned)(joined(a, b) >> (c & 31))"),
    "funnelshift_lc": (3, "(unsigned)(((__int128)joined(a, b) << ((U)c > 32 ? 32 : (U)c)) >> 32)"),
    "funnelshift_rc": (3, "(unsigned)(joined(a, b) >> ((U)c > 32 ? 32 : (U)c))"),
    "dp4a": (3, "dot<T>((unsigned)a, (unsigned)b, c)"),
    "upsample": (2, "(long long)(((unsigned long long)(U)a << 32) | (U)b)"),
}

PRELUDE = r"""
#include <cstdio>
#include <cstdint>
#include <cstring>
#include <type_traits>
template <class T> T sat(__int128 v) {
    const int n = sizeof(T) * 8; const bool s = std::is_signed<T>::value;
    __int128 lo = s ? -((__int128)1 << (n - 1)) : 0, hi = s ? ((__int128)1 << (n - 1)) - 1 : ((__int128)1 << n) - 1;
    return (T)(v < lo ? lo : v > hi ? hi : v);
}
template <class U> U rotl(U v, int n) { const int b = sizeof(U) * 8; return n ? (U)((U)(v << n) | (U)(v >> (b - n))) : v; }
template <class U> U common(U a, U b) { while (b) { U rest = a % b; a = b; b = rest; } return a; }
template <class U> U reverse(U v) {
    U r = 0;
    for (unsigned i = 0; i < sizeof(U) * 8; ++i) if ((v >> i) & 1) r |= (U)((U)1 << (sizeof(U) * 8 - 1 - i));
    return r;
}
template <class T, class U> T bfe(T a, int pos, int len) {
    const int msb = sizeof(T) * 8 - 1; U d = 0; int at = pos + len - 1; if (at > msb) at = msb;
    bool sign = std::is_signed<T>::value && len != 0 && (((U)a >> at) & 1);
    for (int i = 0; i <= msb; ++i) {
        bool bit = (i < len && pos + i <= msb) ? (((U)a >> (pos + i)) & 1) : sign;
        if (bit) d |= (U)((U)1 << i);
    }
    return (T)d;
}
template <class U> U bfi(U a, U b, int pos, int len) {
    const int msb = sizeof(U) * 8 - 1; U f = b;
    for (int i = 0; i < len && pos + i <= msb; ++i) { U m = (U)((U)1 << (pos + i)); f = ((a >> i) & 1) ? (U)(f | m) : (U)(f & ~m); }
    return f;
}
template <class U> U lop3(U a, U b, U c, int lut) {
    U r = 0;
    for (unsigned i = 0; i < sizeof(U) * 8; ++i) {
        int k = (((a >> i) & 1) << 2) | (((b >> i) & 1) << 1) | ((c >> i) & 1);
        if ((lut >> k) & 1) r |= (U)((U)1 << i);
    }
    return r;
}
template <class T, class U> unsigned bfind(T a) {
    U v = (std::is_signed<T>::value && a < 0) ? (U)~a : (U)a;
    for (int i = sizeof(T) * 8 - 1; i >= 0; --i) if ((v >> i) & 1) return i;
    return 0xffffffffu;
}
template <class T> T low24(T v) { return std::is_signed<T>::value ? (T)((int32_t)((uint32_t)v << 8) >> 8) : (T)((uint32_t)v & 0xffffff); }
inline unsigned perm(unsigned a, unsigned b, unsigned s, bool sign) {
    unsigned char from[8], to[4]; memcpy(from, &a, 4); memcpy(from + 4, &b, 4);
    for (int i = 0; i < 4; ++i) {
        int n = (s >> (4 * i)) & 15; unsigned char v = from[n & 7];
        to[i] = (sign && (n & 8)) ? ((v & 128) ? 255 : 0) : v;
    }
    unsigned r; memcpy(&r, to, 4); return r;
}
inline unsigned long long joined(unsigned lo, unsigned hi) { return ((unsigned long long)hi << 32) | lo; }
template <class T> T dot(unsigned a, unsigned b, T c) {
    unsigned r = (unsigned)c;
    for (int i = 0; i < 4; ++i)
        r += std::is_signed<T>::value ? (unsigned)((int8_t)(a >> 8 * i) * (int8_t)(b >> 8 * i))
                                         : (uint8_t)(a >> 8 * i) * (uint8_t)(b >> 8 * i);
    return (T)r;
}
"""
TYPES = {
    "int32_t": (32, True),
    "uint32_t": (32, False),
    "int64_t": (64, True),
    "uint64_t": (64, False),
}


def _cases() -> list[tuple[str, str, int, str]]:
    cases = [
        (name, t, count, expression)
        for t in TYPES
        for name, (count, expression) in REFERENCE.items()
    ]
    cases += [
        (name, t, count, expression)
        for t in ("int32_t", "uint32_t")
        for name, (count, expression) in REFERENCE_32.items()
    ]
    return cases


def _inputs() -> np.ndarray:
    """600 rows of four 64-bit words: corner values crossed, and random words of all lengths."""
    random = np.random.default_rng(7)
    corners = [
        0,
        1,
        -1,
        2,
        3,
        31,
        32,
        33,
        63,
        64,
        127,
        128,
        255,
        256,
        2**31 - 1,
        -(2**31),
        2**63 - 1,
        -(2**63),
        0x76543210,
        0xFEDC,
    ]
    words = random.integers(-(2**63), 2**63 - 1, size=(600, 4)) >> random.integers(
        0, 63, size=(600, 4)
    )
    picked = np.array(corners, dtype=np.int64)[random.integers(0, len(corners), size=(600, 4))]
    return np.where(random.random((600, 4)) < 0.5, picked, words)


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], np.ndarray]:
    folder: Path = tmp_path_factory.mktemp("operations")
    lines = [
        PRELUDE,
        "static int64_t in[600][4];",
        "int main() { if (fread(in, 32, 600, stdin) != 600) return 1; static int64_t out[600];",
    ]
    for _name, t, _count, expression in _cases():
        bits, signed = TYPES[t]
        wide = "__int128" if signed else "unsigned __int128"
        lines.append(
            f"{{ typedef {t} T; typedef uint{bits}_t U; typedef {wide} W; const int B = {bits}; (void)B;"
        )
        lines.append(
            "for (int i = 0; i < 600; ++i) { T a = (T)in[i][0], b = (T)in[i][1], c = (T)in[i][2], d = (T)in[i][3];"
        )
        lines.append(
            f"(void)a; (void)b; (void)c; (void)d; out[i] = (int64_t)({expression}); }} fwrite(out, 8, 600, stdout); }}"
        )
    (folder / "reference.cpp").write_text("\n".join([*lines, "}"]))
    subprocess.run(
        ["g++", "-O1", "-w", "-o", folder / "reference", folder / "reference.cpp"], check=True
    )
    ran = subprocess.run(
        [folder / "reference"], input=_inputs().tobytes(), stdout=subprocess.PIPE, check=True
    )
    rows = np.frombuffer(ran.stdout, dtype=np.int64).reshape(-1, 600)
    return {(name, t): row for (name, t, _, _), row in zip(_cases(), rows, strict=True)}


@needs.gpp
@pytest.mark.parametrize(("name", "type_name", "count"), [(n, t, c) for n, t, c, _ in _cases()])
def test_operation_agrees_with_c(
    name: str, type_name: str, count: int, reference: dict[tuple[str, str], np.ndarray]
) -> None:
    bits, signed = TYPES[type_name]
    columns = _inputs().T[:count]
    arguments = [wrap(column, bits, signed) for column in columns]
    if name in ("shl_clamp", "shr_clamp"):
        arguments[1] = columns[1] & 255
    found = OPERATIONS[name](*arguments, bits=bits, signed=signed)
    width = 64 if name == "upsample" else bits
    expected = wrap(reference[name, type_name], width, False)
    np.testing.assert_array_equal(wrap(found, width, False), expected)


def test_every_operation_has_a_reference() -> None:
    tested = set(REFERENCE) | set(REFERENCE_32) | {"bfind_shift", "any_msb", "all_msb"}
    assert set(OPERATIONS) == tested


def test_vector_conditions_look_at_the_top_bit() -> None:
    a, b = np.array([0, -1, 5]), np.array([0, 0, -8])
    assert OPERATIONS["any_msb"](a, b, bits=32, signed=True).tolist() == [0, 1, 1]
    assert OPERATIONS["all_msb"](a, b, bits=32, signed=True).tolist() == [0, 0, 0]
    assert OPERATIONS["bfind_shift"](
        np.array([1, 0, 0x80000000]), bits=32, signed=False
    ).tolist() == [31, 0xFFFFFFFF, 0]


@pytest.mark.parametrize(("bits", "signed"), [(8, True), (8, False), (16, True), (16, False)])
def test_narrow_types(bits: int, signed: bool) -> None:
    """OpenCL's char and short: saturation, averages and high products by exhaustive or random
    Python integers."""
    random = np.random.default_rng(bits)
    low, high = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signed else (0, (1 << bits) - 1)
    a, b = random.integers(low, high + 1, size=(2, 2000))
    pairs = list(zip(a.tolist(), b.tolist(), strict=True))
    assert OPERATIONS["add_sat"](a, b, bits=bits, signed=signed).tolist() == [
        min(max(x + y, low), high) for x, y in pairs
    ]
    assert OPERATIONS["rhadd"](a, b, bits=bits, signed=signed).tolist() == [
        (x + y + 1) >> 1 for x, y in pairs
    ]
    assert OPERATIONS["mul_hi"](a, b, bits=bits, signed=signed).tolist() == [
        (x * y) >> bits for x, y in pairs
    ]
    assert OPERATIONS["clz"](a, bits=bits, signed=signed).tolist() == [
        bits - (x % (1 << bits)).bit_length() for x in a.tolist()
    ]
    assert OPERATIONS["upsample"](a, wrap(b, bits, False), bits=bits, signed=signed).tolist() == [
        (x << bits) + y % (1 << bits) for x, y in pairs
    ]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", sorted(OPERATIONS))
def test_arrays_broadcast(name: str) -> None:
    """Operands of different shapes give what operands of the full shape give; scalars give scalars;
    nothing warns."""
    counts = {
        **REFERENCE,
        **REFERENCE_32,
        "bfind_shift": (1, ""),
        "any_msb": (2, ""),
        "all_msb": (2, ""),
    }
    shapes = [(1, 1, 32), (4, 1, 1), (1, 3, 1), (1, 1, 1)][: counts[name][0]]
    for bits, signed in ((32, True), (64, False)):
        operands = [
            3 * np.arange(np.prod(shape), dtype=np.int64).reshape(shape) + i
            for i, shape in enumerate(shapes)
        ]
        found = OPERATIONS[name](*operands, bits=bits, signed=signed)
        full = np.broadcast_shapes(*shapes)
        assert found.shape == full and found.dtype == np.int64
        whole = OPERATIONS[name](
            *(np.broadcast_to(o, full).copy() for o in operands), bits=bits, signed=signed
        )
        np.testing.assert_array_equal(found, whole)
        scalar = OPERATIONS[name](*(o.flat[-1] for o in operands), bits=bits, signed=signed)
        assert scalar.shape == () and scalar.dtype == np.int64
