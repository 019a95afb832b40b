import Foundation
import Testing
import TillTestSupport

/// Quirks of real receipts, by their numbers in `docs/quirks.md`. Quirks of a single format are in the tests of that
/// format.
@Suite("Quirks")
struct QuirkTests {
    @Test("A document with a quirk gives what it holds", arguments: ReceiptQuirks.cases + ResponseQuirks.cases)
    func reads(_ quirk: QuirkCase) {
        let reading = Reading(quirk.bytes)
        #expect(reading.rejects.map(\.code) == quirk.rejects, "\(quirk.title)")
        compare(reading.transactions, quirk.transactions, "transactions of \(quirk.title)")
        compare(reading.renewals, quirk.renewals, "renewals of \(quirk.title)")
        compare(reading.events, quirk.events, "events of \(quirk.title)")
        if let documents = quirk.documents { compare(reading.documents, documents, "documents of \(quirk.title)") }
        #expect(reading.consumed == quirk.bytes.count, "\(quirk.title)")
    }

    private func compare(_ rows: [Reading.Row], _ expected: [QuirkCase.Row], _ what: String) {
        #expect(rows.count == expected.count, "\(what)")
        for (number, (row, expected)) in zip(rows, expected).enumerated() {
            for (column, value) in expected {
                #expect(row[column] ?? "" == value, "\(what): row \(number), \(column)")
            }
        }
    }
}

/// Every quirk of the page has a test that names it, or the page says why not.
@Suite("The account of the quirks")
struct QuirkAccountTests {
    @Test("Every quirk is named by a test, or the page says why not")
    func isComplete() throws {
        let listed = try QuirkAccount.listed()
        #expect(listed == Set(1...83))
        let named = try QuirkAccount.named()
        #expect(listed.subtracting(named).sorted() == [])
        #expect(named.subtracting(listed).sorted() == [], "numbers that the page does not have")
    }
}

private enum QuirkAccount {
    private static let page = Fixtures.package.appending(path: "docs/quirks.md")

    /// Numbers of the rows of the page's tables: `| 8 | …`.
    static func listed() throws -> Set<Int> {
        let text = try String(contentsOf: page, encoding: .utf8)
        return Set(
            text.split(separator: "\n").compactMap { $0.prefixMatch(of: #/\| (\d+) \|/#).flatMap { Int($0.1) } }
        )
    }

    /// Numbers in the names of tests and of cases, and in the page's last section: `Quirk 8`, `quirks 70, 71`,
    /// `Quirks 75 to 81`.
    static func named() throws -> Set<Int> {
        let tests = Fixtures.files(below: Fixtures.package.appending(path: "Tests")).filter {
            $0.pathExtension == "swift"
        }
        var numbers: Set<Int> = []
        for file in tests where file.lastPathComponent != "QuirkTests.swift" {
            for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            where line.contains("\"") && !line.contains("//") {
                numbers.formUnion(Self.numbers(in: line))
            }
        }
        let text = try String(contentsOf: page, encoding: .utf8)
        let section = try #require(text.firstRange(of: "## Without a test"))
        return numbers.union(Self.numbers(in: text[section.lowerBound...]))
    }

    private static func numbers(in text: Substring) -> Set<Int> {
        var numbers: Set<Int> = []
        for match in text.matches(of: #/[Qq]uirks? (\d+(?:(?:, | and | to )\d+)*)/#) {
            var last: Int?
            for part in match.1.split(separator: " ") {
                if part == "and" { continue }
                if part == "to" { continue }
                guard let number = Int(part.trimmingCharacters(in: [","])) else { continue }
                if let last, match.1.contains("\(last) to \(number)") { numbers.formUnion(last...number) }
                numbers.insert(number)
                last = number
            }
        }
        return numbers
    }
}
