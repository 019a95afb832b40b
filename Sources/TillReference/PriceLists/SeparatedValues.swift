import TillCore

/// The records of separated values, by RFC 4180 with the extensions of spreadsheets.
///
///     file   = [BOM] record *(break record) [break]      break = CRLF / LF / CR
///     record = cell *(separator cell)                    separator = "," / ";" / TAB
///     cell   = *text
///            / DQUOTE *(text / separator / break / 2DQUOTE) DQUOTE
///
/// The separator is the first one outside quotes in the first line that is not empty. Spaces around a cell are not part
/// of it. Empty cells at the end of a record are removed, because Excel writes them for some rows and not for others. A
/// record with only empty cells is skipped. A defect is noted in its record, and reading continues.
package struct SeparatedValues: Sequence, IteratorProtocol {
    package struct Record {
        /// The line on which the record starts, from 1.
        package var line: Int
        package var cells: [String] = []
        /// The defect: text that is not UTF-8, else the first one.
        package var defect: Defect?
    }

    package enum Defect: Sendable {
        case strayQuote
        case unclosedQuote
        case invalidUTF8
    }

    package let separator: UInt8
    private let bytes: [UInt8]
    private var position: Int
    private var line = 1
    /// The text of the quoted cell being read; a property, so that its memory is used again.
    private var unquoted: [UInt8] = []

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
        position = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        separator = Self.separator(in: bytes[position...])
    }

    package mutating func next() -> Record? {
        while position < bytes.count {
            let record = readRecord()
            if !record.cells.isEmpty { return record }
        }
        return nil
    }

    private static func separator(in bytes: ArraySlice<UInt8>) -> UInt8 {
        var isQuoted = false
        for byte in bytes.drop(while: { $0 == .lineFeed || $0 == .carriageReturn }) {
            switch byte {
            case .quote: isQuoted.toggle()
            case .comma where !isQuoted, .semicolon where !isQuoted, .tab where !isQuoted: return byte
            case .lineFeed where !isQuoted, .carriageReturn where !isQuoted: return .comma
            default: break
            }
        }
        return .comma
    }

    private mutating func readRecord() -> Record {
        var record = Record(line: line)
        repeat {
            while take(.space) {}
            record.cells.append(peek == .quote ? readQuoted(&record.defect) : readPlain(&record.defect))
        } while take(separator)
        takeBreak()
        while record.defect == nil, record.cells.last?.isEmpty == true { record.cells.removeLast() }
        return record
    }

    private mutating func readPlain(_ defect: inout Defect?) -> String {
        let start = position
        skipPlain(&defect)
        return text(bytes[start..<position], &defect)
    }

    private mutating func readQuoted(_ defect: inout Defect?) -> String {
        unquoted.removeAll(keepingCapacity: true)
        position += 1
        while true {
            let start = position
            while let byte = peek, byte != .quote {
                position += 1
                if byte == .lineFeed || byte == .carriageReturn && peek != .lineFeed { line += 1 }
            }
            unquoted += bytes[start..<position]
            guard take(.quote) else {
                defect = defect ?? .unclosedQuote
                break
            }
            guard take(.quote) else { break }
            unquoted.append(.quote)
        }
        let start = position
        skipPlain(&defect)
        if bytes[start..<position].contains(where: { $0 != .space }) {
            defect = defect ?? .strayQuote
            _ = text(bytes[start..<position], &defect)
        }
        return text(unquoted[...], &defect)
    }

    /// Goes to the end of the cell.
    private mutating func skipPlain(_ defect: inout Defect?) {
        while let byte = peek, byte != separator, byte != .lineFeed, byte != .carriageReturn {
            if byte == .quote { defect = defect ?? .strayQuote }
            position += 1
        }
    }

    private func text(_ bytes: ArraySlice<UInt8>, _ defect: inout Defect?) -> String {
        func isBlank(_ byte: UInt8) -> Bool { byte == .space || byte == .tab }
        var trimmed = bytes.drop(while: isBlank)
        while let last = trimmed.last, isBlank(last) { trimmed.removeLast() }
        guard let text = String(validInput: trimmed) else {
            defect = .invalidUTF8
            return String(input: trimmed)
        }
        return text
    }

    private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard peek == byte else { return false }
        position += 1
        return true
    }

    private mutating func takeBreak() {
        let isReturn = take(.carriageReturn)
        if take(.lineFeed) || isReturn { line += 1 }
    }
}

extension UInt8 {
    fileprivate static let tab = UInt8(ascii: "\t")
    fileprivate static let lineFeed = UInt8(ascii: "\n")
    fileprivate static let carriageReturn = UInt8(ascii: "\r")
    fileprivate static let space = UInt8(ascii: " ")
    fileprivate static let quote = UInt8(ascii: "\"")
    fileprivate static let comma = UInt8(ascii: ",")
    fileprivate static let semicolon = UInt8(ascii: ";")
}
