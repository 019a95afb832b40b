import Synchronization
public import TillStorage

/// Files that are none: what is written stays in memory.
public final class MemoryStore: SpillStore {
    private let made = Mutex(0)

    public init() {}

    /// How many files were asked for.
    public var fileCount: Int { made.withLock { $0 } }

    public func makeFile() -> any SpillFile {
        made.withLock { $0 += 1 }
        return File()
    }

    private final class File: SpillFile {
        private let bytes = Mutex<[UInt8]>([])

        func write(_ new: [UInt8], at offset: Int) throws {
            try bytes.withLock { bytes in
                guard offset == bytes.count else { throw NotAtTheEnd(offset: offset) }
                bytes += new
            }
        }

        func read(_ count: Int, at offset: Int) -> [UInt8] {
            bytes.withLock { Array($0[offset..<offset + count]) }
        }
    }

    private struct NotAtTheEnd: Error {
        var offset: Int
    }
}
