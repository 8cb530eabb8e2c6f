"""What words mean before any header is read: keywords, well-known type names, and the scopes of a
unit.

In: a word, or a name being declared. Out: what the word stands for. Knows nothing of tokens or of
the grammar.
"""

from __future__ import annotations

import re
from itertools import islice, takewhile
from typing import ClassVar


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


STORAGE = _words(
    """
    static extern constexpr consteval constinit inline typedef mutable register thread_local __thread _Thread_local
    """
)
FUNCTION_SPECIFIERS = _words(
    """
    __global__ __device__ __host__ __shared__ __constant__ __managed__ __grid_constant__ __forceinline__ __noinline__ __inline__
    __inline _inline __forceinline virtual explicit __device_builtin__ __tile__  __kernel __local __global
    __constant __private __generic __read_only __write_only __read_write __extension__ _Noreturn noreturn __host_device__
     __cdecl __stdcall
    """
)
OPENCL_SPECIFIERS = {
    "kernel": "__kernel",
    "local": "__local",
    "global": "__global",
    "constant": "__constant",
    "private": "__private",
    "generic": "__generic",
    "read_only": "__read_only",
    "write_only": "__write_only",
    "read_write": "__read_write",
}
# before `void name(`: what else could a project's own macro of that name mean
KERNEL_MACRO = re.compile(r"(?:^|_)KERNEL(?:_|$)")
GLOBAL_MACRO = re.compile(r"(?:^|_)GLOBAL(?:_|$)")
FRIEND = "friend"
EXECUTION_SPACES = frozenset(("__global__", "__device__", "__host__", "__host_device__"))
ASSUMED_KERNEL = "(kernel)"  # a specifier that stands where a macro is taken to declare a kernel
# what is read in place of a macro that makes a kernel; "": the macro's own name
MADE_KERNEL = (
    ("SPECIFIER", ""),
    ("SPECIFIER", ASSUMED_KERNEL),
    ("SPECIFIER", "__global__"),
    ("TYPE_WORD", "void"),
)
THREAD_NUMBERS = frozenset(("threadIdx", "blockIdx"))
ASM_WORDS = frozenset(("asm", "__asm__", "__asm"))
ADDRESS_SPACES = frozenset(["__local", "__global", "__constant", "__private", "__generic"])
SPECIFIERS = STORAGE | FUNCTION_SPECIFIERS
QUALIFIERS = _words(
    """
    const volatile restrict __restrict__ __restrict __const __volatile__ __volatile _Atomic __unaligned __ptr64
    """
)
QUALIFIER_SPELLING = {
    "__restrict__": "restrict",
    "__restrict": "restrict",
    "__const": "const",
    "__volatile__": "volatile",
    "__volatile": "volatile",
}
TYPE_WORDS = _words(
    """
    void char short int long float double signed unsigned bool _Bool wchar_t char8_t char16_t char32_t __int64 __int128 __int128_t
    __signed__
    """
)
CLASS_KEYS = frozenset(("struct", "class", "union"))
ATTRIBUTES = {
    "__launch_bounds__": "launch_bounds",
    "__maxnreg__": "maxnreg",
    "__cluster_dims__": "cluster_dims",
    "__block_size__": "block_size",
    "__align__": "aligned",
    "alignas": "aligned",
    "_Alignas": "aligned",
}
NAMED_CASTS = {
    "static_cast": "static",
    "reinterpret_cast": "reinterpret",
    "const_cast": "const",
    "dynamic_cast": "dynamic",
    "__builtin_bit_cast": "bit",
}
LITERAL_WORDS = {"true": "BOOLEAN", "false": "BOOLEAN", "nullptr": "NULLPTR", "this": "THIS"}
SIZEOF = frozenset(("sizeof", "alignof", "_Alignof", "__alignof__", "__alignof"))
TRAITS = _words(
    """
    typeid noexcept __builtin_offsetof __builtin_va_arg va_arg offsetof __builtin_types_compatible_p vec_step
    """
)
STATEMENT_WORDS = _words(
    "if else for while do switch case default break continue return goto try catch"
)
ALTERNATIVE_OPERATORS = {
    "and": "&&",
    "or": "||",
    "not": "!",
    "bitand": "&",
    "bitor": "|",
    "xor": "^",
    "compl": "~",
    "not_eq": "!=",
}
PREFIX_OPERATORS = _words("+ - ! ~ * & ++ -- &&")
ASSIGN_OPERATORS = _words("= += -= *= /= %= &= |= ^= <<= >>=")
BINARY_OPERATORS = _words("+ - * / % & | ^ && || == != < > <= >= << >> <=> .* ->*")
KEYWORDS = (
    SPECIFIERS | QUALIFIERS | TYPE_WORDS | CLASS_KEYS | frozenset(ATTRIBUTES) | frozenset(NAMED_CASTS) | frozenset(LITERAL_WORDS)
    | SIZEOF | STATEMENT_WORDS
    | _words(
    """
    auto enum using namespace template typename operator new delete throw friend static_assert _Static_assert public protected
    private decltype typeof __typeof__ __typeof __attribute__ __attribute __declspec asm __asm__ __asm typeid noexcept concept
    requires co_return
    """
)
) - {"noreturn", "_inline"}  # fmt: skip

STANDARD_CONCEPTS = _words(
    """
    same_as derived_from convertible_to common_reference_with common_with integral signed_integral unsigned_integral
    floating_point assignable_from swappable swappable_with destructible constructible_from default_initializable
    move_constructible copy_constructible equality_comparable equality_comparable_with totally_ordered totally_ordered_with
    three_way_comparable movable copyable semiregular regular invocable regular_invocable predicate relation
    equivalence_relation strict_weak_order weakly_incrementable incrementable input_or_output_iterator sentinel_for
    sized_sentinel_for input_iterator output_iterator forward_iterator bidirectional_iterator random_access_iterator
    contiguous_iterator range sized_range view input_range output_range forward_range bidirectional_range
    random_access_range contiguous_range
    """
)

_LANES = "(?:2|3|4|8|16)"
VECTOR_TYPE = re.compile(
    rf"(?:u?(?:char|short|int|long)|longlong|ulonglong|float|double|half|bool){_LANES}\Z"
)
KNOWN_TYPE = re.compile(
    rf"""(?:
    (?:u?(?:char|short|int|long)|longlong|ulonglong|float|double|half|bool)(?:1|{_LANES})
    |dim3|uint3|half|half2|__half2?|__half_raw|__half2_raw|__half4|(?:__)?nv_bfloat16[2]?|__nv_fp8\w*|__nv_fp[46]\w*|bfloat16|bf16|(?:double|long|ulong|longlong|ulonglong)4_(?:16|32)a
    |uchar|ushort|uint|ulong|ulonglong|longlong|quad|bool|size_t|ptrdiff_t
    |cudaError|cudaStream|cudaEvent|FILE|va_list|cl_\w+
    |cuComplex|cuFloatComplex|cuDoubleComplex|cufftComplex|cufftReal|curandState\w*|curandStatePhilox4_32_10_t
    |image[123]d(?:_\w+)?_t|sampler_t|event_t|queue_t|pipe|complex_t
    |\w+_t
    )\Z""",
    re.VERBOSE,
)  # fmt: skip

TYPE, VALUE, CLASS_TEMPLATE, VALUE_TEMPLATE, NAMESPACE = (
    "type",
    "value",
    "class template",
    "value template",
    "namespace",
)


class NameScope:
    """Names of one block, class or namespace, with the scope around it; `members` are those of
    named classes and namespaces."""

    __slots__ = ("is_template", "members", "names", "outer")
    declared: ClassVar[int] = (
        # of all scopes: grows with each name, so that what was found out before is known to be old
        0
    )

    def __init__(self, outer: NameScope | None = None, is_template: bool = False) -> None:
        self.outer = outer
        # the scope of `template <…>`: holds its parameters, passes declarations on outwards
        self.is_template = is_template
        self.names: dict[str, str] = {}
        self.members: dict[str, NameScope] = {}

    def find(self, name: str) -> str | None:
        """What `name` stands for here, or None when no declaration of it was seen."""
        scope: NameScope | None = self
        while scope is not None:
            found = scope.names.get(name)
            if found is not None:
                return found
            scope = scope.outer
        return None

    def inner(self, name: str) -> NameScope | None:
        """The scope of the class or namespace called `name`, seen from here."""
        scope: NameScope | None = self
        while scope is not None:
            if name in scope.members:
                return scope.members[name]
            scope = scope.outer
        return None

    def declare(self, name: str, meaning: str) -> None:
        """Declares in the nearest scope that is no template head; inside one, types and values
        become templates."""
        scope = self
        while scope.is_template and scope.outer is not None:
            meaning = {TYPE: CLASS_TEMPLATE, VALUE: VALUE_TEMPLATE}.get(meaning, meaning)
            scope = scope.outer
        if not (meaning == VALUE and scope.names.get(name) == VALUE_TEMPLATE):
            scope.put(name, meaning)

    def put(self, name: str, meaning: str) -> None:
        """Declares in this very scope."""
        self.names.pop(name, None)
        self.names[name] = meaning  # as the last one
        NameScope.declared += 1

    def latest(self, words: frozenset[str], count: int) -> tuple[tuple[str, str], ...]:
        """What was declared here last, up to so many names, all of them among some words, with what
        they mean."""
        return tuple(
            (name, self.names[name])
            for name in takewhile(words.__contains__, islice(reversed(self.names), count))
        )

    def attach(self, name: str, scope: NameScope) -> None:
        """Makes `scope` the members of the class or namespace `name`."""
        owner = self
        while owner.is_template and owner.outer is not None:
            owner = owner.outer
        owner.members[name] = scope


def known_type(word: str) -> bool:
    """Whether `word`, of which no declaration was seen, is by its spelling a type of CUDA, OpenCL
    or the C library."""
    return word in TYPE_WORDS or (KNOWN_TYPE.match(word) is not None and not word.isupper())
