import Foundation
import Testing
import TillTestSupport

/// A reader predicts members from the objects that it has read. The predictions must not show in rows and rejects.
@Suite("Damaged documents after others")
struct ExperienceTests {
    /// The rows of the last document of a stream or its defect, without its place in the stream.
    private static func last(_ reading: Reading) -> [String] {
        let number = reading.documentCount - 1
        var last = reading
        for table in [\Reading.documents, \.transactions, \.renewals, \.events] {
            last[keyPath: table].removeAll { $0["document"] != "\(number)" }
        }
        return last.rowLines.dropFirst().map { $0.replacing(#"{"document":\#(number),"#, with: "{") }
            + reading.rejects.filter { $0.document == number }.map { "\($0.diagnostic) \($0.length)" }
    }

    @Test("A damaged response gives the same after others of its shape as alone", arguments: 0..<8)
    func ignoresOthers(part: Int) throws {
        let input = try Fixtures.bytes(CorpusTests.folder.appending(path: "responses-of-one-shape/input"))
        let start = try #require(input.dropLast().lastIndex(of: 0x0A)) + 1
        let document = Array(input[start...].dropLast())
        let damage = Array("\"\\,:{}[]0x \n\u{1}".utf8)
        for index in stride(from: part, to: document.count, by: 8) {
            var damaged = document
            damaged[index] = damage[index / 8 % damage.count]
            let alone = Self.last(Reading(damaged))
            let after = Self.last(Reading(Array(input[..<start]) + damaged))
            #expect(after == alone, "\(index): \(String(decoding: damaged, as: UTF8.self))")
            #expect(!alone.isEmpty || damaged[index] == 0x0A)
        }
    }
}
