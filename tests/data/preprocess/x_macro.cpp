#define LIST(X) X(a, 1) X(b, 2)
#define DECL(n, v) int n = v;
#define NAME(n, v) #n,
LIST(DECL) char* s[] = { LIST(NAME) };
