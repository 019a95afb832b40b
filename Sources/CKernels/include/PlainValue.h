#ifndef TILLROLL_PLAIN_VALUE_H
#define TILLROLL_PLAIN_VALUE_H

#include <stddef.h>
#include <stdint.h>

/// Kinds of values that kernels read. Callers have further kinds.
#define TILL_STRING 0
#define TILL_NUMBER 1
#define TILL_NULL 4

/// A value that was found: the number of its key, its kind, and its position in the text. The quotes of a string are excluded.
struct till_member {
    int32_t number;
    uint8_t kind;
    uint8_t has_escapes;
    int64_t start;
    int64_t end;
};

#endif
