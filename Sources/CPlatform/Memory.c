#include "Memory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

size_t till_memory_limit(void) {
    const int resources[] = {RLIMIT_AS, RLIMIT_DATA};
    size_t smallest = 0;
    for (size_t index = 0; index < sizeof resources / sizeof resources[0]; index++) {
        struct rlimit limit;
        if (getrlimit(resources[index], &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) continue;
        if (smallest == 0 || limit.rlim_cur < smallest) smallest = (size_t)limit.rlim_cur;
    }
    return smallest;
}

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define TILL_SANITIZED 1
#endif
#endif

#if defined(__GLIBC__) && !defined(TILL_SANITIZED)

#include <malloc.h>
#include <stdatomic.h>
#include <time.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

enum { input_output_error = 74 };

/// A request of this size or more is an error of the caller: no machine can meet it.
static const size_t most = (size_t)1 << 45;

/// Memory that is freed when memory runs out, so that the cleanup has some.
static void *reserve;
static _Atomic(void (*)(void)) before_end;
static atomic_flag has_ended = ATOMIC_FLAG_INIT;

static void end_without_memory(size_t size) {
    struct timespec while_clearing = {.tv_sec = 1};
    if (atomic_flag_test_and_set(&has_ended)) {
        // Another thread is ending the process already. This one cannot go on.
        nanosleep(&while_clearing, NULL);
        _exit(input_output_error);
    }
    char line[160];
    int length = snprintf(
        line, sizeof line,
        "tillroll: out of memory, %zu bytes more were refused: raise the limit (ulimit -v, -d), or take less with --memory and --jobs\n",
        size
    );
    // If standard error cannot be written, the error cannot be reported anywhere.
    if (length > 0 && write(STDERR_FILENO, line, (size_t)length) < 0) errno = 0;
    free(reserve);
    void (*clear_up)(void) = atomic_load(&before_end);
    if (clear_up) {
        clear_up();
        nanosleep(&while_clearing, NULL);
    }
    _exit(input_output_error);
}

static void *checked(void *memory, size_t size) {
    if (__builtin_expect(memory == NULL, 0) && size > 0 && size < most) end_without_memory(size);
    return memory;
}

// These replace glibc's functions of the same names, in this program and in the libraries that it loads. Other
// allocation functions call these, or are not used.

void *malloc(size_t size) { return checked(__libc_malloc(size), size); }

void *calloc(size_t count, size_t size) {
    size_t total;
    int is_too_large = __builtin_mul_overflow(count, size, &total);
    return checked(__libc_calloc(count, size), is_too_large ? most : total);
}

void *realloc(void *memory, size_t size) { return checked(__libc_realloc(memory, size), size); }

void *memalign(size_t alignment, size_t size) { return checked(__libc_memalign(alignment, size), size); }

void *aligned_alloc(size_t alignment, size_t size) { return checked(__libc_memalign(alignment, size), size); }

int posix_memalign(void **memory, size_t alignment, size_t size) {
    if (alignment % sizeof(void *) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0) return EINVAL;
    int number = errno;
    void *found = checked(__libc_memalign(alignment, size), size);
    errno = number;
    if (!found) return ENOMEM;
    *memory = found;
    return 0;
}

static int is_limited(void) {
    struct rlimit limit;
    return getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

__attribute__((constructor)) static void prepare(void) {
    // A larger block that fits into no free one gets a mapping of its own, which goes back to the system when it is freed. Left
    // alone, glibc raises this threshold to the largest block that was freed, at most 32 MiB, and the threshold for giving back
    // the end of the heap to twice that. Then the heap keeps the holes that growing tables leave behind.
    mallopt(M_MMAP_THRESHOLD, 256 << 10);
    if (!is_limited()) return;
    // Each further arena of malloc reserves 64 MiB of addresses, which count against the limit.
    mallopt(M_ARENA_MAX, 1);
    reserve = malloc(256 << 10);
}

void till_before_memory_ends(void (*clear_up)(void)) { atomic_store(&before_end, clear_up); }

__attribute__((noinline)) static void touch_stack(size_t size) {
    volatile char *bytes = __builtin_alloca(size);
    for (size_t offset = 0; offset < size; offset += 4096) bytes[offset] = 0;
}

void till_claim_stack(void) {
    struct rlimit stack;
    if (!is_limited() || getrlimit(RLIMIT_STACK, &stack) != 0) return;
    size_t size = 512 << 10;
    if (stack.rlim_cur / 4 < size) size = stack.rlim_cur / 4;
    // The stack counts against the same limit. If it cannot grow, the process is killed by SIGSEGV, so this is checked first.
    void *probe = mmap(NULL, 2 * size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (probe == MAP_FAILED) end_without_memory(size);
    munmap(probe, 2 * size);
    touch_stack(size);
}

#else

void till_claim_stack(void) {}

void till_before_memory_ends(void (*clear_up)(void)) { (void)clear_up; }

#endif
