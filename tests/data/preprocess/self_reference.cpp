#define foo (4 + foo)
#define a b + c
#define b a + d
foo a b
#define f(x) x f
f(f)(1) f(f(1))(2)
