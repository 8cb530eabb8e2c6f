#define e(f, ...) p(f, ## __VA_ARGS__)
#define n(f, args...) p(f, ##args) q(args)
#define o(...) p(0, ## __VA_ARGS__)
e(1) e(1,) e(1,2,3) n(1) n(1,2,3) o() o(1) e((1,2),(3,4))
