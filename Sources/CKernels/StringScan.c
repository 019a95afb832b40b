#include "PlainValueReading.h"

size_t till_plain_run_baseline(const void *text, size_t count) {
    size_t index = 0;
    while (count - index >= 32) {
        uint32_t plain = till_plain_prefix32((const uint8_t *)text + index);
        index += plain;
        if (plain < 32) { break; }
    }
    return index;
}

#if defined(__x86_64__)

__attribute__((target("avx2"))) static inline __m256i stops32(const uint8_t *text) {
    return till_stops_avx2(_mm256_loadu_si256((const __m256i *)text));
}

__attribute__((target("avx2"))) static size_t run_avx2(const uint8_t *text, size_t count) {
    size_t index = 0;
    while (count - index >= 128) {
        __m256i first = stops32(text + index), second = stops32(text + index + 32);
        __m256i third = stops32(text + index + 64), fourth = stops32(text + index + 96);
        __m256i any = _mm256_or_si256(_mm256_or_si256(first, second), _mm256_or_si256(third, fourth));
        if (!_mm256_testz_si256(any, any)) { break; }
        index += 128;
    }
    while (count - index >= 32) {
        uint32_t stops = (uint32_t)_mm256_movemask_epi8(stops32(text + index));
        if (stops != 0) { return index + (size_t)__builtin_ctz(stops); }
        index += 32;
    }
    return index;
}

size_t till_plain_run(const void *text, size_t count) {
    return __builtin_cpu_supports("avx2") ? run_avx2(text, count) : till_plain_run_baseline(text, count);
}
#else
size_t till_plain_run(const void *text, size_t count) { return till_plain_run_baseline(text, count); }
#endif
