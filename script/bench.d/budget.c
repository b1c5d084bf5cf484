// Counts what a program asks of malloc, of SQLite and of the disk, for `script/bench budget`. Put before the libraries with
// LD_PRELOAD.
//
// The counts are in a file that both processes map, so that asking for them costs the counted program nothing.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

// glibc's own functions behind the names that this library takes.
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

// In the order of CostCounter in Bench.
enum { allocations, statements, pages, kinds };

static uint64_t before_start[kinds];
static uint64_t *counts = before_start;
static int (*reset)(void *);
static ssize_t (*write_at)(int, const void *, size_t, off64_t);

static inline void add(int kind) { __atomic_fetch_add(counts + kind, 1, __ATOMIC_RELAXED); }

__attribute__((constructor)) static void start(void) {
    reset = (int (*)(void *))dlsym(RTLD_NEXT, "sqlite3_reset");
    write_at = (ssize_t (*)(int, const void *, size_t, off64_t))dlsym(RTLD_NEXT, "pwrite64");
    const char *path = getenv("COST_COUNT_FILE");
    if (!path) return;
    int file = open(path, O_RDWR | O_CLOEXEC);
    if (file < 0) return;
    void *page = mmap(0, sizeof before_start, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (page != MAP_FAILED) counts = page;
}

void *malloc(size_t size) { add(allocations); return __libc_malloc(size); }
void *calloc(size_t number, size_t size) { add(allocations); return __libc_calloc(number, size); }
void *realloc(void *old, size_t size) { add(allocations); return __libc_realloc(old, size); }
void *memalign(size_t alignment, size_t size) { add(allocations); return __libc_memalign(alignment, size); }
void *aligned_alloc(size_t alignment, size_t size) { add(allocations); return __libc_memalign(alignment, size); }

int posix_memalign(void **result, size_t alignment, size_t size) {
    add(allocations);
    void *memory = __libc_memalign(alignment, size);
    if (!memory) return ENOMEM;
    *result = memory;
    return 0;
}

// A statement is reset once after each run.
int sqlite3_reset(void *statement) {
    add(statements);
    return reset(statement);
}

// SQLite writes a page of the log, or of the file, in one piece.
ssize_t pwrite64(int file, const void *bytes, size_t size, off64_t offset) {
    if (size == 4096) add(pages);
    return write_at(file, bytes, size, offset);
}

ssize_t pwrite(int file, const void *bytes, size_t size, off_t offset) { return pwrite64(file, bytes, size, offset); }
