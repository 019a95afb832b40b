#ifndef TILLROLL_TEXT_DIGEST_H
#define TILLROLL_TEXT_DIGEST_H

// The digest of a text: 128 bits that identify the text, so that the text itself need not be kept.
//
// The NH hash of UMAC (RFC 4418 §5.2), twice over the same text with keys 32 bytes apart (the Toeplitz construction of UMAC):
//
//     text    [ a  b ][ c  d ][ e  f ] …           words of 32 bits, in pairs
//     key     [ k  l ][ m  n ][ o  p ] …           drawn at random for each run
//     digest  (a+k)·(b+l) + (c+m)·(d+n) + …        sums mod 2³², products and their sum mod 2⁶⁴
//
// For any two different texts that were chosen without the key, the probability of equal digests is at most 2⁻⁶⁴; for
// texts that were not chosen to collide it is closer to 2⁻¹²⁸. The cost is two multiplications for every eight bytes.

#include <stddef.h>
#include <stdint.h>

/// Bytes of the longest text.
#define TILL_DIGEST_LONGEST 4096

/// A key for the longest text, for the block of 32 bytes at its end, and for the second key, which begins 32 bytes later.
struct till_digest_key {
    uint8_t bytes[TILL_DIGEST_LONGEST + 64];
};

struct till_digest {
    uint64_t first;
    uint64_t second;
};

/// Fills a key with random bytes of the system (`getentropy`). Returns 0 or an error number.
int till_draw_digest_key(struct till_digest_key *key);

/// The digest of the `count` bytes at `text`. `count` must not exceed `TILL_DIGEST_LONGEST`.
struct till_digest till_text_digest(const void *text, size_t count, const struct till_digest_key *key);

/// The digest of the JSON object at `text`, from its opening brace to the first closing one.
///
/// Returns the number of bytes, closing brace included. Returns 0 where a `]` comes first, or no brace within the first `limit` or
/// `TILL_DIGEST_LONGEST` bytes. The first closing brace may stand in a string or belong to an inner object; the caller checks
/// that. 32 bytes behind `limit` must be readable. `*lines` is set to whether the object holds a line feed.
size_t till_object_digest(const void *text, size_t limit, const struct till_digest_key *key, struct till_digest *digest,
                          int *lines);

/// The same without special instructions.
size_t till_object_digest_baseline(const void *text, size_t limit, const struct till_digest_key *key,
                                   struct till_digest *digest, int *lines);
struct till_digest till_text_digest_baseline(const void *text, size_t count, const struct till_digest_key *key);

#endif
