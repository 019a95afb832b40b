import Foundation
import Testing

/// Compares `bytes` with a file of this target's folder Golden.
///
/// With `TILLROLL_RECORD=1` in the environment a file that differs is written instead. The test then fails, so that
/// nobody records by accident.
func expectGolden(_ bytes: [UInt8], _ name: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Golden/\(name)")
    let expected = (try? Array(Data(contentsOf: file))) ?? []
    if ProcessInfo.processInfo.environment["TILLROLL_RECORD"] == "1" {
        guard bytes != expected else { return }
        try Data(bytes).write(to: file)
        Issue.record("recorded Golden/\(name); run again without TILLROLL_RECORD", sourceLocation: sourceLocation)
        return
    }
    let lines = [bytes, expected].map { String(decoding: $0, as: UTF8.self).split(separator: "\n") }
    #expect(lines[0] == lines[1], "Golden/\(name)", sourceLocation: sourceLocation)
}
