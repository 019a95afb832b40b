#ifndef TILLROLL_BYTE_SEARCH_H
#define TILLROLL_BYTE_SEARCH_H

// The C library's search for a byte and comparison of bytes, which take the widest vectors of the processor: lines of base64 and
// certificates are kilobytes long. Here, so that Swift need not name the C library that a system has.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/// The number of bytes before the first that is `byte` among the `count` at `text`; `count` where there is none.
static inline size_t till_prefix_without(const void *text, size_t count, uint8_t byte) {
    if (count == 0) { return 0; }
    const uint8_t *found = memchr(text, byte, count);
    return found == NULL ? count : (size_t)(found - (const uint8_t *)text);
}

/// Whether the `count` bytes at both places are the same.
static inline bool till_are_same(const void *text, const void *other, size_t count) {
    return count == 0 || memcmp(text, other, count) == 0;
}

#endif
