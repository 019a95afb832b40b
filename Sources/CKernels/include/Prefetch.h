#ifndef TILLROLL_PREFETCH_H
#define TILLROLL_PREFETCH_H

/// Prefetches the cache line at `address` for writing. The address may be invalid.
static inline void till_prefetch(const void *address) { __builtin_prefetch(address, 1); }

/// Prefetches the cache line at `address` for reading. The address may be invalid.
static inline void till_prefetch_read(const void *address) { __builtin_prefetch(address, 0); }

#endif
