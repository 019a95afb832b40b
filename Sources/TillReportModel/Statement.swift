/// A sentence of the opening of a report, for people.
///
/// It has words and typed cells, so that a figure in it has the same digits as in the tables.
public struct Statement: Hashable, Sendable {
    public enum Part: Hashable, Sendable {
        case words(String)
        case cell(Cell)
    }

    public enum Weight: Hashable, Sendable {
        /// What a reader must not miss.
        case headline
        /// Belongs to the headline above it.
        case detail
    }

    public enum Tone: Hashable, Sendable {
        case plain
        /// Something is wrong now.
        case alarm
        /// A person has to look at something.
        case warning
    }

    public var parts: [Part]
    public var weight: Weight
    public var tone: Tone
    /// The first words of a command that shows more.
    public var program: String?
    /// What belongs behind ``program``, in this order.
    public var operands: [Operand] = []

    /// The command as one line for a shell, without the files that it may take.
    public var command: String? {
        guard let program else { return nil }
        let words = operands.compactMap { if case .words(let words) = $0 { words } else { nil } }
        return ([program] + words).joined(separator: " ")
    }

    /// A part of a command line.
    public enum Operand: Hashable, Sendable {
        /// Words that hold whatever was read.
        case words(String)
        /// The price list.
        case prices
        /// What was read, each behind a flag that it needs.
        case inputs(flag: String?)
    }

    public init(_ sentence: Sentence, weight: Weight = .headline, tone: Tone = .plain, command: String? = nil) {
        parts = sentence.parts
        self.weight = weight
        self.tone = tone
        program = command
    }

    /// Words with cells in them: `"\(.count(34)) failures"`.
    public struct Sentence: ExpressibleByStringInterpolation, Sendable {
        public struct StringInterpolation: StringInterpolationProtocol, Sendable {
            var parts: [Part] = []

            public init(literalCapacity: Int, interpolationCount: Int) {}

            public mutating func appendLiteral(_ literal: String) { appendInterpolation(literal) }

            public mutating func appendInterpolation(_ words: String) {
                if !words.isEmpty { parts.append(.words(words)) }
            }

            public mutating func appendInterpolation(_ sentence: Sentence) { parts += sentence.parts }

            public mutating func appendInterpolation(_ cell: Cell) { parts.append(.cell(cell)) }
        }

        let parts: [Part]

        public init(stringLiteral words: String) { parts = words.isEmpty ? [] : [.words(words)] }

        public init(stringInterpolation: StringInterpolation) { parts = stringInterpolation.parts }
    }
}

/// A record within a cell, such as one cause of an incident.
public struct CellRecord: Hashable, Sendable {
    public struct Member: Hashable, Sendable {
        /// The member of the JSON object.
        public var name: String
        /// Not another record.
        public var cell: Cell

        public init(_ name: String, _ cell: Cell) {
            self.name = name
            self.cell = cell
        }
    }

    public var members: [Member]
    /// The record as formats without objects show it.
    public var text: String

    public init(_ members: [Member], text: String) {
        self.members = members
        self.text = text
    }
}
