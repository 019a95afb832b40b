#ifndef TILLROLL_MEMORY_H
#define TILLROLL_MEMORY_H

#include <stddef.h>

// What happens where the system has no memory to give, as under `ulimit -v`. The Swift runtime would trap, which looks like a defect
// of the program. With glibc, the process ends instead with one line on standard error and status 74.
//
// Only a request that has failed does that: every other crash stays one. So does a request that no machine could meet.

/// Takes what the main thread needs of its stack, which otherwise grows when it may be too late; to be called first of all.
void till_claim_stack(void);

/// Has `clear_up` called before the process ends so. It must not wait for long, and has little memory.
void till_before_memory_ends(void (*clear_up)(void));

#endif
