#include "MemberRun.h"

#include "PlainValueReading.h"

// The loop is written once. The functions that compare keys and find the end of a string are inlined into it for each processor.
__attribute__((always_inline)) static inline void run_members(const uint8_t *text, size_t limit, const struct till_key *keys,
                                                              const int64_t *followers, struct till_member *values,
                                                              struct till_run *run,
                                                              bool (*key_begins)(const void *, const struct till_key *),
                                                              uint32_t (*plain_prefix)(const void *)) {
    // The caller must first read the value at which an earlier run stopped. It may be missing, and a member may stand there instead.
    if (limit < TILL_RUN_MARGIN || run->is_on_value) { return; }
    size_t last = limit - TILL_RUN_MARGIN, position = run->position;
    if (position > last) { return; }
    int64_t previous = run->previous;
    uint64_t present = run->present;
    // A comma and a quote stand before a key, before the first key only a quote.
    for (size_t lead = run->is_first ? 1 : 2; position <= last; lead = 2) {
        if (text[position + lead - 1] != 0x22 || (lead == 2 && text[position] != 0x2C)) {
            run->is_over = text[position] == 0x7D;
            position += run->is_over;
            break;
        }
        size_t key_start = position + lead;
        int64_t number = followers[previous + 1];
        const struct till_key *key = keys + number;
        if (!key_begins(text + key_start, key)) { break; }
        previous = number;
        position = key_start + key->count;
        size_t end = 0;
        if ((run->stops >> number & 1) == 0) {
            end = till_read_plain_value(text, position, limit, values + number, plain_prefix);
        }
        if (end == 0) {
            run->is_on_value = true;
            break;
        }
        present |= (uint64_t)1 << number;
        position = end;
    }
    run->is_first = run->is_first && position == run->position;
    run->position = position;
    run->previous = previous;
    run->present = present;
}

void till_member_run_baseline(const void *text, size_t limit, const struct till_key *keys, const int64_t *followers,
                              struct till_member *values, struct till_run *run) {
    run_members(text, limit, keys, followers, values, run, till_key_begins, till_plain_prefix32);
}

#if defined(__x86_64__)

__attribute__((target("avx2,bmi"))) static inline bool key_begins_avx2(const void *text, const struct till_key *key) {
    __m256i words = _mm256_loadu_si256((const __m256i *)key->words), masks = _mm256_loadu_si256((const __m256i *)key->masks);
    return _mm256_testz_si256(_mm256_xor_si256(_mm256_loadu_si256((const __m256i *)text), words), masks);
}

__attribute__((target("avx2,bmi"))) static void run_avx2(const void *text, size_t limit, const struct till_key *keys,
                                                         const int64_t *followers, struct till_member *values,
                                                         struct till_run *run) {
    run_members(text, limit, keys, followers, values, run, key_begins_avx2, till_plain_prefix_avx2);
}

void till_member_run(const void *text, size_t limit, const struct till_key *keys, const int64_t *followers,
                     struct till_member *values, struct till_run *run) {
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi")) {
        run_avx2(text, limit, keys, followers, values, run);
    } else {
        till_member_run_baseline(text, limit, keys, followers, values, run);
    }
}
#else
void till_member_run(const void *text, size_t limit, const struct till_key *keys, const int64_t *followers,
                     struct till_member *values, struct till_run *run) {
    till_member_run_baseline(text, limit, keys, followers, values, run);
}
#endif
