import TillStorage

/// The lines for the answers to a receipt, which wait until all earlier ones are written; long ones wait in a temporary
/// file.
enum AnswerLines: Sendable {
    case inMemory([UInt8])
    case inFile(any SpillFile, count: Int)

    private static let blockSize = 1 << 20

    /// - Parameter longestInMemory: bytes of the longest lines that stay in memory.
    init(_ lines: [UInt8], longestInMemory: Int) throws {
        guard lines.count > longestInMemory else {
            self = .inMemory(lines)
            return
        }
        let file = try TemporaryFiles().makeFile()
        try file.write(lines, at: 0)
        self = .inFile(file, count: lines.count)
    }

    /// Gives the lines in blocks.
    func forEachBlock(_ body: ([UInt8]) throws -> Void) throws {
        switch self {
        case .inMemory(let lines): try body(lines)
        case .inFile(let file, let count):
            for start in stride(from: 0, to: count, by: Self.blockSize) {
                try body(file.read(min(Self.blockSize, count - start), at: start))
            }
        }
    }
}
