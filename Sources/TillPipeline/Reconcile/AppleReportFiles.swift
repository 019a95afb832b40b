import TillCore
import TillInput
import TillPricing
import TillReference
import TillReports

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The files of Apple's reports that a run reads, several at a time.
struct AppleReportFiles {
    let files: [InputFile]
    /// Files that are read at once.
    let jobs: Int
    /// How much a compressed file may inflate to.
    let limit: InflationLimit

    /// Reads all files and adds them up in the order in which they were named, however many are read at once.
    ///
    /// - Throws: ``RunError`` if a report cannot be read, or covers the same data as another.
    func read(_ selection: DaySelection) async throws -> AppleFigures {
        var figures = AppleFigures(selection)
        try await withThrowingTaskGroup(of: (Int, Result<AppleReportContents, any Error>).self) { group in
            var next = 0
            func start() {
                guard next < files.count else { return }
                let (number, file, limit) = (next, files[next], limit)
                group.addTask { (number, Result { try Self.read(file, limit) }) }
                next += 1
            }
            for _ in 0..<max(1, jobs) { start() }
            // Reports that were read before an earlier one.
            var waiting: [Int: Result<AppleReportContents, any Error>] = [:]
            var added = 0
            var used = UsedFiles()
            while let (number, result) = try await group.next() {
                waiting[number] = result
                // The next file begins only when a slot is free, so few reports are in memory.
                while let result = waiting.removeValue(forKey: added) {
                    try add(result, of: files[added], &used, to: &figures)
                    added += 1
                }
                while next < files.count, next - added < max(1, jobs) * 2, next - added - waiting.count < max(1, jobs) {
                    start()
                }
            }
        }
        figures.finish()
        return figures
    }

    /// The files that the figures have, in the order of theirs.
    private struct UsedFiles {
        var sales: [InputFile] = []
        var subscriptions: [InputFile] = []
    }

    private func add(
        _ result: Result<AppleReportContents, any Error>,
        of file: InputFile,
        _ used: inout UsedFiles,
        to figures: inout AppleFigures
    ) throws {
        do {
            let earlier = used
            switch try result.get() {
            case .sales(let report):
                try figures.add(report) { try isSame(earlier.sales[$0], file) }
                used.sales.append(file)
            case .subscriptions(let report):
                try figures.add(report) { try isSame(earlier.subscriptions[$0], file) }
                used.subscriptions.append(file)
            }
        } catch let error as Finding where error.cause == .defect {
            throw RunError(.dataError, "\(error.reason) [\(error.code)]")
        }
    }

    /// Reads one report; a file that is damaged is an error of its data.
    private static func read(_ file: InputFile, _ limit: InflationLimit) throws -> AppleReportContents {
        do {
            let input = try InputReader(file, limit: limit)
            var reader = AppleReportReader(name: file.name)
            try readAll(input, into: &reader)
            return try reader.finish()
        } catch let error as Finding where error.cause == .damaged {
            throw RunError(.dataError, error.description)
        }
    }

    private static let chunkSize = 1 << 18

    private static func readAll(_ input: InputReader, into reader: inout AppleReportReader) throws {
        // A line that is not whole stays at the beginning of the buffer for the next chunk.
        let capacity = AppleReportReader.longestLine + chunkSize
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 64)
        defer { buffer.deallocate() }
        var kept = 0
        while true {
            guard !Interruption.isRequested else {
                throw Finding(.interrupted, source: input.name, reason: "interrupted")
            }
            let room = UnsafeMutableRawBufferPointer(rebasing: buffer[kept..<min(kept + chunkSize, capacity)])
            let got = try input.read(into: room)
            let isLast = got < room.count
            let count = kept + got
            let bytes = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<count])
            let used = try reader.read(RawSpan(_unsafeBytes: bytes), isLast: isLast)
            if isLast { return }
            kept = count - used
            if kept > 0, used > 0, let base = buffer.baseAddress { memmove(base, base + used, kept) }
        }
    }

    /// Whether two files have the same bytes, decompressed. Standard input can be read only once, and is the same as
    /// nothing.
    private func isSame(_ left: InputFile, _ right: InputFile) throws -> Bool {
        guard left.size != nil, right.size != nil else { return false }
        let (one, other) = (try InputReader(left, limit: limit), try InputReader(right, limit: limit))
        var (first, second) = ([UInt8](repeating: 0, count: 1 << 16), [UInt8](repeating: 0, count: 1 << 16))
        while true {
            let count = try first.withUnsafeMutableBytes { try one.read(into: $0) }
            let otherCount = try second.withUnsafeMutableBytes { try other.read(into: $0) }
            guard count == otherCount, first[..<count] == second[..<count] else { return false }
            if count < first.count { return true }
        }
    }
}
