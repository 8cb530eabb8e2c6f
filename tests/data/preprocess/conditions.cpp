#if 1 == 1L && (2 || 1/0) && !defined(Q) && !Q
A
#elif 1/0
B
#else
C
#endif
#if -1 > 0u
D
#endif
#if (-1 >> 1) == -1 && ~0u == -1 && 07 + 0x1F + 0b11 == 41
E
#endif
#if 'a' == 97 && '\n' == 10 && '\377' < 0 && 'ab' == 24930 && L'\xff' == 255
F
#endif
#if (0 ? 1/0 : 2) == 2, 1
G
#endif
#if 5 % 3 == 2 && -5 % 3 == -2 && -5 / 3 == -1
H
#endif
#if 1'000 == 1000 and not 0 && true && !false
I
#endif
#if 0 ? -1 : 0u - 1 > 5
J
#endif
#if (2 ? -1 : 0u) > 0
K
#endif
#define D defined X
#if D
L
#else
M
#endif
