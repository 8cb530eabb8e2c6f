#define EMPTY
#define DEFER(x) x EMPTY
#define EXPAND(...) __VA_ARGS__
#define A() 123
DEFER(A)() EXPAND(DEFER(A)())
