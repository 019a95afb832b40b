#ifndef TILLROLL_MEMORY_H
#define TILLROLL_MEMORY_H

#include <stddef.h>

// The end of the process when the system refuses memory, as under `ulimit -v`. The Swift runtime would trap, which
// looks like a defect of the program. With glibc, the process instead writes one line to standard error and exits with
// status 74.
//
// This is done only for a refused request. Other crashes are not changed, nor is a request of 2⁴⁵ bytes or more, which
// no machine can meet.

/// Makes the stack of the main thread grow to the size that it needs, up to 512 KiB, while memory is left. Call it
/// first in `main`. Does nothing without a limit on memory.
void till_claim_stack(void);

/// The smaller of the limits on addresses and on data (`ulimit -v` and `-d`), in bytes; 0 if neither is set.
size_t till_memory_limit(void);

/// Sets the function that is called before the process exits for lack of memory. It must not block and should need
/// little memory.
void till_before_memory_ends(void (*clear_up)(void));

#endif
