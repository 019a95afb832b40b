/// A sentence of the opening of a report, for people.
///
/// It has words and typed cells, so that a figure in it has the same digits as in the tables.
public struct Statement: Hashable, Sendable {
    /// A part of the sentence: words, or a typed cell.
    public enum Part: Hashable, Sendable {
        case words(String)
        case cell(Cell)
    }

    /// The importance of a statement.
    public enum Weight: Hashable, Sendable {
        /// A finding that the reader must see first.
        case headline
        /// A detail of the headline above it.
        case detail
    }

    /// The urgency of a statement.
    public enum Tone: Hashable, Sendable {
        case plain
        /// An ongoing problem.
        case alarm
        /// A person has to check something.
        case warning
    }

    /// The words and cells, in the order of the sentence.
    public var parts: [Part]
    /// Whether it is a finding, or a detail that formats show below the finding before it.
    public var weight: Weight
    /// The urgency. A workbook lists every statement that is not plain among the exceptions of a close.
    public var tone: Tone
    /// The first words of a command that shows more.
    public var program: String?
    /// The further words of the command, in this order.
    public var operands: [Operand] = []

    /// The command as one line for a shell, without the files that it may take.
    public var command: String? {
        guard let program else { return nil }
        let words = operands.compactMap { if case .words(let words) = $0 { words } else { nil } }
        return ([program] + words).joined(separator: " ")
    }

    /// A part of a command line.
    public enum Operand: Hashable, Sendable {
        /// Words that do not depend on the input.
        case words(String)
        /// The price list.
        case prices
        /// The input files, each after the flag, if it needs one.
        case inputs(flag: String?)
    }

    /// Starts without ``operands``: `command` has only the first words of the command line.
    public init(_ sentence: Sentence, weight: Weight = .headline, tone: Tone = .plain, command: String? = nil) {
        parts = sentence.parts
        self.weight = weight
        self.tone = tone
        program = command
    }

    /// Words with cells in them: `"\(.count(34)) failures"`.
    public struct Sentence: ExpressibleByStringInterpolation, Sendable {
        /// Collects the parts of a sentence, so that each cell keeps its type.
        public struct StringInterpolation: StringInterpolationProtocol, Sendable {
            var parts: [Part] = []

            public init(literalCapacity: Int, interpolationCount: Int) {}

            public mutating func appendLiteral(_ literal: String) { appendInterpolation(literal) }

            /// Adds words. An empty text adds no part.
            public mutating func appendInterpolation(_ words: String) {
                if !words.isEmpty { parts.append(.words(words)) }
            }

            /// Adds the parts of another sentence, whose cells keep their types.
            public mutating func appendInterpolation(_ sentence: Sentence) { parts += sentence.parts }

            /// Adds a figure, which a format writes as in its tables.
            public mutating func appendInterpolation(_ cell: Cell) { parts.append(.cell(cell)) }
        }

        let parts: [Part]

        public init(stringLiteral words: String) { parts = words.isEmpty ? [] : [.words(words)] }

        public init(stringInterpolation: StringInterpolation) { parts = stringInterpolation.parts }
    }
}

/// A record within a cell, such as one cause of an incident.
public struct CellRecord: Hashable, Sendable {
    /// A name with its value.
    public struct Member: Hashable, Sendable {
        /// The member of the JSON object.
        public var name: String
        public var cell: Cell

        /// An absent cell is `null` in JSON; its member is not omitted.
        public init(_ name: String, _ cell: Cell) {
            self.name = name
            self.cell = cell
        }
    }

    /// The members in the order of the JSON object.
    public var members: [Member]
    /// The record as formats without objects show it.
    public var text: String

    /// Whether the cell is this one object, and no list.
    public var isAlone: Bool

    /// Needs a `text` that can stand alone, because only formats with objects have the members.
    public init(_ members: [Member], text: String, isAlone: Bool = false) {
        self.members = members
        self.text = text
        self.isAlone = isAlone
    }
}
