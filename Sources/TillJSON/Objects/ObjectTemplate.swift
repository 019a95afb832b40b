import CKernels

/// A template of objects of one shape: an object that fits is read by comparing it with the template.
///
///     {"quantity":"1","product_id":"coins","transaction_id":"170708311412375","is_trial_period":"false"}
///     {"quantity":"·","product_id":       ,"transaction_id":"···············","is_trial_period":       }
///     └────── literal ───────────┘└ value ┘└─────────────── literal ─────────────────────────┘└ value ┘└┘
///
/// A literal is text that all objects of the shape have. It has slots for strings that had the same length in all
/// objects so far; any plain bytes fit a slot. Between two literals is a free value, which is read by itself. Literals
/// are compared 32 bytes at a time, however many members they hold (`TemplateWalk.h` of ``CKernels``).
///
/// An object that fits is valid JSON: the literals were validated when the first object was read, and slots hold only
/// bytes that may stand in a string.
///
/// A class: the reader that owns it changes while it is compared with an object, and a struct would be copied.
final class ObjectTemplate: Sendable {
    private let literals: [till_literal]
    private let slots: [till_slot]
    private let blocks: [UInt8]
    /// Whether the object ends where the template does.
    let isWhole: Bool
    /// Bytes at the end that are compared but not consumed: they belong to a member that is an object or array.
    private let lookahead: Int
    private let hasNewline: Bool

    /// Makes the template of a shape.
    ///
    /// - Parameter isRead: by number of the key plus one, whether its members are read.
    init(_ shape: ObjectShape, isRead: [Bool]) {
        var builder = Builder()
        for (member, connective) in shape.connectives.enumerated() {
            builder.append(connective)
            guard member < shape.numbers.count else { break }
            let number = shape.numbers[member]
            let key = isRead[number + 1] ? number : nil
            switch shape.values[member] {
            case .string(let count):
                builder.append([0x22])
                builder.appendSlot(count, number: key)
                builder.append([0x22])
            case .constant(let kind, let text): builder.append(text, number: key, kind: kind)
            case .anything: builder.endLiteral(valueKey: key.map(Int32.init) ?? TILL_TEMPLATE_SKIPPED)
            }
        }
        builder.endLiteral(valueKey: TILL_TEMPLATE_END)
        (literals, slots, blocks) = (builder.literals, builder.slots, builder.blocks)
        isWhole = shape.isWhole
        lookahead = shape.isWhole ? 0 : shape.connectives.last?.count ?? 0
        hasNewline = shape.connectives.contains { $0.contains(0x0A) }
    }

    /// Collects literals.
    private struct Builder {
        var literals: [till_literal] = []
        var slots: [till_slot] = []
        var blocks: [UInt8] = []
        /// The current literal: its text, 0 in slots, and whether a byte belongs to a slot.
        private var text: [UInt8] = []
        private var isPlain: [Bool] = []

        /// Appends text that all objects have; with a number, it is the value of a member.
        mutating func append(_ constant: [UInt8], number: Int? = nil, kind: JSONToken.Kind = .null) {
            appendValue(constant.count, number, kind)
            text += constant
            isPlain += repeatElement(false, count: constant.count)
        }

        /// Appends a string of `count` plain bytes.
        mutating func appendSlot(_ count: Int, number: Int?) {
            appendValue(count, number, .string)
            text += repeatElement(0, count: count)
            isPlain += repeatElement(true, count: count)
        }

        private mutating func appendValue(_ count: Int, _ number: Int?, _ kind: JSONToken.Kind) {
            guard let number else { return }
            slots.append(
                till_slot(
                    offset: UInt32(text.count),
                    count: UInt32(count),
                    number: Int32(number),
                    kind: Int32(kind.rawValue)
                )
            )
        }

        mutating func endLiteral(valueKey: Int32) {
            literals.append(
                till_literal(
                    first_block_byte: UInt32(blocks.count),
                    count: UInt32(text.count),
                    end_of_slots: UInt32(slots.count),
                    value_key: valueKey
                )
            )
            let width = Int(TILL_TEMPLATE_WIDTH)
            for start in stride(from: 0, to: text.count, by: width) {
                let part = start..<min(start + width, text.count)
                let padding = repeatElement(UInt8(0), count: width - part.count)
                blocks += text[part] + padding
                blocks += isPlain[part].map { $0 ? 0 : 0xFF } + padding
                blocks += isPlain[part].map { $0 ? 0xFF : 0 } + padding
            }
            (text, isPlain) = ([], [])
        }
    }

    /// The beginning of a walk.
    static func begin(at position: Int) -> till_walk {
        till_walk(position: position, literal: 0, slot: 0, count: 0)
    }

    /// The number of first literals, with their slots and values, in common with another template. A walk that came so
    /// far with one template can continue with the other.
    func sharedLiterals(with other: ObjectTemplate) -> Int {
        zip(literals.indices, other.literals.indices).prefix { mine, theirs in self[mine] == other[theirs] }.count
    }

    /// A literal as one sequence of bytes, with its slots and the key of the value behind it.
    private subscript(_ index: Int) -> [UInt8] {
        let firstSlot = index == 0 ? 0 : Int(literals[index - 1].end_of_slots)
        var bytes = Array(blocks[Int(literals[index].first_block_byte)..<endOfBlocks(index)])
        withUnsafeBytes(of: literals[index]) { bytes += $0 }
        for slot in slots[firstSlot..<Int(literals[index].end_of_slots)] { withUnsafeBytes(of: slot) { bytes += $0 } }
        return bytes
    }

    private func endOfBlocks(_ index: Int) -> Int {
        index + 1 < literals.count ? Int(literals[index + 1].first_block_byte) : blocks.count
    }

    /// Reads members from `walk` on into `found`, without those that are not read; the cursor then stands behind all of
    /// them. `false` where the object does not fit: another template may continue the walk, and the position of the
    /// cursor has no meaning.
    ///
    /// - Parameters:
    ///   - start: the start of the object.
    ///   - found: has room for one more than ``ObjectShape/mostMembers``.
    @_lifetime(cursor: copy cursor)
    func fit(
        _ cursor: inout JSONCursor,
        from start: Int,
        into found: inout [till_member],
        _ walk: inout till_walk
    ) -> Bool {
        precondition(found.count > ObjectShape.mostMembers && walk.position <= cursor.limit)
        while true {
            switch compare(cursor.bytes, limit: cursor.limit, &found, &walk) {
            case TILL_DONE:
                cursor.position = walk.position - lookahead
                if hasNewline { cursor.sawNewline = true }
                return true
            case TILL_VALUE:
                cursor.position = walk.position
                guard let token = try? cursor.token(), !token.isContainer else {
                    walk = Self.begin(at: start)
                    return false
                }
                walk.position = cursor.position
                let key = literals[walk.literal - 1].value_key
                guard key != TILL_TEMPLATE_SKIPPED else { continue }
                found[walk.count] = till_member(
                    number: key,
                    kind: token.kind.rawValue,
                    has_escapes: token.hasEscapes ? 1 : 0,
                    start: Int64(token.start),
                    end: Int64(token.end)
                )
                walk.count += 1
            default: return false
            }
        }
    }

    /// Compares on. The cursor has made sure that ``JSONCursor/padding`` bytes follow the limit; at most one member is
    /// found for each of the shape.
    @inline(__always)
    private func compare(
        _ bytes: RawSpan,
        limit: Int,
        _ found: inout [till_member],
        _ walk: inout till_walk
    ) -> till_step {
        bytes.withUnsafeBytes { text in
            found.withUnsafeMutableBufferPointer { found in
                till_template_walk(text.baseAddress, limit, literals, slots, blocks, found.baseAddress, &walk)
            }
        }
    }
}
