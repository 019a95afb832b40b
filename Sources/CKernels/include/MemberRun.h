#ifndef TILLROLL_MEMBER_RUN_H
#define TILLROLL_MEMBER_RUN_H

// Reads members of a JSON object as long as each has the expected key and a plain value (PlainValueReading.h).
//
//     {"ts":"2026-03-02T10:16:02.001Z","event":"failed","quantity":1,"error":{"domain":…
//      └key┘└──────── value ────────┘  └ key ─┘ …                            └ not a plain value: the run ends here
//
// The previous key decides which key is expected, because a program writes the members of all objects in one order. Values are
// stored by key, so a caller that needs three of twenty members looks at three.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "PlainValue.h"

/// A key of at most 30 bytes, followed by its quote and a colon.
struct till_key {
    /// The bytes in little-endian words.
    uint64_t words[4];
    /// The bits of the words that are compared.
    uint64_t masks[4];
    /// The number of bytes, quote and colon included.
    uint64_t count;
};

/// Whether the 32 bytes at `text` begin with the key, its quote and a colon. Without special instructions.
static inline bool till_key_begins(const void *text, const struct till_key *key) {
    uint64_t difference = 0;
    for (int index = 0; index < 4; index++) {
        uint64_t word;
        memcpy(&word, (const uint8_t *)text + 8 * index, 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        word = __builtin_bswap64(word);
#endif
        difference |= (word ^ key->words[index]) & key->masks[index];
    }
    return difference == 0;
}

/// Bytes before the end of the text in which a run begins no member, so that it need not check the end within a member: comma,
/// quote, the 32 bytes of a key, and the up to 66 of a value, which is read 32 bytes at a time.
#define TILL_RUN_MARGIN 104

/// The state of a run.
struct till_run {
    /// The position in the text: after the opening brace, after a value, or, while `is_on_value`, at the start of a value.
    size_t position;
    /// The number of the previous key, -1 at the beginning.
    int64_t previous;
    /// The keys whose values were read, a bit for each number.
    uint64_t present;
    /// The keys at whose values the run stops, a bit for each number.
    uint64_t stops;
    /// Whether no member has been read yet.
    bool is_first;
    /// Whether `position` is at the value of the previous key, which the caller has to read.
    bool is_on_value;
    /// Whether the object has ended. `position` is then after its closing brace.
    bool is_over;
};

/// Reads members from `run->position` on. Stops at the end of the object, at a value that is not plain or whose bit is set in
/// `stops`, or before a member with another key than the expected one. The caller then reads on. Reads nothing while
/// `is_on_value`. `values[n]` is the value of the last member with key `n` that was read.
///
/// `limit` is the end of the text. `followers[n + 1]` is the number of the key that is expected after key `n`. There are at most 64
/// keys. Uses the widest vectors of the processor.
void till_member_run(const void *text, size_t limit, const struct till_key *keys, const int64_t *followers,
                     struct till_member *values, struct till_run *run);

/// The same without special instructions.
void till_member_run_baseline(const void *text, size_t limit, const struct till_key *keys, const int64_t *followers,
                              struct till_member *values, struct till_run *run);

#endif
