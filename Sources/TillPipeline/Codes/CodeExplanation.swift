import TillCore
import TillReportModel

/// The explanation of one requested code.
struct CodeExplanation: Hashable {
    var domain: String?
    /// The requested code, or all codes with the same meaning; `nil` for a name without a code.
    var codes: ClosedRange<Int64>?
    var name: String?
    /// `nil` if the code is unknown.
    var entry: FailureEntry?

    init(_ entry: FailureEntry, code: Int64? = nil) {
        domain = entry.domain
        codes = code.map { $0...$0 } ?? entry.codes
        name = entry.name
        self.entry = entry
    }

    /// An unknown code.
    init(unknown query: CodeQuery) {
        domain = query.namedDomain
        codes = query.code.map { $0...$0 }
        name = query.name
    }

    static let columns = [
        Column("domain", "Domain"), Column("code", "Code"), Column("name", "Name"), Column("class", "Class"),
        Column("retry", "Retry"), Column("meaning", "Meaning"), Column("advice", "Advice"),
    ]

    private var failureClass: FailureClass { entry?.failureClass ?? .unknown }

    /// A cell for each of ``columns``.
    var cells: [Cell] {
        [
            domain.map(Cell.text) ?? .absent, code, name.map(Cell.text) ?? .absent,
            .word(failureClass.rawValue, failureClass.words), entry.map { .text($0.retry.rawValue) } ?? .absent,
            entry.map { .text($0.meaning) } ?? .absent, entry.map { .text($0.advice) } ?? .absent,
        ]
    }

    private var code: Cell {
        switch codes {
        case nil: .absent
        case FailureEntry.anyCode: .text("any")
        case let codes? where codes.lowerBound == codes.upperBound: .code(codes.lowerBound)
        case let codes?: .text("\(codes.lowerBound)-\(codes.upperBound)")
        }
    }

    /// All facts about a code, one a line.
    var section: Section {
        let facts = zip(Self.columns, cells).filter { $0.1 != .absent }
        return Section(
            name: "code",
            title: [domain, name].compactMap(\.self).joined(separator: " "),
            columns: facts.map(\.0),
            content: .record(facts.map(\.1))
        )
    }
}
