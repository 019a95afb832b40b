import TillColumns
import TillCore
public import TillLedger

/// The sums of a closed partial, section by section: those of the ledger, and those of each report.
public struct SumSections {
    private let sections: [String: SumBytes]
    private let translation: TextTranslation

    init(_ sections: [String: SumBytes], _ translation: TextTranslation) {
        (self.sections, self.translation) = (sections, translation)
    }

    /// Passes a reader of a section to `body`.
    ///
    /// - Throws: if the section is missing, or `body` does not read all of it.
    public func read(
        _ name: String,
        within allowance: inout SumAllowance,
        _ body: (inout SumReader) throws -> Void
    ) throws {
        guard let section = sections[name] else {
            throw Finding("partial.missing-block", at: 0, "there are no sums of '\(name)'")
        }
        var reader = SumReader(section, translation, allowance)
        try body(&reader)
        try reader.finish()
        allowance = reader.allowance
    }
}

/// Writes the blocks of a closed partial behind its head.
public enum SumEncoding {
    /// The most bytes of a section in one block.
    private static let blockSize = 1 << 20

    /// Writes the data of a settled ledger besides transactions, then the sums of each section.
    ///
    /// - Parameter sections: names, each with a closure that passes the values of the section to a coder.
    public static func encode(
        _ ledger: borrowing SettledLedger,
        _ sections: [(name: String, visit: (inout SumWriter) throws -> Void)],
        _ write: (PartialBlock, [UInt8]) throws -> Void
    ) throws {
        var tallies = try ledger.tallies()
        var written: [(name: String, bytes: [UInt8])] = []
        for section in sections {
            let bytes = try SumWriter.bytes(ledger.reportedTexts, into: &tallies.texts, section.visit)
            written.append((section.name, bytes))
        }
        try tallies.encodeTexts(from: 0, write)
        try tallies.encodeTallies(write)
        for section in written {
            var rest = section.bytes[...]
            repeat {
                var writer = PartialWriter()
                writer.write(text: section.name)
                writer.write(written: Array(rest.prefix(blockSize)))
                rest = rest.dropFirst(blockSize)
                try write(.sums, writer.take())
            } while !rest.isEmpty
        }
    }
}
