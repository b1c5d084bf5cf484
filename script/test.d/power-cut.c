// Writes down what a program writes to the files of one folder and when it waits for the disk, so that a test can put together
// what a power cut would have left. Put before the libraries with LD_PRELOAD.
//
// POWER_CUT_FOLDER: the folder. POWER_CUT_JOURNAL: the file of records: the numbers below, the path, and what was written.
// A write is recorded before it is made, a sync after it has returned, so that no record says more than the disk has.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

enum { kind_write = 1, kind_sync = 2, kind_truncate = 3, kind_remove = 4 };

struct record {
    uint32_t kind, path_length;
    uint64_t offset, length;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static const char *folder;
static int journal = -1;

__attribute__((constructor)) static void start(void) {
    const char *path = getenv("POWER_CUT_JOURNAL");
    folder = getenv("POWER_CUT_FOLDER");
    if (path && folder) journal = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

static void note(uint32_t kind, const char *path, uint64_t offset, const void *data, uint64_t length) {
    struct record record = {kind, (uint32_t)strlen(path), offset, length};
    struct iovec parts[] = {
        {&record, sizeof record}, {(void *)path, record.path_length}, {(void *)data, data ? length : 0}};
    pthread_mutex_lock(&mutex);
    if (writev(journal, parts, 3) < 0) abort();
    pthread_mutex_unlock(&mutex);
}

// The memory of WAL readers is no part of the disk.
static int is_recorded(const char *path) {
    size_t length = strlen(path);
    return journal >= 0 && !strncmp(path, folder, strlen(folder)) && !(length > 4 && !strcmp(path + length - 4, "-shm"));
}

static int path_of(int file, char path[PATH_MAX]) {
    if (journal < 0) return 0;
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    if (length <= 0) return 0;
    path[length] = 0;
    return is_recorded(path);
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t pwrite64(int file, const void *data, size_t length, off64_t offset) {
    char path[PATH_MAX];
    if (path_of(file, path)) note(kind_write, path, (uint64_t)offset, data, length);
    return NEXT(pwrite64)(file, data, length, offset);
}

ssize_t pwrite(int file, const void *data, size_t length, off_t offset) {
    char path[PATH_MAX];
    if (path_of(file, path)) note(kind_write, path, (uint64_t)offset, data, length);
    return NEXT(pwrite)(file, data, length, offset);
}

static int synced(int file, int result) {
    char path[PATH_MAX];
    if (result == 0 && path_of(file, path)) note(kind_sync, path, 0, NULL, 0);
    return result;
}

int fsync(int file) { return synced(file, NEXT(fsync)(file)); }
int fdatasync(int file) { return synced(file, NEXT(fdatasync)(file)); }

int ftruncate64(int file, off64_t length) {
    char path[PATH_MAX];
    if (path_of(file, path)) note(kind_truncate, path, 0, NULL, (uint64_t)length);
    return NEXT(ftruncate64)(file, length);
}

int ftruncate(int file, off_t length) {
    char path[PATH_MAX];
    if (path_of(file, path)) note(kind_truncate, path, 0, NULL, (uint64_t)length);
    return NEXT(ftruncate)(file, length);
}

int unlink(const char *path) {
    if (is_recorded(path)) note(kind_remove, path, 0, NULL, 0);
    return NEXT(unlink)(path);
}
