import TillCore

/// One line with the ends of its cells.
struct AppleRow: ~Escapable {
    let bytes: RawSpan
    private let start: Int
    /// Relative to the start of the line.
    private let ends: Span<Int>

    @_lifetime(copy bytes, copy ends)
    init(bytes: RawSpan, start: Int, ends: Span<Int>) {
        self.bytes = bytes
        self.start = start
        self.ends = ends
    }

    /// The number of its cells.
    var count: Int { ends.count }

    var isEmpty: Bool { ends.count == 1 && cell(0).isEmpty }

    /// The bytes of a cell without spaces around it; empty if the row has no such cell.
    @inline(__always)
    func cell(_ index: Int) -> Range<Int> {
        guard index >= 0, index < ends.count else { return start..<start }
        return AppleCell.trimmed(bytes, start &+ (index == 0 ? 0 : ends[index &- 1] &+ 1), start &+ ends[index])
    }

    /// - Parameters:
    ///   - count: the cells of the header.
    ///   - isWhole: whether the line has its line end. Then empty cells at its end may be missing.
    func checkCells(_ count: Int, isWhole: Bool) throws(Finding) {
        guard ends.count <= count else {
            throw Finding("apple.cells", "\(ends.count) cells, but the header has \(count)")
        }
        guard isWhole || ends.count == count else {
            throw Finding("apple.cells", "the file ends within a row, \(ends.count) of \(count) cells")
        }
    }

    func isCapital(_ index: Int) -> Bool {
        (0x41...0x5A).contains(bytes.unsafeLoad(fromByteOffset: index, as: UInt8.self))
    }

    func isDigit(_ index: Int) -> Bool {
        (0x30...0x39).contains(bytes.unsafeLoad(fromByteOffset: index, as: UInt8.self))
    }

    func text(_ cell: Range<Int>) -> String {
        bytes.extracting(cell).withUnsafeBytes { String(input: $0) }
    }

    /// The text of a cell; `nil` where it is not UTF-8.
    func validText(_ cell: Range<Int>) -> String? {
        bytes.extracting(cell).withUnsafeBytes { String(validInput: $0) }
    }

    func excerpt(_ cell: Range<Int>) -> String { Finding.excerpt(text(cell)) }
}
