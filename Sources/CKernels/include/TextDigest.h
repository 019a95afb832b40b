#ifndef TILLROLL_TEXT_DIGEST_H
#define TILLROLL_TEXT_DIGEST_H

// The digest of a text: 128 bits by which it is recognized without keeping it.
//
// The NH hash of UMAC (RFC 4418 §5.2), twice over the same text with keys 32 bytes apart (the Toeplitz construction of UMAC):
//
//     text    [ a  b ][ c  d ][ e  f ] …           words of 32 bits, in pairs
//     key     [ k  l ][ m  n ][ o  p ] …           drawn at random for each run
//     digest  (a+k)·(b+l) + (c+m)·(d+n) + …        sums mod 2³², products and their sum mod 2⁶⁴
//
// For any two texts that were chosen without knowing the key, the probability of equal digests is at most 2⁻⁶⁴; for texts that
// were not chosen it is nearer to 2⁻¹²⁸. Two multiplications for every eight bytes.

#include <stddef.h>
#include <stdint.h>

/// Bytes of the longest text.
#define TILL_DIGEST_LONGEST 4096

/// As long as the longest text, the block of 32 bytes at its end, and the 32 bytes that the second key begins later.
struct till_digest_key {
    uint8_t bytes[TILL_DIGEST_LONGEST + 64];
};

struct till_digest {
    uint64_t first;
    uint64_t second;
};

/// Fills a key with random bytes of the system. Returns 0, or the error number.
int till_draw_digest_key(struct till_digest_key *key);

/// The digest of the `count` bytes at `text`, at most `TILL_DIGEST_LONGEST`.
struct till_digest till_text_digest(const void *text, size_t count, const struct till_digest_key *key);

/// The digest of the JSON object at `text`, from its opening brace to the first closing one.
///
/// Returns how many bytes that are, or 0: where an array ends first, or the object not within the `limit` bytes or within
/// `TILL_DIGEST_LONGEST`. Whether the object is over there, and not within a string, the caller finds out. 32 bytes behind
/// `limit` can be read. `lines` tells whether there is a line feed among them.
size_t till_object_digest(const void *text, size_t limit, const struct till_digest_key *key, struct till_digest *digest,
                          int *lines);

/// The same with what every processor has.
size_t till_object_digest_baseline(const void *text, size_t limit, const struct till_digest_key *key,
                                   struct till_digest *digest, int *lines);
struct till_digest till_text_digest_baseline(const void *text, size_t count, const struct till_digest_key *key);

#endif
