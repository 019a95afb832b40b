#ifndef TILLROLL_STRING_SCAN_H
#define TILLROLL_STRING_SCAN_H

// Finds where the plain bytes of a JSON string (RFC 8259 §7) end.
//
//     coins.100","quantity":1,…
//     0000000001001111111101000           a stop: quote, backslash, control character or a byte of 0x80 and above
//              ^ at the first stop, the string ends or has to be read byte by byte
//
// Most strings of receipts and events are shorter than 32 bytes. So one comparison of 32 bytes, inlined into its caller, finds the
// end of nearly all of them without a loop. Base64 of kilobytes goes through `till_plain_run`.
//
// This is in C because comparisons of Swift's SIMD types compile to a loop over bytes on Linux (measured: 121 MB/s). The loads need
// no alignment.

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/// Marks the stops among eight bytes in their high bits. Flipping bit 1 makes the quote (0x22) the neighbour of the control
/// characters, so that one subtraction finds both. Borrows can set wrong marks above a true mark, never below it.
static inline uint64_t till_stops8(uint64_t word) {
    uint64_t controls = (word ^ 0x0202020202020202u) - 0x2121212121212121u;
    uint64_t backslashes = (word ^ 0x5C5C5C5C5C5C5C5Cu) - 0x0101010101010101u;
    return (controls | backslashes | word) & 0x8080808080808080u;
}

/// The number of bytes before the first stop among the 32 at `text`; 32 where there is none. Without special instructions.
static inline uint32_t till_plain_prefix32_portable(const void *text) {
    for (uint32_t index = 0; index < 32; index += 8) {
        uint64_t word;
        memcpy(&word, (const uint8_t *)text + index, 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        word = __builtin_bswap64(word);
#endif
        uint64_t stops = till_stops8(word);
        if (stops != 0) { return index + ((uint32_t)__builtin_ctzll(stops) >> 3); }
    }
    return 32;
}

/// The number of bytes before the first stop among the 32 at `text`; 32 where there is none.
static inline uint32_t till_plain_prefix32(const void *text) {
#if defined(__SSE2__)
    const __m128i quote = _mm_set1_epi8(0x22), backslash = _mm_set1_epi8(0x5C), space = _mm_set1_epi8(0x20);
    __m128i low = _mm_loadu_si128((const __m128i *)text);
    __m128i high = _mm_loadu_si128((const __m128i *)text + 1);
    // As signed bytes, control characters and bytes from 0x80 on are less than a space.
    __m128i lowStops = _mm_or_si128(
        _mm_cmplt_epi8(low, space), _mm_or_si128(_mm_cmpeq_epi8(low, quote), _mm_cmpeq_epi8(low, backslash)));
    __m128i highStops = _mm_or_si128(
        _mm_cmplt_epi8(high, space), _mm_or_si128(_mm_cmpeq_epi8(high, quote), _mm_cmpeq_epi8(high, backslash)));
    uint64_t stops = (uint32_t)_mm_movemask_epi8(lowStops) | (uint64_t)(uint32_t)_mm_movemask_epi8(highStops) << 16;
    return (uint32_t)__builtin_ctzll(stops | (uint64_t)1 << 32);
#else
    return till_plain_prefix32_portable(text);
#endif
}

/// The number of bytes before the first stop among the `count` at `text`. The last `count` mod 32 bytes may be left out, so without a
/// stop the result is at least `count` - 31. Uses the widest vectors of the processor.
size_t till_plain_run(const void *text, size_t count);

/// The same with `till_plain_prefix32`.
size_t till_plain_run_baseline(const void *text, size_t count);

#endif
