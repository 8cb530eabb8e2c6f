"""Small classes of the C++ library, where their header is not among the files, read from
declarations like those that C++ and Thrust give them: `std::integral_constant` and its kin, integer
sequences, `std::span`, `std::mdspan`, `std::optional`, `thrust::device_ptr`.

In: a type's name and template arguments. Out: the class, as if a file had declared it. Sources:
[meta.help], [intseq], [views.span], [mdspan.syn], [optional.syn].
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kernlint.ir.types import BOOL, ULONG
from kernlint.lowering.context import ProgramContext
from kernlint.lowering.declare import Declarations
from kernlint.lowering.expressions.values import Qualified
from kernlint.lowering.scopes import ClassTemplate, Entity, NamespaceEntity, Scope, TypeEntity
from kernlint.lowering.templates import template_arguments
from kernlint.lowering.types import classes
from kernlint.source.lexer import tokenize
from kernlint.source.parser import tree
from kernlint.source.parser.parser import parse

_TEXT = """
namespace std {
template <class T, T v> struct integral_constant {
  static constexpr T value = v;
  using value_type = T;
  using type = integral_constant;
  constexpr operator T() const { return v; }
  constexpr T operator()() const { return v; }
};
template <class T, T... I> struct integer_sequence {
  using value_type = T;
  static constexpr size_t size() { return sizeof...(I); }
};
template <class T, size_t E = 18446744073709551615ull> struct span {
  using element_type = T;
  using value_type = T;
  T *data_;
  size_t size_;
  constexpr span() : data_(nullptr), size_(0) {}
  constexpr span(T *p, size_t n) : data_(p), size_(n) {}
  template <size_t N> constexpr span(T (&a)[N]) : data_(a), size_(N) {}
  template <class C> constexpr span(C &c) : data_(c.data()), size_(c.size()) {}
  constexpr T &operator[](size_t i) const { return data_[i]; }
  constexpr T &front() const { return data_[0]; }
  constexpr T &back() const { return data_[size_ - 1]; }
  constexpr T *data() const { return data_; }
  constexpr T *begin() const { return data_; }
  constexpr T *end() const { return data_ + size_; }
  constexpr size_t size() const { return size_; }
  constexpr size_t size_bytes() const { return size_ * sizeof(T); }
  constexpr bool empty() const { return size_ == 0; }
  template <size_t N> constexpr span first() const { return span(data_, N); }
  template <size_t N> constexpr span last() const { return span(data_ + (size_ - N), N); }
  template <size_t A, size_t N = 18446744073709551615ull> constexpr span subspan() const { return span(data_ + A, N + 1 ? N : size_ - A); }
  constexpr span first(size_t n) const { return span(data_, n); }
  constexpr span last(size_t n) const { return span(data_ + (size_ - n), n); }
  constexpr span subspan(size_t at) const { return span(data_ + at, size_ - at); }
  constexpr span subspan(size_t at, size_t n) const { return span(data_ + at, n); }
};
template <class I, size_t... E> struct extents {
  using index_type = I;
  constexpr I right_(I at) const { return at; }
  constexpr I left_() const { return 0; }
  constexpr I extent(size_t) const { return 1; }
  constexpr I size_() const { return 1; }
};
template <class I, size_t E, size_t... Rest> struct extents<I, E, Rest...> {
  using index_type = I;
  I own_;
  extents<I, Rest...> rest_;
  static constexpr size_t rank() { return 1 + sizeof...(Rest); }
  constexpr extents() : own_(E) {}
  template <class First, class... Others> constexpr extents(First first, Others... others) {
    if constexpr (sizeof...(Others) == sizeof...(Rest) || E == 18446744073709551615ull) {
      own_ = first;
      rest_ = extents<I, Rest...>(others...);
    } else {
      own_ = E;
      rest_ = extents<I, Rest...>(first, others...);
    }
  }
  constexpr I first_() const { if constexpr (E == 18446744073709551615ull) return own_; else return E; }
  constexpr I extent(size_t r) const { return r == 0 ? first_() : rest_.extent(r - 1); }
  constexpr I size_() const { return first_() * rest_.size_(); }
  template <class... X> constexpr I right_(I at, I x, X... others) const { return rest_.right_(at * first_() + x, others...); }
  template <class... X> constexpr I left_(I x, X... others) const { return x + first_() * rest_.left_(others...); }
};
struct layout_right { static constexpr bool is_left_ = false; };
struct layout_left { static constexpr bool is_left_ = true; };
template <class T, class E, class L = layout_right> struct mdspan {
  using element_type = T;
  using value_type = T;
  using extents_type = E;
  using index_type = typename E::index_type;
  T *data_;
  E extents_;
  constexpr mdspan(T *p) : data_(p) {}
  constexpr mdspan(T *p, E e) : data_(p), extents_(e) {}
  template <class... N> constexpr mdspan(T *p, N... n) : data_(p), extents_(n...) {}
  template <class... X> constexpr T &operator()(X... x) const {
    if constexpr (L::is_left_) return data_[extents_.left_(x...)]; else return data_[extents_.right_(0, x...)];
  }
  static constexpr size_t rank() { return E::rank(); }
  constexpr T *data_handle() const { return data_; }
  constexpr index_type extent(size_t r) const { return extents_.extent(r); }
  constexpr size_t size() const { return extents_.size_(); }
  constexpr E extents() const { return extents_; }
};
struct nullopt_t {};
inline constexpr nullopt_t nullopt{};
template <class T> struct optional {
  using value_type = T;
  T value_;
  bool engaged_;
  constexpr optional() : engaged_(false) {}
  constexpr optional(nullopt_t) : engaged_(false) {}
  constexpr optional(T value) : value_(value), engaged_(true) {}
  constexpr bool has_value() const { return engaged_; }
  constexpr explicit operator bool() const { return engaged_; }
  constexpr T &operator*() { return value_; }
  constexpr T *operator->() { return &value_; }
  constexpr T &value() { return value_; }
  template <class U> constexpr T value_or(U other) const { return engaged_ ? value_ : static_cast<T>(other); }
  constexpr optional &operator=(nullopt_t) { engaged_ = false; return *this; }
  constexpr optional &operator=(T value) { value_ = value; engaged_ = true; return *this; }
  template <class... A> constexpr T &emplace(A... arguments) { value_ = T(arguments...); engaged_ = true; return value_; }
  constexpr void reset() { engaged_ = false; }
};
template <class T> constexpr optional<T> make_optional(T value) { return optional<T>(value); }
}
namespace thrust {
template <class T> struct device_ptr {
  using element_type = T;
  using value_type = T;
  T *data_;
  device_ptr() : data_(nullptr) {}
  explicit device_ptr(T *p) : data_(p) {}
  T *get() const { return data_; }
  T &operator[](long i) const { return data_[i]; }
  T &operator*() const { return *data_; }
  T *operator->() const { return data_; }
  device_ptr operator+(long n) const { return device_ptr(data_ + n); }
  device_ptr operator-(long n) const { return device_ptr(data_ - n); }
  device_ptr &operator+=(long n) { data_ += n; return *this; }
  device_ptr &operator-=(long n) { data_ -= n; return *this; }
  device_ptr &operator++() { ++data_; return *this; }
  device_ptr &operator--() { --data_; return *this; }
};
}
"""
_TRUTHS = {"true_type": 1, "false_type": 0}
DYNAMIC_EXTENT = (1 << 64) - 1
_LONGEST = 4096  # elements of a sequence that is made


def declared_type(
    program: ProgramContext, names: list[str], last: tree.Node, scope: Scope
) -> Qualified | None:
    """`std::integral_constant<T, v>`, `std::true_type`, `cuda::std::make_index_sequence<4>`,
    `std::span<T>`, `thrust::device_ptr<T>`; None for other names."""
    name = names[-1]
    if len(names) < 2 or names[0] not in ("std", "cuda", "thrust", ""):
        return None
    if name in _TRUTHS:
        return _constant(program, _TRUTHS[name])
    if name in _PLAIN:
        plain = _space(program, "std").member(name)
        assert isinstance(plain, TypeEntity)
        return Qualified(classes.class_type(program, plain))
    if not isinstance(last, tree.TemplateId):
        return None
    make = _MADE.get(name)
    if make is not None:
        return make(program, last, scope)
    if name not in _CLASSES:
        return None
    template = _template(program, _CLASSES[name], name)
    arguments = template_arguments.complete(
        program, template.parameters, tuple(last.args), scope, {}, template.scope
    )
    if arguments is None:
        return None
    return Qualified(classes.instantiate(program, template, arguments))


def is_class(names: Sequence[str]) -> bool:
    """Whether a qualified name is that of a class of the text."""
    return len(names) > 1 and names[0] in ("std", "cuda", "thrust") and names[-1] in _CLASSES


def declared_entity(program: ProgramContext, names: Sequence[str]) -> Entity | None:
    """The object or function of the text that a qualified name means: `cuda::std::nullopt`."""
    if names[0] not in ("std", "cuda") or names[-1] not in _NAMED:
        return None
    return _space(program, "std").member(names[-1])


def _constant(program: ProgramContext, value: int | None) -> Qualified:
    known = template_arguments.TemplateValue(BOOL, value)
    template = _template(program, "std", "integral_constant")
    return Qualified(classes.instantiate(program, template, (Qualified(BOOL), known)))


def _value(program: ProgramContext, node: tree.Node, scope: Scope) -> int | None:
    found = program.constant(template_arguments.plain_name(node) or node, scope)
    return None if found is None else int(found.value)


def _bool_constant(program: ProgramContext, node: tree.TemplateId, scope: Scope) -> Qualified:
    value = _value(program, node.args[0], scope) if len(node.args) == 1 else None
    return _constant(program, None if value is None else int(bool(value)))


def _sequence(program: ProgramContext, type_: Qualified, count: int | None) -> Qualified | None:
    """The sequence 0, 1, … of `count` numbers."""
    if count is None or not 0 <= count <= _LONGEST:
        return None
    numbers = tuple(template_arguments.TemplateValue(type_.type, i) for i in range(count))
    template = _template(program, "std", "integer_sequence")
    return Qualified(classes.instantiate(program, template, (type_, numbers)))


def _make_integer_sequence(
    program: ProgramContext, node: tree.TemplateId, scope: Scope
) -> Qualified | None:
    if len(node.args) != 2:
        return None
    type_ = program.resolve(node.args[0], scope)
    return _sequence(program, Qualified(type_.type), _value(program, node.args[1], scope))


def _make_index_sequence(
    program: ProgramContext, node: tree.TemplateId, scope: Scope
) -> Qualified | None:
    if len(node.args) != 1:
        return None
    return _sequence(program, Qualified(ULONG), _value(program, node.args[0], scope))


def _index_sequence(
    program: ProgramContext, node: tree.TemplateId, scope: Scope
) -> Qualified | None:
    """`std::index_sequence<0, 2>` is `std::integer_sequence<size_t, 0, 2>`."""
    given = template_arguments.expand_packs(node.args, scope)
    values = [_value(program, one, where) for one, where in given]
    numbers = [template_arguments.TemplateValue(ULONG, v) for v in values if v is not None]
    if len(numbers) < len(values):
        return None
    template = _template(program, "std", "integer_sequence")
    return Qualified(classes.instantiate(program, template, (Qualified(ULONG), tuple(numbers))))


def _index_sequence_for(
    program: ProgramContext, node: tree.TemplateId, scope: Scope
) -> Qualified | None:
    given = template_arguments.expand_packs(node.args, scope)
    return _sequence(program, Qualified(ULONG), len(given))


def _dynamic_extents(
    program: ProgramContext, node: tree.TemplateId, scope: Scope
) -> Qualified | None:
    """`std::dextents<int, 2>` is `std::extents<int, dynamic_extent, dynamic_extent>`."""
    rank = _value(program, node.args[1], scope) if len(node.args) == 2 else None
    if rank is None or not 0 <= rank <= _LONGEST:
        return None
    open_ = template_arguments.TemplateValue(ULONG, DYNAMIC_EXTENT)
    template = _template(program, "std", "extents")
    type_ = Qualified(program.resolve(node.args[0], scope).type)
    return Qualified(classes.instantiate(program, template, (type_, (open_,) * rank)))


_MADE: dict[str, Callable[[ProgramContext, tree.TemplateId, Scope], Qualified | None]] = {
    "bool_constant": _bool_constant,
    "make_integer_sequence": _make_integer_sequence,
    "make_index_sequence": _make_index_sequence,
    "dextents": _dynamic_extents,
    "index_sequence": _index_sequence,
    "index_sequence_for": _index_sequence_for,
}
_CLASSES = {
    "integral_constant": "std",
    "integer_sequence": "std",
    "span": "std",
    "extents": "std",
    "mdspan": "std",
    "optional": "std",
    "device_ptr": "thrust",
}
_PLAIN = frozenset({"layout_left", "layout_right", "nullopt_t"})  # classes without parameters
_NAMED = frozenset({"nullopt", "make_optional"})


def _template(program: ProgramContext, namespace: str, name: str) -> ClassTemplate:
    found = _space(program, namespace).member(name)
    assert isinstance(found, ClassTemplate)
    return found


def _space(program: ProgramContext, namespace: str) -> Scope:
    """A namespace of the text, which is read once for a program."""
    if program.declared_library is None:
        program.declared_library = Scope(None, "namespace")
        Declarations().collect(
            parse(tokenize(_TEXT, "<library>"), "<library>", "cuda").declarations,
            program.declared_library,
        )
    space = program.declared_library.member(namespace)
    assert isinstance(space, NamespaceEntity)
    return space.scope
