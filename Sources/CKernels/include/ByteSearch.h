#ifndef TILLROLL_BYTE_SEARCH_H
#define TILLROLL_BYTE_SEARCH_H

// `memchr` and `memcmp` of the C library, which use the widest vectors of the processor. That matters for lines of base64 and
// certificates, which are kilobytes long. Through this header, Swift need not import the C library of each system by its name.

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

/// Whether the `count` bytes at `text` and at `other` are equal.
static inline bool till_are_same(const void *text, const void *other, size_t count) {
    return count == 0 || memcmp(text, other, count) == 0;
}

#endif
