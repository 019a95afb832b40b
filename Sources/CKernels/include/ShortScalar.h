#ifndef TILLROLL_SHORT_SCALAR_H
#define TILLROLL_SHORT_SCALAR_H

// The most frequent JSON values after strings (RFC 8259 §3, §6), `null` and short numbers. One word of eight bytes is enough for most,
// two for a time in milliseconds:
//
//     null,…      1,"transac…      12345},…      1767225600000,…

#include <stdint.h>
#include <string.h>

/// Marks the bytes of `word` that are not decimal digits in their high bits. The lowest mark is exact. Carries can set wrong marks
/// above it.
static inline uint64_t till_other_than_digits(uint64_t word) {
    uint64_t digits = word ^ 0x3030303030303030u;
    return ((digits + 0x7676767676767676u) | digits) & 0x8080808080808080u;
}

/// The eight bytes at `text`, the first of them lowest.
static inline uint64_t till_low_word(const uint8_t *text) {
    uint64_t word;
    memcpy(&word, text, 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

/// The number of bytes of the value at `text`, if it is `null` or a positive integer of one to fifteen digits without a leading zero,
/// and a comma or a closing brace follows at once; otherwise 0. Sixteen bytes at `text` must be readable.
static inline uint32_t till_short_scalar(const void *text) {
    const uint8_t *bytes = text;
    uint64_t word = till_low_word(bytes);
    uint32_t count = 4;
    if ((uint32_t)word != 0x6C6C756Eu) {
        if ((uint8_t)word == 0x30) { return 0; }
        uint32_t before = 0;
        uint64_t others = till_other_than_digits(word);
        if (others == 0) {
            before = 8;
            others = till_other_than_digits(till_low_word(bytes + before));
            if (others == 0) { return 0; }
        }
        count = before + ((uint32_t)__builtin_ctzll(others) >> 3);
        if (count == 0) { return 0; }
    }
    return bytes[count] == 0x2C || bytes[count] == 0x7D ? count : 0;
}

#endif
