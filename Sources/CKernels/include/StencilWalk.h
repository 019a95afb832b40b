#ifndef TILLROLL_STENCIL_WALK_H
#define TILLROLL_STENCIL_WALK_H

// Reads a JSON object that looks like others before it.
//
//     text      { " q u a n t i t y " : " 3 " , " p r o d u c t _ i d " : " c o i n s . 1 0 0 " , " …
//     wanted    { " q u a n t i t y " : "   " , " p r o d u c t _ i d " : └────── gap ────────┘ , " …    0 where any byte may stand
//     fixed     F F F F F F F F F F F F F 0 F F F F F F F F F F F F F F F                       F F …    bits of the text that count
//     plain     0 0 0 0 0 0 0 0 0 0 0 0 0 F 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0                       0 0 …    where a byte of a string may stand
//               └────────────────────── strip ───────────────────────────┘                     └ strip …
//
// A strip is compared 32 bytes at a time. A block is 32 bytes of `wanted`, of `fixed` and of `plain`, one behind the other; where a
// strip ends within its last block all three are 0, and the bytes of the text there are of no consequence (but are read).
// In a gap stands any value: a short plain string and a short scalar (PlainValueReading.h) are read here, everything else
// by who called.

#include <stddef.h>
#include <stdint.h>

#include "PlainValue.h"

/// Bytes of text in a block.
#define TILL_STENCIL_WIDTH 32
/// Bytes of a block.
#define TILL_STENCIL_BLOCK (3 * TILL_STENCIL_WIDTH)

/// The gap behind the last strip, and one whose value nobody asks for.
#define TILL_STENCIL_END (-2)
#define TILL_STENCIL_PASSED (-1)

/// A stretch of text, and the gap behind it: the number of its value's key, or one of the above.
struct till_strip {
    uint32_t first_byte_of_blocks;
    uint32_t count;
    uint32_t end_of_holes;
    int32_t gap;
};

/// A value within a strip that is asked for: where it begins in the strip, how long it is, its key and its kind.
struct till_hole {
    uint32_t offset;
    uint32_t count;
    int32_t number;
    int32_t kind;
};

/// Where a walk is.
struct till_walk {
    /// In the text.
    size_t position;
    /// The strip that comes next: that which did not fit; where a value is wanted, the one behind it.
    size_t strip;
    /// The hole that comes next.
    size_t hole;
    /// Members found.
    size_t count;
};

enum till_step { TILL_MISFIT, TILL_DONE, TILL_VALUE };

/// Lays strips over the text from where `walk` is, up to the end (`TILL_DONE`), to a text that is another (`TILL_MISFIT`), or to a
/// gap with a value that is read elsewhere (`TILL_VALUE`): who does so sets `walk->position` behind it and calls again.
///
/// The text ends at `limit`, behind which 32 more bytes can be read. `found` has room for as many members as there are holes
/// and gaps. Takes the widest vectors that the processor has.
enum till_step till_stencil_walk(const void *text, size_t limit, const struct till_strip *strips, const struct till_hole *holes,
                                 const void *blocks, struct till_member *found, struct till_walk *walk);

/// The same with what every processor has.
enum till_step till_stencil_walk_baseline(const void *text, size_t limit, const struct till_strip *strips,
                                          const struct till_hole *holes, const void *blocks, struct till_member *found,
                                          struct till_walk *walk);

#endif
