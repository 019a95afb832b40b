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
        /// The time that the report covers; formats show it beside the title.
        case scope
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
    /// The figure that the sentence tells, where formats may set it under others; `nil` for other sentences.
    public var figure: KeyFigure?
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
    public struct Sentence: ExpressibleByStringInterpolation, Hashable, Sendable {
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

        /// The words and cells, in order.
        public let parts: [Part]

        public init(stringLiteral words: String) { parts = words.isEmpty ? [] : [.words(words)] }

        public init(stringInterpolation: StringInterpolation) { parts = stringInterpolation.parts }
    }
}

/// A figure that readers take away, with what is in it.
///
///     Customer sales     15,132.21 EUR   ▲ 6.6 % on February 2026
///       tax included                     ▲ 97.0 % on March 2025; 324.79 refunded
public struct KeyFigure: Hashable, Sendable {
    /// What it is: `Customer sales`.
    public var label: String
    /// Whether it is subtracted from the figure above; formats that set figures under each other show a minus.
    public var isSubtracted = false
    public var cell: Cell
    /// The currency of an amount; `nil` if the figure above has the same.
    public var unit: String?
    /// What is in it, below the label: `tax included`.
    public var content: String?
    /// Further sentences, beside the figure.
    public var remarks: [Statement.Sentence]
    /// The same figure of the periods before and then of this one, the oldest first; for a small line.
    public var course: [Cell] = []

    /// Takes the words as they are.
    public init(
        _ label: String,
        _ cell: Cell,
        unit: String? = nil,
        content: String? = nil,
        remarks: [Statement.Sentence] = []
    ) {
        (self.label, self.cell, self.unit, self.content, self.remarks) = (label, cell, unit, content, remarks)
    }
}

extension Statement {
    /// A sentence with a figure: `Customer sales 15,132.21 EUR, tax included; ▲ 6.6 % on February 2026`.
    public init(_ figure: KeyFigure, weight: Weight) {
        var sentence: Sentence = "\(figure.label) \(figure.cell)\(figure.unit.map { " " + $0 } ?? "")"
        if let content = figure.content { sentence = "\(sentence), \(content)" }
        for remark in figure.remarks { sentence = "\(sentence); \(remark)" }
        self.init(sentence, weight: weight)
        self.figure = figure
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
