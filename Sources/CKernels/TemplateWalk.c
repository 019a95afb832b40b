#include "TemplateWalk.h"

#include <stdbool.h>

#include "PlainValueReading.h"

// The walk is written once. The functions that compare blocks and find the end of a string are inlined into it for each processor.
__attribute__((always_inline)) static inline enum till_step walk_literals(
    const uint8_t *text, size_t limit, const struct till_literal *literals, const struct till_slot *slots, const uint8_t *blocks,
    struct till_member *found, struct till_walk *walk, bool (*fits)(const uint8_t *, const uint8_t *, size_t),
    uint32_t (*plain_prefix)(const void *)) {
    size_t position = walk->position, slot = walk->slot, count = walk->count;
    enum till_step step;
    const struct till_literal *literal = literals + walk->literal;
    for (;; literal++) {
        if (literal->count > limit - position ||
            !fits(text + position, blocks + literal->first_block_byte,
                  (literal->count + TILL_TEMPLATE_WIDTH - 1) / TILL_TEMPLATE_WIDTH)) {
            step = TILL_MISFIT;
            break;
        }
        for (; slot < literal->end_of_slots; slot++, count++) {
            found[count].number = slots[slot].number;
            found[count].kind = (uint8_t)slots[slot].kind;
            found[count].has_escapes = 0;
            found[count].start = (int64_t)(position + slots[slot].offset);
            found[count].end = found[count].start + slots[slot].count;
        }
        position += literal->count;
        if (literal->value_key == TILL_TEMPLATE_END) {
            step = TILL_DONE;
            break;
        }
        // The value is always written to `found`. A skipped value is overwritten by the next one.
        size_t end = position + 1 < limit ? till_read_plain_value(text, position, limit, found + count, plain_prefix) : 0;
        if (end == 0 || end > limit) {
            literal++;
            step = TILL_VALUE;
            break;
        }
        found[count].number = literal->value_key;
        count += literal->value_key != TILL_TEMPLATE_SKIPPED;
        position = end;
    }
    walk->literal = (size_t)(literal - literals);
    walk->position = position;
    walk->slot = slot;
    walk->count = count;
    return step;
}

// The compiler vectorizes this loop for its target.
static inline bool fits_baseline(const uint8_t *text, const uint8_t *block, size_t blocks) {
    for (; blocks > 0; blocks--, text += TILL_TEMPLATE_WIDTH, block += TILL_TEMPLATE_BLOCK) {
        const uint8_t *wanted = block, *fixed = block + TILL_TEMPLATE_WIDTH, *plain = block + 2 * TILL_TEMPLATE_WIDTH;
        uint8_t misfits = 0;
        for (size_t index = 0; index < TILL_TEMPLATE_WIDTH; index++) {
            uint8_t byte = text[index];
            // As signed bytes, control characters and everything from 0x80 on are less than a space.
            uint8_t stops = (int8_t)byte < 0x20 || byte == 0x22 || byte == 0x5C ? 0xFF : 0;
            misfits |= ((byte & fixed[index]) ^ wanted[index]) | (stops & plain[index]);
        }
        if (misfits) { return false; }
    }
    return true;
}

enum till_step till_template_walk_baseline(const void *text, size_t limit, const struct till_literal *literals,
                                          const struct till_slot *slots, const void *blocks, struct till_member *found,
                                          struct till_walk *walk) {
    return walk_literals(text, limit, literals, slots, blocks, found, walk, fits_baseline, till_plain_prefix32);
}

#if defined(__x86_64__)

#define AVX2 __attribute__((target("avx2,bmi"))) static inline

AVX2 __m256i misfits_avx2(const __m256i *text, const __m256i *block) {
    __m256i bytes = _mm256_loadu_si256(text);
    __m256i wanted = _mm256_loadu_si256(block), fixed = _mm256_loadu_si256(block + 1), plain = _mm256_loadu_si256(block + 2);
    __m256i differences = _mm256_xor_si256(_mm256_and_si256(bytes, fixed), wanted);
    return _mm256_or_si256(differences, _mm256_and_si256(till_stops_avx2(bytes), plain));
}

AVX2 bool fits_avx2(const uint8_t *text, const uint8_t *template, size_t blocks) {
    const __m256i *bytes = (const __m256i *)text, *block = (const __m256i *)template;
    for (; blocks >= 4; blocks -= 4, bytes += 4, block += 12) {
        __m256i first = _mm256_or_si256(misfits_avx2(bytes, block), misfits_avx2(bytes + 1, block + 3));
        __m256i second = _mm256_or_si256(misfits_avx2(bytes + 2, block + 6), misfits_avx2(bytes + 3, block + 9));
        __m256i any = _mm256_or_si256(first, second);
        if (!_mm256_testz_si256(any, any)) { return false; }
    }
    __m256i any = _mm256_setzero_si256();
    for (; blocks > 0; blocks--, bytes++, block += 3) { any = _mm256_or_si256(any, misfits_avx2(bytes, block)); }
    return _mm256_testz_si256(any, any);
}

__attribute__((target("avx2,bmi"))) static enum till_step walk_avx2(
    const void *text, size_t limit, const struct till_literal *literals, const struct till_slot *slots, const void *blocks,
    struct till_member *found, struct till_walk *walk) {
    return walk_literals(text, limit, literals, slots, blocks, found, walk, fits_avx2, till_plain_prefix_avx2);
}

enum till_step till_template_walk(const void *text, size_t limit, const struct till_literal *literals, const struct till_slot *slots,
                                 const void *blocks, struct till_member *found, struct till_walk *walk) {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi")
               ? walk_avx2(text, limit, literals, slots, blocks, found, walk)
               : till_template_walk_baseline(text, limit, literals, slots, blocks, found, walk);
}
#else
enum till_step till_template_walk(const void *text, size_t limit, const struct till_literal *literals, const struct till_slot *slots,
                                 const void *blocks, struct till_member *found, struct till_walk *walk) {
    return till_template_walk_baseline(text, limit, literals, slots, blocks, found, walk);
}
#endif
