#define f(a, b) [a|b]
f(1,
#ifdef X
2
#else
3 // , no
#endif
)
f
(
/* c */ x, y)
f + f
