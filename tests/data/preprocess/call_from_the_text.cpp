#define f(a) a*g
#define g(a) f(a)
f(2)(9) g f(1)(2)(3)
#define ID(x) x
ID(f)(1) ID(ID)(ID)(2)
