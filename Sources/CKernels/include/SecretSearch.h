#ifndef TILLROLL_SECRET_SEARCH_H
#define TILLROLL_SECRET_SEARCH_H

// Searches that read every byte of a rejected document: for a pair of letters of a secret's name, and for runs of base64 digits.

#include <stddef.h>
#include <stdint.h>

/// The first index in `from..<count` at which a pair of bytes begins; `count` where there is none.
///
/// `firsts` and `seconds` have 256 entries each. Two bytes are a pair where the entry of the first in `firsts` and that of the second
/// in `seconds` have a common bit. One zero byte between them is skipped, for UTF-16.
size_t till_find_pair(const void *text, size_t from, size_t count, const uint16_t *firsts, const uint16_t *seconds);

/// The first index in `from..<count` at which `shortest` consecutive base64 digits of either alphabet begin; `count` where there is
/// none.
size_t till_find_digits(const void *text, size_t from, size_t count, size_t shortest);

/// One past the run of base64 digits that begins at `from`; `from` where there is no digit.
size_t till_end_of_digits(const void *text, size_t from, size_t count);

#endif
