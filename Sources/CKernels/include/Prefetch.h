#ifndef TILLROLL_PREFETCH_H
#define TILLROLL_PREFETCH_H

/// Asks for the cache line at an address, which may be any, to be brought near; it is going to be written.
static inline void till_prefetch(const void *address) { __builtin_prefetch(address, 1); }

/// The same for what is only going to be read.
static inline void till_prefetch_read(const void *address) { __builtin_prefetch(address, 0); }

#endif
