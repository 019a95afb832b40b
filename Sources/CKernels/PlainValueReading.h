#ifndef TILLROLL_PLAIN_VALUE_READING_H
#define TILLROLL_PLAIN_VALUE_READING_H

// Reads a plain value: a string of at most 64 plain bytes (StringScan.h), or a short scalar (ShortScalar.h). Only kernels
// include this. Each passes the function that finds the end of a string with the instructions of its processor.

#include "PlainValue.h"
#include "ShortScalar.h"
#include "StringScan.h"

/// Reads the value at `position` into `found`, except for its number. Returns where the value ends, or 0 where it is not plain. The
/// 34 bytes at `position` and 32 bytes behind `limit` must be readable.
__attribute__((always_inline)) static inline size_t till_read_plain_value(const uint8_t *text, size_t position, size_t limit,
                                                                          struct till_member *found,
                                                                          uint32_t (*plain_prefix)(const void *)) {
    if (text[position] == 0x22) {
        size_t start = position + 1, end = start + plain_prefix(text + start);
        if (text[end] != 0x22) {
            if (end != start + 32 || end >= limit) { return 0; }
            end += plain_prefix(text + end);
            if (text[end] != 0x22) { return 0; }
        }
        found->kind = TILL_STRING;
        found->has_escapes = 0;
        found->start = (int64_t)start;
        found->end = (int64_t)end;
        return end + 1;
    }
    uint32_t length = till_short_scalar(text + position);
    if (length == 0) { return 0; }
    found->kind = text[position] == 0x6E ? TILL_NULL : TILL_NUMBER;
    found->has_escapes = 0;
    found->start = (int64_t)position;
    found->end = (int64_t)(position + length);
    return position + length;
}

#if defined(__x86_64__)
#include <immintrin.h>

/// Bytes that end the plain part of a string (StringScan.h).
__attribute__((target("avx2"))) static inline __m256i till_stops_avx2(__m256i bytes) {
    __m256i quotes = _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(0x22));
    __m256i backslashes = _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(0x5C));
    __m256i others = _mm256_cmpgt_epi8(_mm256_set1_epi8(0x20), bytes);
    return _mm256_or_si256(others, _mm256_or_si256(quotes, backslashes));
}

/// `till_plain_prefix32` with AVX2.
__attribute__((target("avx2,bmi"))) static inline uint32_t till_plain_prefix_avx2(const void *text) {
    uint32_t stops = (uint32_t)_mm256_movemask_epi8(till_stops_avx2(_mm256_loadu_si256((const __m256i *)text)));
    return (uint32_t)_tzcnt_u32(stops);
}
#endif

#endif
