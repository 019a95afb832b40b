#ifndef TILLROLL_BASE64_GROUPS_H
#define TILLROLL_BASE64_GROUPS_H

#include <stddef.h>

/// Bytes behind the output that a call may overwrite.
#define TILL_BASE64_SLACK 8

/// Decodes groups of four digits of the standard alphabet of base64 (RFC 4648 §4), up to the first group with another byte.
///
/// Returns how many of the `count` bytes at `text` were decoded, a multiple of four. Each four of them give three bytes at
/// `output`, which must have room for `count` / 4 · 3 bytes and `TILL_BASE64_SLACK` more. Uses the widest vectors of the
/// processor.
size_t till_base64_groups(const void *text, size_t count, void *output);

/// The same with vectors of at most 32 bytes.
size_t till_base64_groups_avx2(const void *text, size_t count, void *output);

/// The same without special instructions.
size_t till_base64_groups_baseline(const void *text, size_t count, void *output);

#endif
