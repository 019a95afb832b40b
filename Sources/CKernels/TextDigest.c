#include "TextDigest.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#if defined(__APPLE__)
#include <sys/random.h>
#endif

#if defined(__x86_64__)
#include <immintrin.h>
#endif

/// Bytes of a block: four pairs of words.
enum { BLOCK = 32 };

/// The most bytes of one call of `getentropy`.
enum { MOST_RANDOM_BYTES = 256 };

int till_draw_digest_key(struct till_digest_key *key) {
    for (size_t start = 0; start < sizeof key->bytes; start += MOST_RANDOM_BYTES) {
        size_t rest = sizeof key->bytes - start;
        if (getentropy(key->bytes + start, rest < MOST_RANDOM_BYTES ? rest : MOST_RANDOM_BYTES) != 0) { return errno; }
    }
    return 0;
}

/// Fills a block with `count` bytes of the text and with zeros. The digest includes the length of the text, so these zeros differ
/// from zeros in the text.
static inline void copy_tail(uint8_t *block, const uint8_t *text, size_t count) {
    memset(block, 0, BLOCK);
    memcpy(block, text, count);
}

// MARK: Any processor

static inline uint32_t word_at(const uint8_t *bytes) {
    uint32_t word;
    memcpy(&word, bytes, 4);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap32(word);
#endif
    return word;
}

static inline void add_block(struct till_digest *digest, const uint8_t *block, const uint8_t *key) {
    for (size_t index = 0; index < BLOCK; index += 8) {
        uint32_t low = word_at(block + index), high = word_at(block + index + 4);
        digest->first += (uint64_t)(uint32_t)(low + word_at(key + index)) * (uint32_t)(high + word_at(key + index + 4));
        const uint8_t *other = key + BLOCK + index;
        digest->second += (uint64_t)(uint32_t)(low + word_at(other)) * (uint32_t)(high + word_at(other + 4));
    }
}

struct till_digest till_text_digest_baseline(const void *text, size_t count, const struct till_digest_key *key) {
    struct till_digest digest = {count, 0};
    const uint8_t *bytes = text;
    uint8_t tail[BLOCK];
    size_t index = 0;
    for (; index + BLOCK <= count; index += BLOCK) { add_block(&digest, bytes + index, key->bytes + index); }
    copy_tail(tail, bytes + index, count - index);
    add_block(&digest, tail, key->bytes + index);
    return digest;
}

size_t till_object_digest_baseline(const void *text, size_t limit, const struct till_digest_key *key,
                                   struct till_digest *digest, int *lines) {
    const uint8_t *bytes = text;
    size_t bound = limit < TILL_DIGEST_LONGEST ? limit : TILL_DIGEST_LONGEST;
    size_t end = 0;
    // The codes of `]` and `}` differ only in bit 5.
    while (end < bound && (bytes[end] | 0x20) != 0x7D) { end++; }
    if (end == bound || bytes[end] != 0x7D) { return 0; }
    *lines = memchr(text, 0x0A, end) != NULL;
    *digest = till_text_digest_baseline(text, end + 1, key);
    return end + 1;
}

// MARK: AVX2

#if defined(__x86_64__)

#define AVX2 __attribute__((target("avx2,bmi")))

struct sums {
    __m256i first, second;
};

AVX2 static inline __m256i product(__m256i block, const uint8_t *key) {
    __m256i sums = _mm256_add_epi32(block, _mm256_loadu_si256((const __m256i *)key));
    return _mm256_mul_epu32(sums, _mm256_srli_epi64(sums, 32));
}

AVX2 static inline struct sums add_avx2(struct sums sums, __m256i block, const uint8_t *key) {
    sums.first = _mm256_add_epi64(sums.first, product(block, key));
    sums.second = _mm256_add_epi64(sums.second, product(block, key + BLOCK));
    return sums;
}

/// The first `count` bytes of a block, at most 32, followed by zeros.
AVX2 static inline __m256i begin_of(__m256i block, size_t count) {
    static const uint8_t ramp[2 * BLOCK] = {
        255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
        255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255};
    return _mm256_and_si256(block, _mm256_loadu_si256((const __m256i *)(ramp + BLOCK - count)));
}

AVX2 static inline uint64_t sum_of(__m256i lanes) {
    __m128i halves = _mm_add_epi64(_mm256_castsi256_si128(lanes), _mm256_extracti128_si256(lanes, 1));
    return (uint64_t)_mm_cvtsi128_si64(halves) + (uint64_t)_mm_extract_epi64(halves, 1);
}

AVX2 static struct till_digest text_avx2(const void *text, size_t count, const struct till_digest_key *key) {
    const uint8_t *bytes = text;
    struct sums sums = {_mm256_setzero_si256(), _mm256_setzero_si256()};
    size_t index = 0;
    for (; index + BLOCK <= count; index += BLOCK) {
        sums = add_avx2(sums, _mm256_loadu_si256((const __m256i *)(bytes + index)), key->bytes + index);
    }
    uint8_t tail[BLOCK];
    copy_tail(tail, bytes + index, count - index);
    sums = add_avx2(sums, _mm256_loadu_si256((const __m256i *)tail), key->bytes + index);
    return (struct till_digest){count + sum_of(sums.first), sum_of(sums.second)};
}

AVX2 static size_t object_avx2(const void *text, size_t limit, const struct till_digest_key *key, struct till_digest *digest,
                               int *lines) {
    const uint8_t *bytes = text;
    const __m256i case_bit = _mm256_set1_epi8(0x20), brace = _mm256_set1_epi8(0x7D), feed = _mm256_set1_epi8(0x0A);
    size_t bound = limit < TILL_DIGEST_LONGEST ? limit : TILL_DIGEST_LONGEST;
    struct sums sums = {_mm256_setzero_si256(), _mm256_setzero_si256()};
    __m256i feeds = _mm256_setzero_si256();
    for (size_t index = 0; index < bound; index += BLOCK) {
        __m256i block = _mm256_loadu_si256((const __m256i *)(bytes + index));
        uint32_t ends = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_or_si256(block, case_bit), brace));
        if (ends == 0) {
            feeds = _mm256_or_si256(feeds, _mm256_cmpeq_epi8(block, feed));
            sums = add_avx2(sums, block, key->bytes + index);
            continue;
        }
        size_t count = (size_t)__builtin_ctz(ends) + 1, end = index + count;
        if (end > bound || bytes[end - 1] != 0x7D) { return 0; }
        block = begin_of(block, count);
        feeds = _mm256_or_si256(feeds, _mm256_cmpeq_epi8(block, feed));
        sums = add_avx2(sums, block, key->bytes + index);
        // `text_avx2` ends every text with a block that is not full, so the digest needs it here too.
        if (count == BLOCK) { sums = add_avx2(sums, _mm256_setzero_si256(), key->bytes + end); }
        *lines = !_mm256_testz_si256(feeds, feeds);
        *digest = (struct till_digest){end + sum_of(sums.first), sum_of(sums.second)};
        return end;
    }
    return 0;
}

static inline bool has_avx2(void) { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi"); }

struct till_digest till_text_digest(const void *text, size_t count, const struct till_digest_key *key) {
    return has_avx2() ? text_avx2(text, count, key) : till_text_digest_baseline(text, count, key);
}

size_t till_object_digest(const void *text, size_t limit, const struct till_digest_key *key, struct till_digest *digest,
                          int *lines) {
    return has_avx2() ? object_avx2(text, limit, key, digest, lines)
                      : till_object_digest_baseline(text, limit, key, digest, lines);
}
#else
struct till_digest till_text_digest(const void *text, size_t count, const struct till_digest_key *key) {
    return till_text_digest_baseline(text, count, key);
}

size_t till_object_digest(const void *text, size_t limit, const struct till_digest_key *key, struct till_digest *digest,
                          int *lines) {
    return till_object_digest_baseline(text, limit, key, digest, lines);
}
#endif
