import CKernels

/// What objects of one shape have in common, to be laid over the next one and read it at a glance.
///
///     {"quantity":"1","product_id":"coins","transaction_id":"170708311412375","is_trial_period":"false"}
///     {"quantity":"·","product_id":       ,"transaction_id":"···············","is_trial_period":       }
///     └──────── strip ────────────┘└ gap ┘└────────────────── strip ──────────────────────────┘└ gap ┘└┘
///
/// A strip is text that stands in every such object, with holes for strings that have had one length so far: any plain
/// bytes fit them. A gap is a value that is read by itself. A strip is compared 32 bytes at a time, however many members
/// it holds (`StencilWalk.h` of ``CKernels``).
///
/// What fits is valid JSON: the strips are text that was read as such, and the holes hold what may stand in a string.
///
/// A class, for it is laid over objects while the reader that keeps it changes.
final class ObjectStencil: Sendable {
    private let strips: [till_strip]
    private let holes: [till_hole]
    private let blocks: [UInt8]
    /// Whether the object ends with the stencil.
    let isWhole: Bool
    /// Bytes at the end that are only looked at: they belong to a member that is an object or array.
    private let lookahead: Int
    private let hasNewline: Bool

    /// Cuts a stencil.
    ///
    /// - Parameter isRead: by number of the key, whether anybody asks for its members.
    init(_ shape: ObjectShape, isRead: [Bool]) {
        var cutting = Cutting()
        for (member, connective) in shape.connectives.enumerated() {
            cutting.append(connective)
            guard member < shape.numbers.count else { break }
            let number = shape.numbers[member]
            let asked = number >= 0 && isRead[number] ? number : nil
            switch shape.values[member] {
            case .string(let count):
                cutting.append([0x22])
                cutting.appendHole(count, number: asked)
                cutting.append([0x22])
            case .constant(let kind, let text): cutting.append(text, number: asked, kind: kind)
            case .anything: cutting.endStrip(gap: asked.map(Int32.init) ?? TILL_STENCIL_PASSED)
            }
        }
        cutting.endStrip(gap: TILL_STENCIL_END)
        (strips, holes, blocks) = (cutting.strips, cutting.holes, cutting.blocks)
        isWhole = shape.isWhole
        lookahead = shape.isWhole ? 0 : shape.connectives.last?.count ?? 0
        hasNewline = shape.connectives.contains { $0.contains(0x0A) }
    }

    /// A stencil while it is made.
    private struct Cutting {
        var strips: [till_strip] = []
        var holes: [till_hole] = []
        var blocks: [UInt8] = []
        /// The strip at hand: its text, 0 in holes, and whether a byte is of a hole.
        private var text: [UInt8] = []
        private var isPlain: [Bool] = []

        /// Appends text that always stands there; with a number, it is the value of a member.
        mutating func append(_ constant: [UInt8], number: Int? = nil, kind: JSONToken.Kind = .null) {
            tell(constant.count, number, kind)
            text += constant
            isPlain += repeatElement(false, count: constant.count)
        }

        /// Appends a string of `count` plain bytes.
        mutating func appendHole(_ count: Int, number: Int?) {
            tell(count, number, .string)
            text += repeatElement(0, count: count)
            isPlain += repeatElement(true, count: count)
        }

        private mutating func tell(_ count: Int, _ number: Int?, _ kind: JSONToken.Kind) {
            guard let number else { return }
            holes.append(
                till_hole(
                    offset: UInt32(text.count),
                    count: UInt32(count),
                    number: Int32(number),
                    kind: Int32(kind.rawValue)
                )
            )
        }

        mutating func endStrip(gap: Int32) {
            strips.append(
                till_strip(
                    first_byte_of_blocks: UInt32(blocks.count),
                    count: UInt32(text.count),
                    end_of_holes: UInt32(holes.count),
                    gap: gap
                )
            )
            let width = Int(TILL_STENCIL_WIDTH)
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

    /// Where a walk begins.
    static func begin(at position: Int) -> till_walk {
        till_walk(position: position, strip: 0, hole: 0, count: 0)
    }

    /// How many of the first strips, with what is in and behind them, are those of another stencil. A walk that has come
    /// so far with one can go on with the other.
    func sharedStrips(with other: ObjectStencil) -> Int {
        zip(strips.indices, other.strips.indices).prefix { mine, theirs in self[mine] == other[theirs] }.count
    }

    /// A strip as one sequence of bytes, with all that is in and behind it.
    private subscript(_ index: Int) -> [UInt8] {
        let firstHole = index == 0 ? 0 : Int(strips[index - 1].end_of_holes)
        var bytes = Array(blocks[Int(strips[index].first_byte_of_blocks)..<endOfBlocks(index)])
        withUnsafeBytes(of: strips[index]) { bytes += $0 }
        for hole in holes[firstHole..<Int(strips[index].end_of_holes)] { withUnsafeBytes(of: hole) { bytes += $0 } }
        return bytes
    }

    private func endOfBlocks(_ index: Int) -> Int {
        index + 1 < strips.count ? Int(strips[index + 1].first_byte_of_blocks) : blocks.count
    }

    /// Reads members from where `walk` is into `found`, those only that somebody asks for; the cursor is then behind them
    /// all. Where the object does not fit, `false`: another stencil may go on with the walk, and the cursor is anywhere.
    ///
    /// - Parameters:
    ///   - start: where the object begins.
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
            switch lay(over: cursor.bytes, limit: cursor.limit, &found, &walk) {
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
                let gap = strips[walk.strip - 1].gap
                guard gap >= 0 else { continue }
                found[walk.count] = till_member(
                    number: gap,
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

    /// Walks on. The text has ``JSONCursor/padding`` bytes behind its limit, as the cursor has made sure; what is found is
    /// at most one member for each of the shape's.
    @inline(__always)
    private func lay(
        over bytes: RawSpan,
        limit: Int,
        _ found: inout [till_member],
        _ walk: inout till_walk
    ) -> till_step {
        bytes.withUnsafeBytes { text in
            found.withUnsafeMutableBufferPointer { found in
                till_stencil_walk(text.baseAddress, limit, strips, holes, blocks, found.baseAddress, &walk)
            }
        }
    }
}
