#ifndef TILLROLL_DIGITS_H
#define TILLROLL_DIGITS_H

// The value of up to sixteen decimal digits, without a loop. Each step joins neighbours to numbers of twice as many digits.
//
//     1 7 0 0 5 2 1 7 7 7 0 0 0          digits
//      17  00  52  17  77  00   0 …      × 10 + 1
//        1700    5217    7700 …          × 100 + 1
//            17005217        …           × 10000 + 1

#include <stdint.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/// The result where a byte is not a digit.
#define TILL_NOT_DIGITS UINT64_MAX

static inline uint64_t till_eight_digits(uint64_t values) {
    values = (values * 10 + (values >> 8)) & 0x00FF00FF00FF00FFu;
    values = (values * 100 + (values >> 16)) & 0x0000FFFF0000FFFFu;
    return (values * 10000 + (values >> 32)) & 0xFFFFFFFFu;
}

/// The value of the `count` digits, one to sixteen, before `end`. Sixteen bytes before `end` must be readable. Without special
/// instructions.
static inline uint64_t till_digits16_portable(const void *end, uint32_t count) {
    uint64_t high, low;
    memcpy(&high, (const uint8_t *)end - 16, 8);
    memcpy(&low, (const uint8_t *)end - 8, 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    high = __builtin_bswap64(high);
    low = __builtin_bswap64(low);
#endif
    // The first byte is in the low bits. So bytes before the first digit are in the low bits too; they are set to zero.
    high = count > 8 ? (high ^ 0x3030303030303030u) & (UINT64_MAX << (128 - 8 * count)) : 0;
    low = (low ^ 0x3030303030303030u) & (UINT64_MAX << (count < 8 ? 64 - 8 * count : 0));
    uint64_t others = ((high + 0x7676767676767676u) | high) | ((low + 0x7676767676767676u) | low);
    if ((others & 0x8080808080808080u) != 0) { return TILL_NOT_DIGITS; }
    return till_eight_digits(high) * 100000000 + till_eight_digits(low);
}

/// The value of the `count` digits, one to sixteen, before `end`. Sixteen bytes before `end` must be readable.
static inline uint64_t till_digits16(const void *end, uint32_t count) {
#if defined(__SSE2__)
    static const uint8_t ramp[32] = {[16] = 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255};
    __m128i text = _mm_loadu_si128((const __m128i *)((const uint8_t *)end - 16));
    __m128i inside = _mm_loadu_si128((const __m128i *)(ramp + count));
    __m128i values = _mm_and_si128(_mm_sub_epi8(text, _mm_set1_epi8(0x30)), inside);
    // A byte is a digit where the unsigned minimum of its value and 9 is the value itself.
    if (_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_min_epu8(values, _mm_set1_epi8(9)), values)) != 0xFFFF) { return TILL_NOT_DIGITS; }
    const __m128i zero = _mm_setzero_si128(), tens = _mm_set1_epi32(10 | 1 << 16), hundreds = _mm_set1_epi32(100 | 1 << 16);
    __m128i first = _mm_madd_epi16(_mm_unpacklo_epi8(values, zero), tens);
    __m128i second = _mm_madd_epi16(_mm_unpackhi_epi8(values, zero), tens);
    __m128i fours = _mm_madd_epi16(_mm_packs_epi32(first, second), hundreds);
    __m128i eights = _mm_madd_epi16(_mm_packs_epi32(fours, zero), _mm_set1_epi32(10000 | 1 << 16));
    uint64_t both = (uint64_t)_mm_cvtsi128_si64(eights);
    return (both & 0xFFFFFFFFu) * 100000000 + (both >> 32);
#else
    return till_digits16_portable(end, count);
#endif
}

#endif
