#ifndef TILLROLL_TEMPLATE_WALK_H
#define TILLROLL_TEMPLATE_WALK_H

// Reads a JSON object by comparing it with a template of objects that look alike.
//
//     text      { " q u a n t i t y " : " 3 " , " p r o d u c t _ i d " : " c o i n s . 1 0 0 " , " …
//     wanted    { " q u a n t i t y " : "   " , " p r o d u c t _ i d " : └───── value ───────┘ , " …    0 where any byte may stand
//     fixed     F F F F F F F F F F F F F 0 F F F F F F F F F F F F F F F                       F F …    bits of the text that count
//     plain     0 0 0 0 0 0 0 0 0 0 0 0 0 F 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0                       0 0 …    where a byte of a string may stand
//               └──────────────────── literal ───────────────────────────┘                     └ literal …
//
// A literal is compared 32 bytes at a time. A block is 32 bytes of `wanted`, of `fixed` and of `plain`, one behind the other. Where a
// literal ends within its last block all three are 0; the bytes of the text there are read, and ignored.
// Between two literals is any value. A short plain string and a short scalar (PlainValueReading.h) are read here, all others by the
// caller.

#include <stddef.h>
#include <stdint.h>

#include "PlainValue.h"

/// Bytes of text in a block.
#define TILL_TEMPLATE_WIDTH 32
/// Bytes of a block.
#define TILL_TEMPLATE_BLOCK (3 * TILL_TEMPLATE_WIDTH)

/// Instead of the key of a value: the object is over, and the value is not read.
#define TILL_TEMPLATE_END (-2)
#define TILL_TEMPLATE_SKIPPED (-1)

/// A literal, and the number of the key whose value follows it, or one of the above.
struct till_literal {
    uint32_t first_block_byte;
    uint32_t count;
    uint32_t end_of_slots;
    int32_t value_key;
};

/// A value within a literal that is read: where it begins in the literal, its length, its key and its kind.
struct till_slot {
    uint32_t offset;
    uint32_t count;
    int32_t number;
    int32_t kind;
};

/// Where a walk is.
struct till_walk {
    /// In the text.
    size_t position;
    /// The next literal: after a misfit the one that did not fit, before a value the one behind it.
    size_t literal;
    /// The next slot.
    size_t slot;
    /// Members found.
    size_t count;
};

enum till_step { TILL_MISFIT, TILL_DONE, TILL_VALUE };

/// Compares the text from `walk` on with the literals, up to the end (`TILL_DONE`), to text that differs (`TILL_MISFIT`), or to a
/// value that the caller has to read (`TILL_VALUE`); the caller then sets `walk->position` behind the value and calls again.
///
/// The text ends at `limit`, behind which 32 more bytes can be read. `found` has room for one member more than there are slots and
/// values. Takes the widest vectors that the processor has.
enum till_step till_template_walk(const void *text, size_t limit, const struct till_literal *literals, const struct till_slot *slots,
                                 const void *blocks, struct till_member *found, struct till_walk *walk);

/// The same with what every processor has.
enum till_step till_template_walk_baseline(const void *text, size_t limit, const struct till_literal *literals,
                                          const struct till_slot *slots, const void *blocks, struct till_member *found,
                                          struct till_walk *walk);

#endif
