import ArgumentParser
import TillPipeline
import TillStorage

/// The memory for the data of a report.
enum MemoryFlag: DeclaredFlag, FlagSection, CaseIterable {
    case memory

    typealias Flag = Self

    var entry: FlagEntry {
        FlagEntry(
            "memory",
            valueName: "size",
            help:
                "Memory for the data of a report, such as 256M; more data goes to temporary files in TMPDIR (default: "
                + "half of the memory that machine, container and ulimit allow; at least 1M)."
        )
    }

    static func check(_ flags: Flags<Self>) throws {
        try check(flags[.memory])
    }

    static func check(_ memory: String?) throws {
        guard let memory else { return }
        guard ByteSize(memory) != nil else {
            throw ValidationError("--memory takes a size such as 256M or 4G, not '\(memory)'.")
        }
    }

    static func allowance(_ memory: String?) -> MemoryAllowance? {
        let bytes = memory.flatMap { ByteSize($0)?.bytes } ?? MemoryLimit.forReports
        return bytes.map { MemoryAllowance(bytes: $0, store: TemporaryFiles()) }
    }
}
