#include "SecretSearch.h"

size_t till_find_pair(const void *text, size_t from, size_t count, const uint16_t *firsts, const uint16_t *seconds) {
    const uint8_t *bytes = text;
    if (count < 2) { return count; }
    for (size_t index = from; index + 1 < count; index++) {
        uint16_t first = firsts[bytes[index]];
        if (first == 0) { continue; }
        uint8_t next = bytes[index + 1];
        if (next == 0 && index + 2 < count) { next = bytes[index + 2]; }
        if (first & seconds[next]) { return index; }
    }
    return count;
}

/// Whether a byte is a digit of base64: `A`…`Z`, `a`…`z`, `0`…`9`, and `+`, `/`, `-`, `_`.
static const uint8_t digits[256] = {
    ['+'] = 1, ['-'] = 1, ['/'] = 1, ['_'] = 1,
    ['0' ... '9'] = 1, ['A' ... 'Z'] = 1, ['a' ... 'z'] = 1,
};

size_t till_find_digits(const void *text, size_t from, size_t count, size_t shortest) {
    const uint8_t *bytes = text;
    size_t start = from;
    while (start < count && count - start >= shortest) {
        // The window is read from its end, so the search can skip past its last byte that is no digit.
        size_t index = start + shortest;
        while (index > start && digits[bytes[index - 1]]) { index--; }
        if (index == start) { return start; }
        start = index;
    }
    return count;
}

size_t till_end_of_digits(const void *text, size_t from, size_t count) {
    const uint8_t *bytes = text;
    size_t index = from;
    while (index < count && digits[bytes[index]]) { index++; }
    return index;
}
