#define f(x) -x
#define CAT(a,b) a##b
-f(-1) CAT(+,+) CAT(<,<=) CAT(-,>) CAT(.,5) CAT(1,.5e) CAT(L,'a') CAT(&,&)
