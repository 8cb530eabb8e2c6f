#define LONG(a, \
   b) a + \
  b
LONG(1, \
2) x\
y
