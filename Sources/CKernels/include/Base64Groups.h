#ifndef TILLROLL_BASE64_GROUPS_H
#define TILLROLL_BASE64_GROUPS_H

#include <stddef.h>

/// Bytes behind the decoded ones that may be written to.
#define TILL_BASE64_SLACK 8

/// Decodes digits of the standard alphabet of base64 (RFC 4648 §4), four or more at a time, up to the first other byte.
///
/// Returns how many of the `count` bytes at `text` were taken, a multiple of four; three bytes for every four of them
/// are at `output`, which must have room for those of all of `text` and `TILL_BASE64_SLACK` more. Takes the widest
/// vectors that the processor has.
size_t till_base64_groups(const void *text, size_t count, void *output);

/// The same with vectors of 32 bytes at most, for processors without wider ones.
size_t till_base64_groups_avx2(const void *text, size_t count, void *output);

/// The same with what every processor has.
size_t till_base64_groups_baseline(const void *text, size_t count, void *output);

#endif
