#define S(x) #x x
S(R"(a"\n)")
R"x(
#define A 1
)x" A
