typedef struct roi { int x, width; } roi;
typedef struct fwd fwd; struct fwd { float a; fwd *next; };
typedef enum mode { M0, M1 = 4 } mode;
struct tag { int v; };
kernel void k(global roi *r, global struct tag *t, global fwd *f, global int *o, mode m) {
    o[r->width] = t[2].v; f[1].a = 0; if (m == M1) o[0] = sizeof(fwd);
    roi q = {.width = 3}; o[q.width] = q.x;
}
