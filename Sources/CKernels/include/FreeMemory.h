#ifndef TILLROLL_FREE_MEMORY_H
#define TILLROLL_FREE_MEMORY_H

#include <stdlib.h>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

/// Returns freed memory that the allocator keeps to the system. Does nothing without glibc.
static inline void till_give_back_free_memory(void) {
#if defined(__GLIBC__)
    malloc_trim(0);
#endif
}

#endif
