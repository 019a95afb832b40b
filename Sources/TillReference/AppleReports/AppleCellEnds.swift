/// The ends of the cells of a line, relative to its start: at each TAB, and at the LF.
struct AppleCellEnds {
    /// The ends; only the first ones belong to the current line.
    private var places = Array(repeating: 0, count: 64)
    private var count = 0

    /// The ends of the line that was found last.
    var span: Span<Int> {
        @_lifetime(borrow self)
        get { places.span.extracting(first: count) }
    }

    private enum Scan {
        case end(Int)
        case noEnd, noRoom
    }

    /// Finds the end of the line that begins at `start` and the ends of its cells; `nil` where the bytes end before.
    mutating func find(in bytes: RawSpan, from start: Int) -> Int? {
        while true {
            switch scan(bytes, from: start) {
            case .end(let place): return place
            case .noEnd: return nil
            case .noRoom: places += places
            }
        }
    }

    /// Ends the last cell of a line without LF.
    mutating func append(_ place: Int) {
        if count == places.count { places += places }
        places[count] = place
        count += 1
    }

    /// Tests eight bytes at a time: the highest bit of each TAB or LF is set.
    private mutating func scan(_ bytes: RawSpan, from start: Int) -> Scan {
        var position = start
        var found = 0
        var room = places.mutableSpan
        while position &+ 8 <= bytes.byteCount {
            guard found &+ 8 <= room.count else { return .noRoom }
            let word = bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: position, as: UInt64.self)
            let ends = Self.ends(in: word)
            // Of the two, LF alone has the second bit.
            let lines = ends & (word &<< 6)
            // Cells of the next line are omitted.
            var tabs = lines == 0 ? ends : ends & ((lines & (0 &- lines)) &- 1)
            while tabs != 0 {
                room[found] = position &- start &+ tabs.trailingZeroBitCount &>> 3
                found &+= 1
                tabs &= tabs &- 1
            }
            if lines != 0 {
                let place = position &+ lines.trailingZeroBitCount &>> 3
                room[found] = place &- start
                count = found &+ 1
                return .end(place)
            }
            position &+= 8
        }
        guard found &+ 8 <= room.count else { return .noRoom }
        while position < bytes.byteCount {
            let next = bytes.unsafeLoad(fromByteOffset: position, as: UInt8.self)
            if next == 0x09 || next == 0x0A {
                room[found] = position &- start
                found &+= 1
            }
            if next == 0x0A {
                count = found
                return .end(position)
            }
            position &+= 1
        }
        count = found
        return .noEnd
    }

    /// The bytes of `word` that are TAB (0x09) or LF (0x0A), each as 0x80.
    ///
    /// To the low seven bits of each byte 0x77 is added, which reaches 0x80 from 0x09 on, and 0x75, which does from
    /// 0x0B on; no sum carries into the next byte.
    @inline(__always)
    private static func ends(in word: UInt64) -> UInt64 {
        let low = word & 0x7F7F_7F7F_7F7F_7F7F
        let isFromTab = low &+ 0x7777_7777_7777_7777
        let isPastLine = low &+ 0x7575_7575_7575_7575
        return isFromTab & ~isPastLine & ~word & 0x8080_8080_8080_8080
    }
}
