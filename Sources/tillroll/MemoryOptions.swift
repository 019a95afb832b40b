import ArgumentParser
import TillPipeline
import TillStorage

/// How much memory the transactions of a report may take.
struct MemoryOptions: ParsableArguments {
    static let help = ArgumentHelp(
        "Memory for what a report keeps, such as 256M; the rest goes to files in TMPDIR that are gone afterwards "
            + "(default: half of what the machine, the container and ulimit allow; at least 1M is taken).",
        valueName: "size"
    )

    @Option(help: Self.help)
    var memory: String?

    func validate() throws {
        try Self.check(memory)
    }

    var allowance: MemoryAllowance? { Self.allowance(memory) }

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
