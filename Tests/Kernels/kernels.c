// Checks the C kernels against plain loops on random and boundary inputs. Each text ends, and where a kernel may read before it
// begins, at a page that cannot be read, as far from it as the kernel's header allows. Built by `make sanitize` with clang's address
// and undefined-behaviour sanitizers, and without them for valgrind.
//
//     kernels ROUNDS SEED

#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "Base64Groups.h"
#include "ByteSearch.h"
#include "Digits.h"
#include "MemberRun.h"
#include "SecretSearch.h"
#include "ShortScalar.h"
#include "StringScan.h"
#include "TemplateWalk.h"
#include "TextDigest.h"

static uint64_t state;
static long checks;

static uint64_t next(void) {
    uint64_t mixed = state += 0x9E3779B97F4A7C15u;
    mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9u;
    mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EBu;
    return mixed ^ mixed >> 31;
}

static size_t below(size_t bound) { return (size_t)(next() % bound); }

#define REQUIRE(condition, ...)                                             \
    do {                                                                    \
        checks++;                                                           \
        if (!(condition)) {                                                 \
            fprintf(stderr, "%s:%d: %s: ", __FILE__, __LINE__, #condition); \
            fprintf(stderr, __VA_ARGS__);                                   \
            fprintf(stderr, "\n");                                          \
            exit(1);                                                        \
        }                                                                   \
    } while (0)

// MARK: Guard pages

enum { AREA = 5 << 12 };

/// Memory between two pages that cannot be read.
struct area {
    uint8_t *start, *end;
};

static struct area make_area(void) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE), size = AREA / page * page;
    uint8_t *memory = mmap(NULL, size + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED || mprotect(memory + page, size, PROT_READ | PROT_WRITE) != 0) {
        perror("mmap");
        exit(2);
    }
    return (struct area){memory + page, memory + page + size};
}

static struct area input, output;

/// `count` bytes of which `slack` more can be read.
static uint8_t *at_end(struct area area, size_t count, size_t slack) { return area.end - slack - count; }

/// Bytes of an alphabet, and now and then any other.
static void fill(uint8_t *bytes, size_t count, const char *alphabet) {
    size_t letters = strlen(alphabet), rare = below(4) ? 64 : 4;
    for (size_t index = 0; index < count; index++) {
        bytes[index] = below(rare) ? (uint8_t)alphabet[below(letters)] : (uint8_t)next();
    }
}

static size_t some_length(size_t most) { return below(3) ? below(100) : below(most); }

// MARK: Base64

static int digit(uint8_t byte) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *found = byte == 0 ? NULL : strchr(digits, byte);
    return found == NULL ? -1 : (int)(found - digits);
}

static void check_base64(void) {
    size_t count = some_length(400), good = 0;
    uint8_t *text = at_end(input, count, 0), wanted[400];
    fill(text, count, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/");
    if (below(2)) {
        for (size_t index = 0; index < count; index++) {
            if (digit(text[index]) < 0) { text[index] = 'A'; }
        }
        if (count > 0 && below(2)) { text[below(count)] = (uint8_t)"=-_ \n\xC1"[below(6)]; }
    }
    for (; good + 4 <= count; good += 4) {
        uint32_t bits = 0;
        int is_good = 1;
        for (int place = 0; place < 4; place++) {
            int value = digit(text[good + (size_t)place]);
            is_good = is_good && value >= 0;
            bits = bits << 6 | (uint32_t)(value & 63);
        }
        if (!is_good) { break; }
        for (size_t place = 0; place < 3; place++) { wanted[good / 4 * 3 + place] = (uint8_t)(bits >> (16 - 8 * place)); }
    }
    size_t (*const ways[])(const void *, size_t, void *) = {till_base64_groups, till_base64_groups_avx2, till_base64_groups_baseline};
    for (int way = 0; way < 3; way++) {
        uint8_t *decoded = at_end(output, count / 4 * 3, TILL_BASE64_SLACK);
        size_t taken = ways[way](text, count, decoded);
        REQUIRE(taken == good, "way %d: %zu of %zu, plainly %zu", way, taken, count, good);
        REQUIRE(memcmp(decoded, wanted, good / 4 * 3) == 0, "way %d, %zu bytes", way, good);
    }
}

// MARK: Digits and scalars

static void check_digits(void) {
    uint32_t count = 1 + (uint32_t)below(16);
    // The sixteen bytes begin at a page that cannot be read before them.
    uint8_t *text = below(2) ? input.start : input.end - 16, *end = text + 16;
    fill(text, 16, "0123456789");
    uint64_t wanted = 0;
    for (uint32_t place = 0; place < count && wanted != TILL_NOT_DIGITS; place++) {
        uint8_t byte = end[(int)place - (int)count];
        wanted = byte >= '0' && byte <= '9' ? wanted * 10 + (uint64_t)(byte - '0') : TILL_NOT_DIGITS;
    }
    REQUIRE(till_digits16(end, count) == wanted, "%u digits", count);
    REQUIRE(till_digits16_portable(end, count) == wanted, "%u digits", count);
}

static void check_scalar(void) {
    uint8_t *text = at_end(input, 16, 0);
    fill(text, 16, below(2) ? "0123456789,}" : "nul,}");
    if (below(4) == 0) { fill(text, 1 + below(15), "123456789"); }
    if (below(2)) { memcpy(text, "null", 4); }
    uint32_t wanted = 0;
    for (uint32_t count = 1; count <= 15; count++) {
        int is_number = text[0] != '0';
        for (uint32_t place = 0; place < count; place++) { is_number = is_number && text[place] >= '0' && text[place] <= '9'; }
        int ends = text[count] == ',' || text[count] == '}';
        if (ends && (is_number || (count == 4 && memcmp(text, "null", 4) == 0))) { wanted = count; }
    }
    REQUIRE(till_short_scalar(text) == wanted, "%.16s", (const char *)text);
}

// MARK: Strings

static int stops(uint8_t byte) { return byte < 0x20 || byte == 0x22 || byte == 0x5C || byte >= 0x80; }

static void check_strings(void) {
    size_t count = 32 + some_length(700), plain = 0;
    uint8_t *text = at_end(input, count, 0);
    memset(text, 'a' + (int)below(20), count);
    if (below(4)) { fill(text + below(count), 1, "\"\\\n\x7F\x80\xFF\x1F ~"); }
    while (plain < count && !stops(text[plain])) { plain++; }
    uint32_t first = plain < 32 ? (uint32_t)plain : 32;
    REQUIRE(till_plain_prefix32(text) == first, "%zu", plain);
    REQUIRE(till_plain_prefix32_portable(text) == first, "%zu", plain);
    size_t run = till_plain_run(text, count), baseline = till_plain_run_baseline(text, count);
    REQUIRE(run <= plain && (run == plain || count - run < 32), "%zu of %zu, plainly %zu", run, count, plain);
    REQUIRE(run == baseline, "%zu, %zu", run, baseline);
    size_t none = till_plain_run(text, below(32));
    REQUIRE(none == 0, "%zu", none);
}

static void check_byte_search(void) {
    size_t count = some_length(300), other = 0;
    uint8_t *text = at_end(input, count, 0), *copy = at_end(output, count, 0);
    fill(text, count, "ab\n");
    memcpy(copy, text, count);
    while (other < count && text[other] != '\n') { other++; }
    REQUIRE(till_prefix_without(text, count, '\n') == other, "%zu", other);
    REQUIRE(till_are_same(text, copy, count), "%zu", count);
    if (count > 0) {
        copy[below(count)] ^= 1;
        REQUIRE(!till_are_same(text, copy, count), "%zu", count);
    }
}

// MARK: Searches for secrets

static int is_digit(uint8_t byte) {
    return (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9') || (byte != 0 && strchr("+/-_", byte));
}

static void check_searches(void) {
    size_t count = some_length(300), from = below(count + 1), shortest = 1 + below(40), wanted = count, end = from;
    uint8_t *text = at_end(input, count, 0);
    fill(text, count, below(2) ? "abcXYZ019+/-_" : "ab cd\" ");
    for (size_t index = from; index + shortest <= count && wanted == count; index++) {
        size_t length = 0;
        while (length < shortest && is_digit(text[index + length])) { length++; }
        if (length == shortest) { wanted = index; }
    }
    REQUIRE(till_find_digits(text, from, count, shortest) == wanted, "%zu from %zu of %zu", shortest, from, count);
    while (end < count && is_digit(text[end])) { end++; }
    REQUIRE(till_end_of_digits(text, from, count) == end, "from %zu of %zu", from, count);
    uint16_t firsts[256] = {0}, seconds[256] = {0};
    firsts['a'] = 1, seconds['b'] = 1, firsts['c'] = 2, seconds['d'] = 2, seconds['b'] |= 2;
    size_t pair = count;
    if (count > 0 && below(2)) { text[below(count)] = 0; }
    for (size_t index = from; index + 1 < count && pair == count; index++) {
        uint8_t second = text[index + 1] == 0 && index + 2 < count ? text[index + 2] : text[index + 1];
        if (firsts[text[index]] & seconds[second]) { pair = index; }
    }
    REQUIRE(till_find_pair(text, from, count, firsts, seconds) == pair, "from %zu of %zu", from, count);
}

// MARK: Digests

static struct till_digest_key digest_key;

static uint64_t word32(const uint8_t *bytes) {
    return (uint64_t)bytes[0] | (uint64_t)bytes[1] << 8 | (uint64_t)bytes[2] << 16 | (uint64_t)bytes[3] << 24;
}

/// The definition of TextDigest.h.
static struct till_digest plain_digest(const uint8_t *text, size_t count) {
    static uint8_t padded[TILL_DIGEST_LONGEST + 64];
    memset(padded, 0, sizeof padded);
    memcpy(padded, text, count);
    struct till_digest digest = {count, 0};
    for (size_t index = 0; index < count / 32 * 32 + 32; index += 8) {
        uint64_t low = word32(padded + index), high = word32(padded + index + 4);
        const uint8_t *key = digest_key.bytes + index, *other = key + 32;
        digest.first += (low + word32(key) & 0xFFFFFFFFu) * (high + word32(key + 4) & 0xFFFFFFFFu);
        digest.second += (low + word32(other) & 0xFFFFFFFFu) * (high + word32(other + 4) & 0xFFFFFFFFu);
    }
    return digest;
}

static void require_same(struct till_digest digest, struct till_digest wanted, size_t count) {
    REQUIRE(digest.first == wanted.first && digest.second == wanted.second, "digest of %zu bytes", count);
}

static void check_digests(void) {
    size_t count = below(8) ? some_length(700) : TILL_DIGEST_LONGEST - below(70), end = 0;
    uint8_t *text = at_end(input, count, 0);
    fill(text, count, "abc\"{:");
    struct till_digest wanted = plain_digest(text, count);
    require_same(till_text_digest(text, count, &digest_key), wanted, count);
    require_same(till_text_digest_baseline(text, count, &digest_key), wanted, count);
    size_t limit = below(8) ? some_length(700) : below(2 * TILL_DIGEST_LONGEST);
    text = at_end(input, limit, 32);
    fill(text, limit + 32, below(2) ? "abc\"{:\n" : "abc\"{:");
    for (size_t index = 0; index < limit; index++) {
        if (text[index] == ']' || text[index] == '}') { text[index] = 'a'; }
    }
    if (below(4) && limit > 0) { text[below(limit)] = below(8) ? '}' : ']'; }
    while (end < limit && end < TILL_DIGEST_LONGEST && text[end] != '}' && text[end] != ']') { end++; }
    int ends = end < limit && end < TILL_DIGEST_LONGEST && text[end] == '}', lines[2] = {0, 0};
    struct till_digest found[2];
    size_t lengths[2] = {till_object_digest(text, limit, &digest_key, &found[0], &lines[0]),
                         till_object_digest_baseline(text, limit, &digest_key, &found[1], &lines[1])};
    for (int way = 0; way < 2; way++) {
        REQUIRE(lengths[way] == (ends ? end + 1 : 0), "way %d: %zu of %zu, plainly %zu", way, lengths[way], limit, end + 1);
        if (!ends) { continue; }
        require_same(found[way], plain_digest(text, end + 1), end + 1);
        REQUIRE(!lines[way] == (memchr(text, '\n', end) == NULL), "way %d: line feeds", way);
    }
}

// MARK: Objects

/// Where the plain value at `position` ends, by the words of PlainValueReading.h; 0 where there is none.
static size_t end_of_plain_value(const uint8_t *text, size_t position) {
    if (text[position] != '"') {
        uint32_t length = till_short_scalar(text + position);
        return length == 0 ? 0 : position + length;
    }
    size_t end = position + 1;
    while (end - position - 1 < 64 && !stops(text[end])) { end++; }
    return text[end] == '"' ? end + 1 : 0;
}

static size_t append(uint8_t *text, size_t count, const char *piece) {
    memcpy(text + count, piece, strlen(piece));
    return count + strlen(piece);
}

/// A value of an object as it may occur in one.
static size_t append_value(uint8_t *text, size_t count) {
    char string[140];
    switch (below(7)) {
    case 0: return append(text, count, "null");
    case 1: snprintf(string, sizeof string, "%.*s", (int)(1 + below(17)), "12345678901234567"); return append(text, count, string);
    case 2: return append(text, count, below(2) ? "-1" : "1.5");
    default:
        count = append(text, count, "\"");
        size_t length = below(4) ? below(40) : below(100);
        memset(text + count, 'x', length);
        if (below(16) == 0) { text[count + below(length + 1)] = '\\'; }
        return append(text, count + length, "\"");
    }
}

static const char *const names[] = {"ts", "event", "quantity", "product_id", "a_key_of_thirty_bytes_in_length"};
enum { KEYS = 5 };

static void check_runs(void) {
    static uint8_t object[2048];
    size_t count = 0, members = below(8);
    for (size_t index = 0; index < members; index++) {
        if (index > 0) { count = append(object, count, below(40) ? "," : " ,"); }
        count = append(object, count, "\"");
        count = append(object, count, names[below(8) ? index % KEYS : below(KEYS)]);
        count = append(object, count, "\":");
        count = append_value(object, count);
    }
    count = append(object, count, "}");
    size_t limit = count + below(160);
    uint8_t *text = at_end(input, limit, 0);
    fill(text, limit, "{\"}, ");
    memcpy(text, object, count);
    struct till_key keys[KEYS];
    int64_t followers[KEYS + 1];
    for (int number = 0; number < KEYS; number++) {
        uint8_t bytes[32] = {0}, masks[32] = {0};
        size_t length = strlen(names[number]) < 30 ? strlen(names[number]) : 30;
        memcpy(bytes, names[number], length);
        memcpy(bytes + length, "\":", 2);
        memset(masks, 0xFF, length + 2);
        memcpy(keys[number].words, bytes, 32);
        memcpy(keys[number].masks, masks, 32);
        keys[number].count = length + 2;
        followers[number] = number;
    }
    followers[KEYS] = 0;
    struct till_member values[2][KEYS];
    struct till_run runs[2];
    memset(values, 0, sizeof values);
    for (int way = 0; way < 2; way++) {
        runs[way] = (struct till_run){.position = 0, .previous = -1, .stops = way == 0 ? below(4) ? 0 : next() : runs[0].stops, .is_first = true};
        (way == 0 ? till_member_run : till_member_run_baseline)(text, limit, keys, followers, values[way], &runs[way]);
    }
    REQUIRE(runs[0].position == runs[1].position && runs[0].previous == runs[1].previous && runs[0].present == runs[1].present
                && runs[0].is_first == runs[1].is_first && runs[0].is_on_value == runs[1].is_on_value && runs[0].is_over == runs[1].is_over,
            "runs at %zu and %zu", runs[0].position, runs[1].position);
    for (int number = 0; number < KEYS; number++) {
        if ((runs[0].present >> number & 1) == 0) { continue; }
        struct till_member ours = values[0][number], other = values[1][number];
        REQUIRE(ours.start == other.start && ours.end == other.end && ours.kind == other.kind, "value %d", number);
        size_t start = (size_t)ours.start - (ours.kind == TILL_STRING), end = (size_t)ours.end + (ours.kind == TILL_STRING);
        REQUIRE(end_of_plain_value(text, start) == end && end <= limit, "value %d at %zu", number, start);
    }
}

/// A template of two literals around a value; the first one holds a slot of a string.
static void check_walks(void) {
    static uint8_t blocks[2 * 4 * TILL_TEMPLATE_BLOCK];
    memset(blocks, 0, sizeof blocks);
    char first[] = "{\"quantity\":\"0\",\"product_id_of_some_length\":";
    size_t slot = 13, lengths[2] = {strlen(first), 1};
    const char *literals_text[2] = {first, "}"};
    struct till_literal literals[2];
    size_t block = 0;
    for (int number = 0; number < 2; number++) {
        literals[number] = (struct till_literal){(uint32_t)block, (uint32_t)lengths[number], 1, number == 0 ? (below(2) ? 3 : TILL_TEMPLATE_SKIPPED) : TILL_TEMPLATE_END};
        for (size_t index = 0; index < lengths[number]; index++) {
            uint8_t *place = blocks + block + index / TILL_TEMPLATE_WIDTH * TILL_TEMPLATE_BLOCK + index % TILL_TEMPLATE_WIDTH;
            int is_free = number == 0 && index == slot;
            place[0] = is_free ? 0 : (uint8_t)literals_text[number][index];
            place[TILL_TEMPLATE_WIDTH] = is_free ? 0 : 0xFF;
            place[2 * TILL_TEMPLATE_WIDTH] = is_free ? 0xFF : 0;
        }
        block += (lengths[number] + TILL_TEMPLATE_WIDTH - 1) / TILL_TEMPLATE_WIDTH * TILL_TEMPLATE_BLOCK;
    }
    struct till_slot slots[1] = {{(uint32_t)slot, 1, 1, TILL_STRING}};
    static uint8_t object[1024];
    size_t count = append(object, 0, first);
    object[slot] = (uint8_t)(below(8) ? "0123456789"[below(10)] : "\"\\\n\x80\xFF"[below(5)]);
    count = append_value(object, count);
    count = append(object, count, "}");
    if (below(4) == 0) { object[below(count)] = (uint8_t)next(); }
    size_t limit = below(8) ? count : below(count + 1);
    uint8_t *text = at_end(input, limit, 32);
    memset(text, 0, limit + 32);
    memcpy(text, object, limit);
    struct till_member found[2][4];
    struct till_walk walks[2] = {{0}, {0}};
    enum till_step steps[2];
    memset(found, 0, sizeof found);
    steps[0] = till_template_walk(text, limit, literals, slots, blocks, found[0], &walks[0]);
    steps[1] = till_template_walk_baseline(text, limit, literals, slots, blocks, found[1], &walks[1]);
    REQUIRE(steps[0] == steps[1] && walks[0].position == walks[1].position && walks[0].literal == walks[1].literal
                && walks[0].slot == walks[1].slot && walks[0].count == walks[1].count,
            "steps %d and %d at %zu and %zu", (int)steps[0], (int)steps[1], walks[0].position, walks[1].position);
    for (size_t number = 0; number < walks[0].count; number++) {
        REQUIRE(found[0][number].start == found[1][number].start && found[0][number].end == found[1][number].end, "member %zu", number);
        REQUIRE((size_t)found[0][number].end <= limit, "member %zu ends at %lld of %zu", number, (long long)found[0][number].end, limit);
    }
    int fits = limit >= lengths[0] && memcmp(text, first, slot) == 0 && !stops(text[slot]) && memcmp(text + slot + 1, first + slot + 1, lengths[0] - slot - 1) == 0;
    size_t end = fits && lengths[0] + 1 < limit ? end_of_plain_value(text, lengths[0]) : 0;
    enum till_step wanted = !fits ? TILL_MISFIT : end == 0 || end > limit ? TILL_VALUE : end < limit && text[end] == '}' ? TILL_DONE : TILL_MISFIT;
    REQUIRE(steps[0] == wanted, "step %d, plainly %d", (int)steps[0], (int)wanted);
}

int main(int count, char **words) {
    long rounds = count > 1 ? atol(words[1]) : 100000;
    state = count > 2 ? strtoull(words[2], NULL, 10) : 1;
    input = make_area();
    output = make_area();
    if (till_draw_digest_key(&digest_key) != 0) { return 2; }
    void (*const all[])(void) = {check_base64, check_digits, check_scalar, check_strings, check_byte_search, check_searches, check_digests, check_runs, check_walks};
    for (long round = 0; round < rounds; round++) {
        for (size_t index = 0; index < sizeof all / sizeof *all; index++) { all[index](); }
    }
    printf("%ld rounds of 9 kernels, %ld checks\n", rounds, checks);
    return 0;
}
