#ifndef TILLROLL_SECRET_SEARCH_H
#define TILLROLL_SECRET_SEARCH_H

// The two searches that go over every byte of a rejected document: for a pair of letters that a name has, and for digits of
// base64 in a row.

#include <stddef.h>
#include <stdint.h>

/// The first place in `from..<count` whose byte and the next one are a pair; `count` where there is none.
///
/// `firsts` and `seconds` have 256 entries each. Two bytes are a pair where their entries have a bit in common. A zero between
/// them, as UTF-16 has, is skipped.
size_t till_find_pair(const void *text, size_t from, size_t count, const uint16_t *firsts, const uint16_t *seconds);

/// The first place in `from..<count` where `shortest` or more digits of base64, of either alphabet, stand in a row; `count` where
/// there is none.
size_t till_find_digits(const void *text, size_t from, size_t count, size_t shortest);

/// Where the digits of base64 end that begin at `from`.
size_t till_end_of_digits(const void *text, size_t from, size_t count);

#endif
