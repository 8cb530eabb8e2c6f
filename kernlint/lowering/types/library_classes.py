"""Classes of the library that are read from C++ of their own, where their headers are not among the
files: those in which host code keeps pointers and sizes.

In: a class's name. Out: its template, as if a file had declared it. Each text is read when a program
first names the class. Sources: [unique.ptr], [util.sharedptr], [map], [unord.map]. What
of them decides no value is left out. A map keeps the order in which keys come, and room for
MOST_KEYS.
"""

from __future__ import annotations

from kernlint.lowering.context import ProgramContext
from kernlint.lowering.declare import Declarations
from kernlint.lowering.scopes import ClassTemplate, Scope
from kernlint.source.lexer import tokenize
from kernlint.source.parser.parser import parse

MOST_KEYS = 32

_POINTER = """
template <class T, class D = void> struct NAME {
  using element_type = T;
  T *p_;
  NAME() : p_(nullptr) {}
  NAME(T *p) : p_(p) {}
  template <class U, class E> NAME(const NAME<U, E> &other) : p_(other.p_) {}
  T *get() const { return p_; }
  T &operator*() const { return *p_; }
  T *operator->() const { return p_; }
  T &operator[](unsigned long i) const { return p_[i]; }
  explicit operator bool() const { return p_ != nullptr; }
  T *release() { T *p = p_; p_ = nullptr; return p; }
  void reset(T *p = nullptr) { p_ = p; }
};
template <class T, class D> struct NAME<T[], D> {
  using element_type = T;
  T *p_;
  NAME() : p_(nullptr) {}
  NAME(T *p) : p_(p) {}
  T *get() const { return p_; }
  T &operator[](unsigned long i) const { return p_[i]; }
  explicit operator bool() const { return p_ != nullptr; }
  T *release() { T *p = p_; p_ = nullptr; return p; }
  void reset(T *p = nullptr) { p_ = p; }
};
"""
_MAP = f"""
template <class K, class V, class... Rest> struct NAME {{
  using value_type = pair<K, V>;
  using key_type = K;
  using mapped_type = V;
  unsigned long size_;
  pair<K, V> items_[{MOST_KEYS}];
  NAME() : size_(0) {{}}
  NAME(initializer_list<pair<K, V>> items) : size_(0) {{ for (const auto &one : items) insert(one); }}
  unsigned long index_(const K &key) const {{
    unsigned long found = size_;
    for (unsigned long i = 0; i < size_; ++i) if (items_[i].first == key) {{ found = i; break; }}
    return found;
  }}
  V &operator[](const K &key) {{
    unsigned long i = index_(key);
    if (i == size_) {{ items_[i].first = key; items_[i].second = V(); ++size_; }}
    return items_[i].second;
  }}
  void insert(const pair<K, V> &item) {{ emplace(item.first, item.second); }}
  void emplace(const K &key, const V &value) {{ if (index_(key) == size_) (*this)[key] = value; }}
  void insert_or_assign(const K &key, const V &value) {{ (*this)[key] = value; }}
  V &at(const K &key) {{ return items_[index_(key)].second; }}
  const V &at(const K &key) const {{ return items_[index_(key)].second; }}
  pair<K, V> *find(const K &key) {{ return items_ + index_(key); }}
  const pair<K, V> *find(const K &key) const {{ return items_ + index_(key); }}
  unsigned long count(const K &key) const {{ return index_(key) != size_; }}
  bool contains(const K &key) const {{ return index_(key) != size_; }}
  unsigned long size() const {{ return size_; }}
  bool empty() const {{ return size_ == 0; }}
  void clear() {{ size_ = 0; }}
  pair<K, V> *begin() {{ return items_; }}
  pair<K, V> *end() {{ return items_ + size_; }}
  const pair<K, V> *begin() const {{ return items_; }}
  const pair<K, V> *end() const {{ return items_ + size_; }}
}};
"""
POINTERS = ("unique_ptr", "shared_ptr")
MAPS = ("map", "unordered_map")
_TEXTS = {
    **{name: _POINTER.replace("NAME", name) for name in POINTERS},
    **{name: _MAP.replace("NAME", name) for name in MAPS},
}


def template(program: ProgramContext, name: str) -> ClassTemplate:
    """The class template of a name among those above, read once for a program."""
    known = program.library_classes.get(name)
    if known is None:
        scope = Scope(None, "namespace", "std")
        text = tokenize(_TEXTS[name], f"<{name}>")
        Declarations().collect(parse(text, f"<{name}>", "cuda").declarations, scope)
        found = scope.member(name)
        assert isinstance(found, ClassTemplate)
        program.library_classes[name] = known = found
    return known
