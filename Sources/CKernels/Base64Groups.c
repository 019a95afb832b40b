#include "Base64Groups.h"

#include <stdint.h>
#include <string.h>

/// The value of each byte as a digit; 0x80 for a byte that is no digit.
static const uint8_t values[256] = {
    [0 ... '+' - 1] = 0x80,
    ['+'] = 62,
    ['+' + 1 ... '/' - 1] = 0x80,
    ['/'] = 63,
    ['0'] = 52, 53, 54, 55, 56, 57, 58, 59, 60, 61,
    ['9' + 1 ... 'A' - 1] = 0x80,
    ['A'] = 0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25,
    ['Z' + 1 ... 'a' - 1] = 0x80,
    ['a'] = 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51,
    ['z' + 1 ... 255] = 0x80,
};

/// The 24 bits of four digits. Bit 31 is set where one of the bytes is no digit.
static inline uint32_t quartet(const uint8_t *text) {
    uint32_t first = values[text[0]], second = values[text[1]], third = values[text[2]], fourth = values[text[3]];
    return first << 18 | second << 12 | third << 6 | fourth | ((first | second | third | fourth) & 0x80) << 24;
}

size_t till_base64_groups_baseline(const void *text, size_t count, void *output) {
    const uint8_t *digits = text;
    uint8_t *bytes = output;
    size_t taken = 0;
    while (count - taken >= 8) {
        uint32_t high = quartet(digits + taken), low = quartet(digits + taken + 4);
        if ((high | low) >> 31) { break; }
        uint64_t bits = (uint64_t)high << 24 | low;
        for (int index = 0; index < 6; index++) { bytes[index] = (uint8_t)(bits >> (40 - 8 * index)); }
        bytes += 6;
        taken += 8;
    }
    if (count - taken >= 4) {
        uint32_t last = quartet(digits + taken);
        if (!(last >> 31)) {
            for (int index = 0; index < 3; index++) { bytes[index] = (uint8_t)(last >> (16 - 8 * index)); }
            taken += 4;
        }
    }
    return taken;
}

#if defined(__x86_64__)
#include <immintrin.h>

// After W. Muła and D. Lemire, "Faster Base64 Encoding and Decoding Using AVX2 Instructions" (ACM Transactions on the
// Web 12 (3), 2018). Two questions are answered by tables of sixteen entries, in which a shuffle looks up the halves of a byte:
// whether the byte is a digit, and what to add to the byte to get its value:
//
//     high half   2: + (/)   3: 0…9     4: A…O     5: P…Z     6: a…o     7: p…z
//     distance    +19 (+16)  +4         −65        −65        −71        −71
//
// Two multiply-adds join four values of six bits to 24 bits, and a shuffle puts their bytes in order.
__attribute__((target("avx2"))) static size_t groups_avx2(const uint8_t *text, size_t count, uint8_t *output) {
    // A byte is a digit where the classes of its two halves have no bit in common.
    const __m256i lowClasses = _mm256_broadcastsi128_si256(_mm_setr_epi8(
        0x15, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x13, 0x1A, 0x1B, 0x1B, 0x1B, 0x1A));
    const __m256i highClasses = _mm256_broadcastsi128_si256(_mm_setr_epi8(
        0x10, 0x10, 0x01, 0x02, 0x04, 0x08, 0x04, 0x08, 0x10, 0x10, 0x10, 0x10, 0x10, 0x10, 0x10, 0x10));
    const __m256i distances = _mm256_broadcastsi128_si256(_mm_setr_epi8(
        0, 16, 19, 4, -65, -65, -71, -71, 0, 0, 0, 0, 0, 0, 0, 0));
    const __m256i order = _mm256_broadcastsi128_si256(_mm_setr_epi8(
        2, 1, 0, 6, 5, 4, 10, 9, 8, 14, 13, 12, -1, -1, -1, -1));
    const __m256i together = _mm256_setr_epi32(0, 1, 2, 4, 5, 6, 3, 7);
    const __m256i slash = _mm256_set1_epi8(0x2F);
    size_t taken = 0;
    while (count - taken >= 32) {
        __m256i digits = _mm256_loadu_si256((const __m256i *)(text + taken));
        __m256i high = _mm256_and_si256(_mm256_srli_epi32(digits, 4), _mm256_set1_epi8(0x0F));
        __m256i low = _mm256_and_si256(digits, _mm256_set1_epi8(0x0F));
        if (!_mm256_testz_si256(_mm256_shuffle_epi8(lowClasses, low), _mm256_shuffle_epi8(highClasses, high))) { break; }
        // For a slash the comparison gives −1, so its entry is the one before that of `+`.
        __m256i distance = _mm256_shuffle_epi8(distances, _mm256_add_epi8(_mm256_cmpeq_epi8(digits, slash), high));
        __m256i sextets = _mm256_add_epi8(digits, distance);
        __m256i pairs = _mm256_maddubs_epi16(sextets, _mm256_set1_epi32(0x01400140));
        __m256i groups = _mm256_madd_epi16(pairs, _mm256_set1_epi32(0x00011000));
        __m256i bytes = _mm256_permutevar8x32_epi32(_mm256_shuffle_epi8(groups, order), together);
        _mm256_storeu_si256((__m256i *)output, bytes);
        output += 24;
        taken += 32;
    }
    return taken + till_base64_groups_baseline(text + taken, count - taken, output);
}

// The same for 64 digits at a time. One shuffle of two registers looks up a digit in a table of 128 values (Muła and Lemire, section 5 of "Base64 encoding and decoding at almost the speed of a memory copy", Software:
// Practice and Experience 50 (2), 2020). A masked load reads the rest at the end, so no slower loop is needed.
#define AVX512 __attribute__((target("avx512f,avx512bw,avx512vbmi")))

/// Joins each four sextets to three bytes, in order. The last sixteen bytes of the result are unused.
AVX512 static inline __m512i joined_avx512(__m512i sextets) {
    const __m512i order = _mm512_setr_epi32(
        0x06000102, 0x090A0405, 0x0C0D0E08, 0x16101112, 0x191A1415, 0x1C1D1E18, 0x26202122, 0x292A2425,
        0x2C2D2E28, 0x36303132, 0x393A3435, 0x3C3D3E38, 0, 0, 0, 0);
    __m512i pairs = _mm512_maddubs_epi16(sextets, _mm512_set1_epi32(0x01400140));
    return _mm512_permutexvar_epi8(order, _mm512_madd_epi16(pairs, _mm512_set1_epi32(0x00011000)));
}

AVX512 static size_t groups_avx512(const uint8_t *text, size_t count, uint8_t *output) {
    const __m512i lower = _mm512_loadu_si512(values), upper = _mm512_loadu_si512(values + 64);
    size_t taken = 0;
    // A store writes 64 bytes, of which 48 are results. With 80 digits left, the other sixteen lie within the output and its slack.
    while (count - taken >= 80) {
        __m512i digits = _mm512_loadu_si512(text + taken);
        __m512i sextets = _mm512_permutex2var_epi8(lower, digits, upper);
        // The lookup ignores the high bit, so a byte of 0x80 and above is found by its own high bit.
        if (_mm512_movepi8_mask(_mm512_or_si512(digits, sextets)) != 0) { break; }
        _mm512_storeu_si512(output, joined_avx512(sextets));
        output += 48;
        taken += 64;
    }
    while (taken < count) {
        size_t rest = count - taken;
        __mmask64 there = rest < 64 ? ((__mmask64)1 << rest) - 1 : ~(__mmask64)0;
        __m512i digits = _mm512_maskz_loadu_epi8(there, text + taken);
        __m512i sextets = _mm512_permutex2var_epi8(lower, digits, upper);
        __mmask64 others = _mm512_movepi8_mask(_mm512_or_si512(digits, sextets)) | ~there;
        size_t whole = others == 0 ? 64 : (size_t)__builtin_ctzll(others) & ~(size_t)3;
        _mm512_mask_storeu_epi8(output, ((__mmask64)1 << whole / 4 * 3) - 1, joined_avx512(sextets));
        output += whole / 4 * 3;
        taken += whole;
        if (whole < 64) { break; }
    }
    return taken;
}

size_t till_base64_groups_avx2(const void *text, size_t count, void *output) {
    return __builtin_cpu_supports("avx2") ? groups_avx2(text, count, output)
                                          : till_base64_groups_baseline(text, count, output);
}

size_t till_base64_groups(const void *text, size_t count, void *output) {
    return __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512bw")
        ? groups_avx512(text, count, output)
        : till_base64_groups_avx2(text, count, output);
}
#else
size_t till_base64_groups_avx2(const void *text, size_t count, void *output) {
    return till_base64_groups_baseline(text, count, output);
}

size_t till_base64_groups(const void *text, size_t count, void *output) {
    return till_base64_groups_baseline(text, count, output);
}
#endif
