import Foundation
import Testing

/// Compares `bytes` with a file of the folder Golden.
///
/// With `TILLROLL_RECORD=1` in the environment the file is written instead, and the test fails, so that nobody records
/// by accident.
func expectGolden(_ bytes: [UInt8], _ name: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Golden")
    let file = folder.appending(path: name)
    if ProcessInfo.processInfo.environment["TILLROLL_RECORD"] == "1" {
        try Data(bytes).write(to: file)
        Issue.record("Recorded Golden/\(name)", sourceLocation: sourceLocation)
        return
    }
    let expected = try Array(Data(contentsOf: file))
    // Lines make a readable difference; bytes also tell apart what Unicode holds to be equal.
    #expect(lines(bytes) == lines(expected), "Golden/\(name)", sourceLocation: sourceLocation)
    #expect(bytes == expected, "Golden/\(name)", sourceLocation: sourceLocation)
}

private func lines(_ bytes: [UInt8]) -> [Substring] {
    String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
}
