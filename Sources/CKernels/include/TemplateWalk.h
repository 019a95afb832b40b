#ifndef TILLROLL_TEMPLATE_WALK_H
#define TILLROLL_TEMPLATE_WALK_H

// Reads a JSON object by comparing it with a template, which was made from an earlier object of the same form.
//
//     text      { " q u a n t i t y " : " 3 " , " p r o d u c t _ i d " : " c o i n s . 1 0 0 " , " …
//     wanted    { " q u a n t i t y " : "   " , " p r o d u c t _ i d " : └───── value ───────┘ , " …    0 where any byte may stand
//     fixed     F F F F F F F F F F F F F 0 F F F F F F F F F F F F F F F                       F F …    bits of the text that count
//     plain     0 0 0 0 0 0 0 0 0 0 0 0 0 F 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0                       0 0 …    where a byte of a string may stand
//               └──────────────────── literal ───────────────────────────┘                     └ literal …
//
// A literal is compared in blocks of 32 bytes of text. A block of the template holds 32 bytes of `wanted`, 32 of `fixed` and 32 of
// `plain`. After the end of a literal, all three are 0 in its last block; the bytes of the text there are read and ignored.
//
// Any value may stand between two literals. The kernel reads plain values (PlainValueReading.h); the caller reads all others.

#include <stddef.h>
#include <stdint.h>

#include "PlainValue.h"

/// Bytes of text in a block.
#define TILL_TEMPLATE_WIDTH 32
/// Bytes of a block.
#define TILL_TEMPLATE_BLOCK (3 * TILL_TEMPLATE_WIDTH)

/// Used instead of the number of a key after the last literal: the object ends there.
#define TILL_TEMPLATE_END (-2)
/// Used instead of the number of a key for a value that is skipped. The number of a key that no table has is -1.
#define TILL_TEMPLATE_SKIPPED (-3)

/// A literal and the value after it.
struct till_literal {
    /// The offset of its first block in `blocks`, in bytes.
    uint32_t first_block_byte;
    /// Bytes of text.
    uint32_t count;
    /// One past its last slot. Its first slot follows that of the previous literal.
    uint32_t end_of_slots;
    /// The number of the key whose value follows, or `TILL_TEMPLATE_END` or `TILL_TEMPLATE_SKIPPED`.
    int32_t value_key;
};

/// A value of fixed length inside a literal: its offset in the literal, its length in bytes, the number of its key, and its kind.
struct till_slot {
    uint32_t offset;
    uint32_t count;
    int32_t number;
    int32_t kind;
};

/// The state of a walk.
struct till_walk {
    /// The position in the text.
    size_t position;
    /// The next literal: after `TILL_MISFIT` the one that differs, after `TILL_VALUE` the one after the value.
    size_t literal;
    /// The next slot.
    size_t slot;
    /// The number of members in `found`.
    size_t count;
};

enum till_step { TILL_MISFIT, TILL_DONE, TILL_VALUE };

/// Compares the text from `walk` on with the literals. Stops at the end of the template (`TILL_DONE`), at a literal that differs
/// (`TILL_MISFIT`), or at a value that the caller has to read (`TILL_VALUE`). After a value, the caller sets `walk->position` behind it
/// and calls again.
///
/// The text ends at `limit`, and 32 bytes behind it must be readable. `found` must have room for one member more than there are slots
/// and values. Uses the widest vectors of the processor.
enum till_step till_template_walk(const void *text, size_t limit, const struct till_literal *literals, const struct till_slot *slots,
                                 const void *blocks, struct till_member *found, struct till_walk *walk);

/// The same without special instructions.
enum till_step till_template_walk_baseline(const void *text, size_t limit, const struct till_literal *literals,
                                          const struct till_slot *slots, const void *blocks, struct till_member *found,
                                          struct till_walk *walk);

#endif
