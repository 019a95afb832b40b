#ifndef TILLROLL_SHORT_SCALAR_H
#define TILLROLL_SHORT_SCALAR_H

// The most frequent JSON values after strings (RFC 8259 §3, §6), `null` and short numbers. One word of eight bytes is enough for each:
//
//     null,…      1,"transac…      12345},…

#include <stdint.h>
#include <string.h>

/// Marks the bytes of `word` that are not decimal digits in their high bits. The lowest mark is exact. Carries can set wrong marks
/// above it.
static inline uint64_t till_other_than_digits(uint64_t word) {
    uint64_t digits = word ^ 0x3030303030303030u;
    return ((digits + 0x7676767676767676u) | digits) & 0x8080808080808080u;
}

/// The number of bytes of the value at `text`, if it is `null` or a positive integer of one to seven digits without a leading zero,
/// and a comma or a closing brace follows at once; otherwise 0. Eight bytes at `text` must be readable.
static inline uint32_t till_short_scalar(const void *text) {
    uint64_t word;
    memcpy(&word, text, 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    uint32_t count = 4;
    if ((uint32_t)word != 0x6C6C756Eu) {
        uint64_t others = till_other_than_digits(word);
        if ((uint8_t)word == 0x30 || others == 0) { return 0; }
        count = (uint32_t)__builtin_ctzll(others) >> 3;
        if (count == 0) { return 0; }
    }
    uint8_t next = (uint8_t)(word >> (8 * count));
    return next == 0x2C || next == 0x7D ? count : 0;
}

#endif
