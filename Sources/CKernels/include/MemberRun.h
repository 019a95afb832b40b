#ifndef TILLROLL_MEMBER_RUN_H
#define TILLROLL_MEMBER_RUN_H

// Reads members of a JSON object, one after the other, as long as each has the key that is expected and a plain value.
//
//     {"ts":"2026-03-02T10:16:02.001Z","event":"failed","quantity":1,"error":{"domain":…
//      └key┘└──────── value ────────┘  └ key ─┘ …                            └ this value is none: the run ends here
//
// The key before decides which key is expected: programs write the members of a dump in one order. Values are kept by key, so a
// caller that needs three of twenty members reads three.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "PlainValue.h"

/// A key of at most 30 bytes with the quote and the colon behind it, as words whose first byte is the lowest, and which of their
/// bits count.
struct till_key {
    uint64_t words[4];
    uint64_t masks[4];
    uint64_t count;
};

/// Whether the 32 bytes at `text` begin with the key, its quote and a colon. Any processor.
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

/// Bytes in front of the end of the text that a run leaves to others, so that it need not ask after each member how many are left:
/// comma, quote, the 32 bytes of a key, and the 66 of a value, which is looked at 32 at a time.
#define TILL_RUN_MARGIN 104

/// Where a run is.
struct till_run {
    /// In the text: behind the opening brace, behind a value, or, while `is_on_value`, on one.
    size_t position;
    /// The number of the key before, -1 at the beginning.
    int64_t previous;
    /// Keys whose value was read, a bit for each number.
    uint64_t present;
    /// Keys at whose values to stop, a bit for each number.
    uint64_t stops;
    /// Whether no member has been read yet.
    bool is_first;
    /// Whether `position` is on the value of the member with the key before, which is to be read elsewhere.
    bool is_on_value;
    /// Whether the object is over, and `position` behind its brace.
    bool is_over;
};

/// Reads members from where `run` is, up to the end of the object or to what is to be read elsewhere: a value, or all of a member
/// whose key is not the one expected; nothing while `is_on_value`. `values[n]` is the value of the last member with key `n` that was read.
///
/// `limit` is where the text ends. `followers[n + 1]` is the number of the key expected after key `n`; there are 64 at most.
/// Takes the widest vectors that the processor has.
void till_member_run(const void *text, size_t limit, const struct till_key *keys, const int64_t *followers,
                     struct till_member *values, struct till_run *run);

/// The same with what every processor has.
void till_member_run_baseline(const void *text, size_t limit, const struct till_key *keys, const int64_t *followers,
                              struct till_member *values, struct till_run *run);

#endif
