#ifndef TILLROLL_SHORT_SCALAR_H
#define TILLROLL_SHORT_SCALAR_H

// The two JSON values (RFC 8259 §3, §6) that are most frequent next to strings, each recognized in one word of eight bytes:
//
//     null,…      1,"transac…      12345},…

#include <stdint.h>
#include <string.h>

/// Marks, in the high bit of each byte, those of `word` that are no decimal digits. The lowest mark is exact; carries can make
/// false ones above it.
static inline uint64_t till_other_than_digits(uint64_t word) {
    uint64_t digits = word ^ 0x3030303030303030u;
    return ((digits + 0x7676767676767676u) | digits) & 0x8080808080808080u;
}

/// The number of bytes of the value at `text`, of which eight can be read, if it is `null` or a natural number of one to seven
/// digits, and a comma or the end of an object follows at once; 0 if it is anything else.
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
