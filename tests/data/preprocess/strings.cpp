#define xstr(s) str(s)
#define str(s) # s
#define glue(a, b) a ## b
#define xglue(a, b) glue(a, b)
#define HIGHLOW "hello"
#define LOW LOW ", world"
xstr(strncmp("abc\0d", "abc", '\4') == 0) str(: @\n) glue(HIGH, LOW); xglue(HIGH, LOW) str( a  "b\"" 
 c )
