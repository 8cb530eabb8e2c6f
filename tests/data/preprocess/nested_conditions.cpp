#if 0
#if 1
a
#else
b
#endif
#elif 1
#if 0
c
#elif 0
d
#else
e
#endif
#else
f
#endif
#if 0
don't "x
#garbage
#error no
#endif
z
