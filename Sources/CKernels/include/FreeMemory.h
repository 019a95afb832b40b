#ifndef TILLROLL_FREE_MEMORY_H
#define TILLROLL_FREE_MEMORY_H

#include <stdlib.h>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

/// Gives memory that was freed, and that the allocator keeps for later, back to the system, where the C library knows how to.
static inline void till_give_back_free_memory(void) {
#if defined(__GLIBC__)
    malloc_trim(0);
#endif
}

#endif
