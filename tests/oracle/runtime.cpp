// The oracle's runtime: runs a launch's threads as coroutines, logs their memory accesses and basic blocks through the
// compiler's sanitizer hooks, aligns the lanes of each warp and counts what each warp-level request costs.
//
// Compiled without instrumentation. Counting rules: those measured on hardware for 32 banks of 4 bytes and 32-byte sectors.
// Alignment: of the lanes of a warp, those in the deepest frame go first, among them those at the lowest address of the
// unoptimised code, which keeps source order; lanes that stand at the same place go together. That reconverges every
// structured construct at its end.
#include "runtime.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <link.h>
#include <map>
#include <sys/mman.h>
#include <unistd.h>
#include <unordered_map>
#include <vector>
#if !defined(__x86_64__)
#include <ucontext.h>
#endif

typedef uint64_t u64;
typedef uint32_t u32;

namespace {

constexpr size_t STACK = 160 << 10, STAGGER = 1088, MAX_THREADS = 1024, ARENA = size_t(1) << 38, DYNAMIC = 256 << 10;
constexpr size_t CHUNK = 1 << 14, MOST_EVENTS = size_t(1) << 27;
enum Space { SHARED = 1, GLOBAL = 2, STATIC = 3, LOCAL = 4 };
const char *const SPACES[] = {"", "shared", "global", "static", "local"};
const char *const OPS[] = {"", "load", "store", "atomic", "swap"};

[[noreturn]] void die(const char *what)
{
    fflush(stdout);
    fprintf(stderr, "oracle: %s\n", what);
    _exit(86);
}

// key: depth (deepest smallest) | code address | kind | bytes; where: space | address from the space's start
struct Event {
    u64 key, where;
};

enum State { READY, FULL, BARRIER, EXCHANGE, ACTIVE, DONE };

struct Thread {
    std::vector<Event> log;
    std::vector<std::pair<uintptr_t, size_t>> arrays;  // on the stack, the newest last
    size_t at = 0, limit = CHUNK;
    State state = DONE;
    unsigned char *top;
    void *sp;
    u64 order = 0;  // key of the place where the thread waits
    unsigned mask = 0, came = 0;
    u64 brought = 0;
    int value = 0;
    kl_uint3 index;
    unsigned number;
#if !defined(__x86_64__)
    ucontext_t context;
#endif
};

struct Counter {
    u64 requests = 0, lanes = 0, sum = 0, ideal = 0, lines = 0, lines_ideal = 0, combined = 0;
    u32 low = ~0u, high = 0, lines_low = ~0u, lines_high = 0;
    u64 first = 0;
};

Thread *threads, *current;
unsigned char *stacks, *arena, *free_arena;
uintptr_t shared_start, shared_size;
kl_uint3 block_size, grid_size, block_index;
unsigned thread_count;
u64 exchanged[MAX_THREADS];
int barrier_result[3];
void (*kernel)(void *);
void *kernel_context;
std::unordered_map<u64, Counter> counters;
std::vector<std::pair<uintptr_t, size_t>> allocated;
FILE *out;
bool raw, perturb;
unsigned ticks;
extern "C" char __executable_start, _end;

// ---- coroutines ---------------------------------------------------------------------------------------------------
void finish_thread();

void thread_main()
{
    kernel(kernel_context);
    finish_thread();
}

#if defined(__x86_64__)
void *scheduler_sp;
extern "C" void kl_switch(void **save, void *next);
asm(".text\n.globl kl_switch\nkl_switch:\n"
    "push %rbp\npush %rbx\npush %r12\npush %r13\npush %r14\npush %r15\n"
    "mov %rsp,(%rdi)\nmov %rsi,%rsp\n"
    "pop %r15\npop %r14\npop %r13\npop %r12\npop %rbx\npop %rbp\nret\n");

void prepare(Thread &t)
{
    void **p = reinterpret_cast<void **>(t.top);
    *--p = nullptr;
    *--p = reinterpret_cast<void *>(&thread_main);
    for (int i = 0; i < 6; i++)
        *--p = nullptr;
    t.sp = p;
}
void enter(Thread &t) { kl_switch(&scheduler_sp, t.sp); }
void leave(Thread &t) { kl_switch(&t.sp, scheduler_sp); }
#else
ucontext_t scheduler;
void prepare(Thread &t)
{
    getcontext(&t.context);
    t.context.uc_stack.ss_sp = t.top - STACK + 64 * STAGGER;
    t.context.uc_stack.ss_size = STACK - 64 * STAGGER;
    t.context.uc_link = nullptr;
    makecontext(&t.context, &thread_main, 0);
}
void enter(Thread &t) { swapcontext(&scheduler, &t.context); }
void leave(Thread &t) { swapcontext(&t.context, &scheduler); }
#endif

void pause(State why)
{
    Thread &t = *current;
    t.state = why;
    leave(t);
    current = &t;
}

void finish_thread()
{
    Thread &t = *current;
    t.state = DONE;
    leave(t);
    die("a finished thread was resumed");
}

// ---- logging ------------------------------------------------------------------------------------------------------
inline u64 place(const Thread &t, const void *pc, const void *frame)
{
    u64 depth = (t.top - static_cast<const unsigned char *>(frame)) / 16;
    return (0xffff - depth) << 48 | u64(u32(reinterpret_cast<uintptr_t>(pc))) << 16;
}

inline void push(Thread &t, u64 key, u64 where)
{
    t.log.push_back({key, where});
    if (t.log.size() >= t.limit) {
        if (t.log.size() > MOST_EVENTS)
            die("a thread runs too long");
        pause(FULL);
    }
}

inline u64 locate(const void *address)
{
    uintptr_t a = reinterpret_cast<uintptr_t>(address);
    if (a - reinterpret_cast<uintptr_t>(arena) < ARENA)
        return u64(GLOBAL) << 60 | (a - reinterpret_cast<uintptr_t>(arena));
    if (a - shared_start < shared_size)
        return u64(SHARED) << 60 | (a - shared_start);
    if (a - reinterpret_cast<uintptr_t>(&__executable_start) < uintptr_t(&_end - &__executable_start))
        return u64(STATIC) << 60 | a;
    if (!current)
        return 0;
    for (size_t i = current->arrays.size(); i-- > 0;)
        if (a - current->arrays[i].first < current->arrays[i].second)
            return u64(LOCAL) << 60 | (a - current->arrays[i].first);
    return 0;
}

inline void note(const void *pc, const void *frame, const void *address, unsigned size, unsigned kind)
{
    if (!current)
        return;
    if (u64 where = locate(address))
        push(*current, place(*current, pc, frame) | kind << 8 | size, where);
}

// A copy of a class whose alignment is not known here: split by the alignment of its address, and below eight bytes where
// the compiler called an eight- or sixteen-byte object unaligned.
void note_range(const void *pc, const void *frame, const void *address, size_t size, unsigned kind)
{
    if (!current || !locate(address))
        return;
    uintptr_t a = reinterpret_cast<uintptr_t>(address) | size | (size == 8 || size == 16 ? 4 : 16);
    unsigned piece = unsigned(a & -a);
    for (size_t i = 0; i < size; i += piece)
        note(pc, frame, static_cast<const char *>(address) + i, piece, kind);
}

// ---- counting -----------------------------------------------------------------------------------------------------
struct Request {
    unsigned lanes[32];
    u64 address[32];
    unsigned count, size;
};

template <typename F> unsigned distinct(const Request &r, F of, u64 *seen)
{
    unsigned n = 0;
    for (unsigned i = 0; i < r.count; i++) {
        u64 v = of(r.address[i]);
        unsigned k = n;
        while (k > 0 && seen[k - 1] != v)
            k--;
        if (k == 0)
            seen[n++] = v;
    }
    return n;
}

unsigned degree(const Request &r, unsigned first, unsigned last)
{
    static u64 words[32][32];
    unsigned used[32] = {}, most = 0;
    for (unsigned i = 0; i < r.count; i++) {
        if (r.lanes[i] < first || r.lanes[i] >= last)
            continue;
        for (u64 w = r.address[i] / 4; w <= (r.address[i] + r.size - 1) / 4; w++) {
            unsigned bank = w % 32, k = 0;
            while (k < used[bank] && words[bank][k] != w)
                k++;
            if (k == used[bank])
                words[bank][used[bank]++] = w;
            most = std::max(most, used[bank]);
        }
    }
    return most;
}

// For x = 1 or x = 2: every lane whose partner lane^x takes part reads the partner's address.
bool paired(const Request &r)
{
    u64 of[32];
    bool in[32] = {};
    for (unsigned i = 0; i < r.count; i++) {
        of[r.lanes[i]] = r.address[i];
        in[r.lanes[i]] = true;
    }
    for (unsigned x = 1; x <= 2; x++) {
        bool all = true;
        for (unsigned l = 0; l < 32 && all; l++)
            all = !in[l] || !in[l ^ x] || of[l] == of[l ^ x];
        if (all)
            return true;
    }
    return false;
}

unsigned by_groups(const Request &r, unsigned width)
{
    unsigned sum = 0;
    for (unsigned first = 0; first < 32; first += width)
        sum += degree(r, first, first + width);
    return sum;
}

unsigned groups(const Request &r, unsigned width)
{
    unsigned mask = 0;
    for (unsigned i = 0; i < r.count; i++)
        mask |= 1u << r.lanes[i] / width;
    return unsigned(__builtin_popcount(mask));
}

unsigned width_of(const Request &r, unsigned kind)
{
    unsigned width = r.size <= 4 ? 32 : r.size == 8 ? 16 : 8;
    return kind == KL_LOAD && r.size > 4 && paired(r) ? 2 * width : width;
}

unsigned atomic_wavefronts(const Request &r)
{
    unsigned lanes[32] = {}, most = 0;
    for (unsigned i = 0; i < r.count; i++)
        for (u64 w = r.address[i] / 4; w <= (r.address[i] + r.size - 1) / 4; w++)
            most = std::max(most, ++lanes[w % 32]);
    return most;
}

unsigned blocks_touched(const Request &r, unsigned bytes)
{
    u64 seen[64];
    unsigned n = distinct(r, [=](u64 a) { return a / bytes; }, seen);
    if (r.size > 1) {
        for (unsigned i = 0; i < r.count; i++) {
            u64 v = (r.address[i] + r.size - 1) / bytes;
            if (v != r.address[i] / bytes && std::find(seen, seen + n, v) == seen + n)
                seen[n++] = v;
        }
    }
    return n;
}

// Byte b of lane l lies at b / 4 * 128 + 4 * l + b % 4: words of the lanes side by side.
Request interleaved(const Request &r, unsigned word)
{
    Request words = r;
    words.size = r.size < 4 ? r.size : 4;
    for (unsigned i = 0; i < r.count; i++) {
        u64 b = r.address[i] + 4 * word;
        words.address[i] = b / 4 * 128 + 4 * r.lanes[i] + b % 4;
    }
    return words;
}

void count_local(Counter &c, const Request &r)
{
    std::map<u64, bool> sectors, lines;
    for (unsigned word = 0; 4 * word < r.size; word++) {
        Request words = interleaved(r, word);
        for (unsigned i = 0; i < words.count; i++)
            sectors[words.address[i] / 32] = lines[words.address[i] / 128] = true;
    }
    unsigned n = unsigned(sectors.size()), touched = unsigned(lines.size());
    c.requests++;
    c.lanes += r.count;
    c.sum += n;
    c.combined += n;
    c.ideal += (r.count * r.size + 31) / 32;
    c.lines += touched;
    c.low = std::min(c.low, n);
    c.high = std::max(c.high, n);
    c.lines_low = std::min(c.lines_low, touched);
    c.lines_high = std::max(c.lines_high, touched);
}

void count(Counter &c, const Request &r, unsigned space, unsigned kind)
{
    if (space == LOCAL)
        return count_local(c, r);
    u64 seen[32];
    unsigned bytes = distinct(r, [](u64 a) { return a; }, seen) * r.size;
    unsigned n, ideal;
    if (space == SHARED) {
        n = kind == KL_ATOMIC ? atomic_wavefronts(r) : kind == KL_SWAP ? 2 * atomic_wavefronts(r) : by_groups(r, width_of(r, kind));
        ideal = kind >= KL_ATOMIC ? 1 : groups(r, width_of(r, kind));
    } else {
        n = blocks_touched(r, 32);
        ideal = (bytes + 31) / 32;
        unsigned lines = blocks_touched(r, 128);
        c.lines += lines;
        c.lines_ideal += (bytes + 127) / 128;
        c.lines_low = std::min(c.lines_low, lines);
        c.lines_high = std::max(c.lines_high, lines);
    }
    c.combined += space == SHARED && kind >= KL_ATOMIC ? degree(r, 0, 32) : n;
    c.requests++;
    c.lanes += r.count;
    c.sum += n;
    c.ideal += ideal;
    c.low = std::min(c.low, n);
    c.high = std::max(c.high, n);
}

void print_raw(const Request &r, u64 pc, unsigned space, unsigned kind, unsigned warp)
{
    fprintf(out, "R %llu %s %s %u %u,%u,%u %u", (unsigned long long)pc, SPACES[space], OPS[kind], r.size, block_index.x, block_index.y,
            block_index.z, warp);
    for (unsigned lane = 0, i = 0; lane < 32; lane++) {
        if (i < r.count && r.lanes[i] == lane)
            fprintf(out, " %llu", (unsigned long long)r.address[i++]);
        else
            fputs(" -", out);
    }
    fputc('\n', out);
}

void request(u64 key, const unsigned *lanes, const u64 *where, unsigned n, unsigned warp)
{
    unsigned kind = key >> 8 & 0xff;
    for (unsigned space = SHARED; space <= LOCAL; space++) {
        Request r;
        r.count = 0;
        r.size = key & 0xff;
        for (unsigned i = 0; i < n; i++) {
            if (where[i] >> 60 != space)
                continue;
            r.lanes[r.count] = lanes[i];
            r.address[r.count++] = where[i] << 4 >> 4;
        }
        if (r.count == 0)
            continue;
        Counter &c = counters[(key & 0xffffffffffff) << 4 | space];
        if (c.requests == 0)
            c.first = r.address[0];
        count(c, r, space, kind);
        if (raw)
            print_raw(r, key >> 16 & 0xffffffff, space, kind, warp);
    }
}

// ---- alignment ----------------------------------------------------------------------------------------------------
// Steps while the next event of every unfinished lane is known.
void align(unsigned warp)
{
    Thread *const first = threads + 32 * warp;
    const unsigned n = std::min(32u, thread_count - 32 * warp);
    const u64 NONE = ~u64(0);
    u64 next[32];
    bool known = true;
    auto look = [&](unsigned l) {
        Thread &t = first[l];
        if (t.at < t.log.size()) {
            next[l] = t.log[t.at].key;
        } else {
            next[l] = NONE;
            known = known && t.state == DONE;
        }
    };
    for (unsigned l = 0; l < n; l++)
        look(l);
    while (known) {
        u64 key = NONE;
        for (unsigned l = 0; l < n; l++)
            key = std::min(key, next[l]);
        if (key == NONE)
            break;
        unsigned lanes[32], count = 0;
        u64 where[32];
        for (unsigned l = 0; l < n; l++) {
            if (next[l] != key)
                continue;
            lanes[count] = l;
            where[count++] = first[l].log[first[l].at++].where;
            look(l);
        }
        if (key & 0xff00)
            request(key, lanes, where, count, warp);
    }
    for (unsigned l = 0; l < n; l++) {
        Thread &t = first[l];
        t.log.erase(t.log.begin(), t.log.begin() + t.at);
        t.at = 0;
        t.limit = std::max(CHUNK, 2 * t.log.size());
    }
}

// ---- scheduling ---------------------------------------------------------------------------------------------------
bool exchange_ready(unsigned warp)
{
    Thread *const first = threads + 32 * warp;
    const unsigned n = std::min(32u, thread_count - 32 * warp);
    bool some = false;
    for (unsigned l = 0; l < n; l++) {
        if (first[l].state != EXCHANGE)
            continue;
        unsigned came = 0;
        bool waits = false;
        for (unsigned k = 0; k < n; k++) {
            if (!(first[l].mask >> k & 1) || first[k].state == DONE)
                continue;
            if (first[k].state == EXCHANGE && first[k].mask == first[l].mask)
                came |= 1u << k;
            else
                waits = true;
        }
        if (waits)
            continue;
        for (unsigned k = 0; k < n; k++) {
            if (came >> k & 1) {
                first[k].came = came;
                first[k].state = READY;
                exchanged[32 * warp + k] = first[k].brought;
            }
        }
        some = true;
    }
    return some;
}

// The lanes that ask who is active and stand first in structured order, once no lane of the warp can run.
bool active_ready(unsigned warp)
{
    Thread *const first = threads + 32 * warp;
    const unsigned n = std::min(32u, thread_count - 32 * warp);
    u64 order = ~u64(0);
    for (unsigned l = 0; l < n; l++)
        if (first[l].state == ACTIVE)
            order = std::min(order, first[l].order);
    unsigned came = 0;
    for (unsigned l = 0; l < n; l++)
        if (first[l].state == ACTIVE && first[l].order == order)
            came |= 1u << l;
    for (unsigned l = 0; l < n; l++) {
        if (came >> l & 1) {
            first[l].came = came;
            first[l].state = READY;
        }
    }
    return came != 0;
}

void run_warp(unsigned warp)
{
    const unsigned last = std::min(32 * warp + 32, thread_count);
    for (bool more = true; more;) {
        more = false;
        for (unsigned i = 32 * warp; i < last; i++) {
            if (threads[i].state != READY)
                continue;
            current = &threads[i];
            enter(threads[i]);
            current = nullptr;
        }
        align(warp);
        for (unsigned i = 32 * warp; i < last; i++) {
            if (threads[i].state == FULL) {
                threads[i].state = READY;
                more = true;
            }
        }
        more = more || exchange_ready(warp) || active_ready(warp);
    }
}

bool release_barrier()
{
    unsigned waiting = 0, live = 0;
    int sums[3] = {0, 1, 0};
    for (unsigned i = 0; i < thread_count; i++) {
        live += threads[i].state != DONE;
        if (threads[i].state == BARRIER) {
            waiting++;
            sums[KL_COUNT] += threads[i].value != 0;
            sums[KL_AND] &= threads[i].value != 0;
            sums[KL_OR] |= threads[i].value != 0;
        }
    }
    if (live == 0)
        return false;
    if (waiting < live)
        die("threads wait for lanes that never come");
    memcpy(barrier_result, sums, sizeof sums);
    for (unsigned i = 0; i < thread_count; i++)
        if (threads[i].state == BARRIER)
            threads[i].state = READY;
    return true;
}

void run_block()
{
    for (unsigned i = 0; i < thread_count; i++) {
        threads[i].state = READY;
        threads[i].arrays.clear();
        prepare(threads[i]);
    }
    do {
        for (unsigned w = 0; 32 * w < thread_count; w++)
            run_warp(w);
    } while (release_barrier());
}

void start()
{
    if (threads)
        return;
    stacks = static_cast<unsigned char *>(mmap(nullptr, STACK * MAX_THREADS, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    arena = static_cast<unsigned char *>(mmap(nullptr, ARENA, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    if (stacks == MAP_FAILED || arena == MAP_FAILED)
        die("no address space");
    free_arena = arena + 4096;
    threads = new Thread[MAX_THREADS];
    for (size_t i = 0; i < MAX_THREADS; i++) {
        threads[i].top = stacks + STACK * (i + 1) - STAGGER * (i % 61);
        threads[i].number = unsigned(i);
    }
    dl_iterate_phdr(
        [](dl_phdr_info *info, size_t, void *) {
            for (int i = 0; i < info->dlpi_phnum; i++) {
                if (info->dlpi_phdr[i].p_type == PT_TLS) {
                    shared_start = reinterpret_cast<uintptr_t>(info->dlpi_tls_data);
                    shared_size = info->dlpi_phdr[i].p_memsz;
                }
            }
            return 1;  // the program itself comes first
        },
        nullptr);
    const char *path = getenv("KL_ORACLE_OUT");
    out = path ? fopen(path, "w") : stdout;
    raw = getenv("KL_ORACLE_RAW") != nullptr;
    perturb = getenv("KL_ORACLE_PERTURB") != nullptr;
}

void report(const char *name, int line, size_t dynamic)
{
    fprintf(out, "E %d %u,%u,%u %u,%u,%u %zu %s\n", line, grid_size.x, grid_size.y, grid_size.z, block_size.x, block_size.y, block_size.z, dynamic,
            name);
    for (auto &entry : counters) {
        const u64 key = entry.first;
        const Counter &c = entry.second;
        typedef unsigned long long big;
        fprintf(out, "C %llu %s %s %llu %llu %llu %llu %u %u %llu %llu %llu %u %u %llu %llu\n", big(key >> 20), SPACES[key & 15], OPS[key >> 12 & 0xff],
                big(key >> 4 & 0xff), big(c.requests), big(c.lanes), big(c.sum), c.low, c.high, big(c.ideal), big(c.lines), big(c.lines_ideal),
                c.lines_low == ~0u ? 0 : c.lines_low, c.lines_high, big(c.first), big(c.combined));
    }
    fflush(out);
    counters.clear();
}

}  // namespace

// ---- what programs call -------------------------------------------------------------------------------------------
__attribute__((aligned(1024))) __thread unsigned char kl_dynamic_shared[DYNAMIC];

#define PC __builtin_return_address(0)
#define FRAME __builtin_frame_address(0)

extern "C" {

kl_uint3 kl_thread_index(void) { return current->index; }
kl_uint3 kl_block_index(void) { return block_index; }
kl_uint3 kl_block_size(void) { return block_size; }
kl_uint3 kl_grid_size(void) { return grid_size; }
unsigned kl_lane(void) { return current->number % 32; }
unsigned kl_clock(void) { return ticks += 8; }
void kl_copy(void *to, const void *from, size_t size) { memmove(to, from, size); }

void kl_move(void *to, const void *from, unsigned size, unsigned piece)
{
    if (current) {
        const void *pc = PC, *frame = FRAME;
        if (locate(from))
            for (unsigned i = 0; i < size; i += piece)
                note(pc, frame, static_cast<const char *>(from) + i, piece, KL_LOAD);
        if (locate(to))
            for (unsigned i = 0; i < size; i += piece)
                note(pc, frame, static_cast<char *>(to) + i, piece, KL_STORE);
    }
    memmove(to, from, size);
}

void kl_local(void *array, size_t size)
{
    uintptr_t a = reinterpret_cast<uintptr_t>(array);
    auto &arrays = current->arrays;
    auto overlaps = [=](const std::pair<uintptr_t, size_t> &o) { return o.first < a + size && a < o.first + o.second; };
    arrays.erase(std::remove_if(arrays.begin(), arrays.end(), overlaps), arrays.end());
    arrays.push_back({a, size});
}

void kl_note(const void *address, unsigned size, int kind) { note(PC, FRAME, address, size, unsigned(kind)); }

int kl_barrier(int value)
{
    current->value = value;
    pause(BARRIER);
    return 0;
}

int kl_barrier_reduce(int value, int how)
{
    current->value = value;
    pause(BARRIER);
    return barrier_result[how];
}

unsigned kl_exchange(unsigned mask, u64 value)
{
    Thread &t = *current;
    t.mask = mask;
    t.brought = value;
    pause(EXCHANGE);
    return t.came;
}

u64 kl_exchanged(unsigned lane) { return exchanged[current->number / 32 * 32 + lane % 32]; }

unsigned kl_active(void)
{
    Thread &t = *current;
    t.order = place(t, PC, FRAME);
    pause(ACTIVE);
    return t.came;
}

// Shared addresses start at 1024 so that none is a null pointer.
unsigned kl_to_shared(const void *generic) { return unsigned(reinterpret_cast<uintptr_t>(generic) - shared_start + 1024); }
void *kl_from_shared(unsigned address) { return reinterpret_cast<void *>(shared_start + address - 1024); }
int kl_is_shared(const void *generic) { return locate(generic) >> 60 == SHARED; }
int kl_is_global(const void *generic) { return locate(generic) >> 60 == GLOBAL; }

void *kl_allocate(size_t bytes)
{
    start();
    void *p = free_arena;
    free_arena += (bytes + 4096 + 255) / 256 * 256;
    if (free_arena > arena + ARENA)
        die("out of device memory");
    allocated.push_back({reinterpret_cast<uintptr_t>(p), bytes});
    fprintf(out, "A %llu %zu\n", (unsigned long long)(static_cast<unsigned char *>(p) - arena), bytes);
    return p;
}

void kl_release(void *p)
{
    for (auto &a : allocated) {
        if (a.first != reinterpret_cast<uintptr_t>(p))
            continue;
        uintptr_t first = (a.first + 4095) / 4096 * 4096, last = (a.first + a.second) / 4096 * 4096;
        if (last > first)
            madvise(reinterpret_cast<void *>(first), last - first, MADV_DONTNEED);
    }
}

// Perturbed: the same words in another order, so that what depends on contents shows and indices stay valid.
void kl_upload(void *to, const void *from, size_t bytes)
{
    start();
    memmove(to, from, bytes);
    if (!perturb || bytes < 8)
        return;
    u32 *w = static_cast<u32 *>(to);
    u64 state = 88172645463325252ull;
    for (size_t i = bytes / 4 - 1; i > 0; i--) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        std::swap(w[i], w[state % (i + 1)]);
    }
}

void kl_name(const void *allocation, const char *name)
{
    fprintf(out, "N %llu %s\n", (unsigned long long)(static_cast<const unsigned char *>(allocation) - arena), name);
}

void kl_run(const char *name, int line, const unsigned grid[3], const unsigned block[3], size_t dynamic, void (*body)(void *), void *context)
{
    start();
    if (current)
        die("a launch from device code");
    thread_count = block[0] * block[1] * block[2];
    if (thread_count == 0 || thread_count > MAX_THREADS || dynamic > DYNAMIC)
        die("a launch no device takes");
    grid_size = {grid[0], grid[1], grid[2]};
    block_size = {block[0], block[1], block[2]};
    kernel = body;
    kernel_context = context;
    for (unsigned i = 0; i < thread_count; i++)
        threads[i].index = {i % block[0], i / block[0] % block[1], i / block[0] / block[1]};
    for (unsigned z = 0; z < grid[2]; z++)
        for (unsigned y = 0; y < grid[1]; y++)
            for (unsigned x = 0; x < grid[0]; x++) {
                block_index = {x, y, z};
                run_block();
            }
    report(name, line, dynamic);
}

// ---- what the compiler calls ----------------------------------------------------------------------------------------
void __sanitizer_cov_trace_pc(void)
{
    if (current)
        push(*current, place(*current, PC, FRAME), 0);
}

#define HOOKS(N)                                                                            \
    void __tsan_read##N(void *a) { note(PC, FRAME, a, N, KL_LOAD); }                          \
    void __tsan_write##N(void *a) { note(PC, FRAME, a, N, KL_STORE); }                        \
    void __tsan_unaligned_read##N(void *a) { note(PC, FRAME, a, N, KL_LOAD); }                \
    void __tsan_unaligned_write##N(void *a) { note(PC, FRAME, a, N, KL_STORE); }              \
    void __tsan_volatile_read##N(void *a) { note(PC, FRAME, a, N, KL_LOAD); }                 \
    void __tsan_volatile_write##N(void *a) { note(PC, FRAME, a, N, KL_STORE); }
HOOKS(1) HOOKS(2) HOOKS(4) HOOKS(8) HOOKS(16)
void __tsan_read_range(void *a, size_t n) { note_range(PC, FRAME, a, n, KL_LOAD); }
void __tsan_write_range(void *a, size_t n) { note_range(PC, FRAME, a, n, KL_STORE); }
void __tsan_init(void) {}
void __tsan_func_entry(void *) {}
void __tsan_func_exit(void) {}
void __tsan_vptr_update(void **, void *) {}
void __tsan_vptr_read(void **) {}

#define ATOMIC(BITS, T)                                                                                                   \
    T __tsan_atomic##BITS##_load(const volatile T *a, int) { return *a; }                                                   \
    void __tsan_atomic##BITS##_store(volatile T *a, T v, int) { *a = v; }                                                   \
    T __tsan_atomic##BITS##_exchange(volatile T *a, T v, int) { T o = *a; *a = v; return o; }                               \
    T __tsan_atomic##BITS##_fetch_add(volatile T *a, T v, int) { T o = *a; *a = T(o + v); return o; }                       \
    T __tsan_atomic##BITS##_fetch_sub(volatile T *a, T v, int) { T o = *a; *a = T(o - v); return o; }                       \
    T __tsan_atomic##BITS##_fetch_and(volatile T *a, T v, int) { T o = *a; *a = T(o & v); return o; }                       \
    T __tsan_atomic##BITS##_fetch_or(volatile T *a, T v, int) { T o = *a; *a = T(o | v); return o; }                        \
    T __tsan_atomic##BITS##_fetch_xor(volatile T *a, T v, int) { T o = *a; *a = T(o ^ v); return o; }                       \
    int __tsan_atomic##BITS##_compare_exchange_strong(volatile T *a, T *e, T v, int, int)                                   \
    { T o = *a; if (o == *e) { *a = v; return 1; } *e = o; return 0; }                                                      \
    int __tsan_atomic##BITS##_compare_exchange_weak(volatile T *a, T *e, T v, int, int)                                     \
    { T o = *a; if (o == *e) { *a = v; return 1; } *e = o; return 0; }
ATOMIC(8, uint8_t) ATOMIC(16, uint16_t) ATOMIC(32, uint32_t) ATOMIC(64, uint64_t)
void __tsan_atomic_thread_fence(int) {}
void __tsan_atomic_signal_fence(int) {}
}
