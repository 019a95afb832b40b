import TillCore
import TillRender
import TillReportModel

/// One `tillroll codes`: explains failure codes.
public struct CodesRun: Sendable {
    /// The codes in the user's spelling; an empty list means all known codes.
    public var codes: [String]
    /// The name of an output format; `nil` to go by the name of the output, else the table.
    public var format: String?
    /// The path of the output; `nil` or `-` is standard output.
    public var outputPath: String?
    /// Whether the table may have escape sequences for its styles; other formats have none.
    public var useColor = false
    /// The most columns of the table; `nil` for no limit. Explanations as sentences are never cut.
    public var width: Int?

    /// Makes a run that writes to standard output, without colour and without a limit on the width.
    public init(codes: [String]) {
        self.codes = codes
    }

    /// More codes than this are a table, also for people.
    private static let explainedOneByOne = 8

    /// Writes the explanations of the codes; an unknown code is named on standard error and is of class `unknown`.
    ///
    /// - Returns: ``ExitStatus/checkFailed`` if codes were given and none of them is known.
    public func run() throws -> ExitStatus {
        let renderer = try RendererRegistry.renderer(format: format, outputPath: outputPath)
        try Output.check(renderer, outputPath: outputPath)
        let queries = CodeQuery.parse(codes)
        for query in queries where query.entries.isEmpty {
            Output.writeError("tillroll: there is no code '\(query.text)'\(query.question)")
        }
        let isTable = type(of: renderer).name == TableRenderer.name
        let explanations = Self.explanations(queries)
        let explainsEach =
            isTable && !queries.isEmpty && explanations.count <= Self.explainedOneByOne
            && !queries.contains(where: \.isWholeDomain)
        let document = Self.document(explanations, explainsEach: explainsEach)
        // Requested sentences are not truncated: the terminal wraps them.
        let options = RenderOptions(width: explainsEach ? nil : width, useColor: useColor)
        try Output.write(to: outputPath) { write in try renderer.write(document, options, to: write) }
        return !queries.isEmpty && queries.allSatisfy(\.entries.isEmpty) ? .checkFailed : .finished
    }

    /// The explanations of all queries, in order, every code once.
    static func explanations(_ queries: [CodeQuery]) -> [CodeExplanation] {
        guard !queries.isEmpty else { return FailureCatalogue.entries.map { CodeExplanation($0) } }
        var seen: Set<CodeExplanation> = []
        return queries.flatMap { query in
            let entries = query.entries
            guard !entries.isEmpty else { return [CodeExplanation(unknown: query)] }
            return entries.map { CodeExplanation($0, code: query.code) }
        }
        .filter { seen.insert($0).inserted }
    }

    static func document(_ explanations: [CodeExplanation], explainsEach: Bool) -> ReportDocument {
        let table = Section(
            name: "codes",
            title: "Codes",
            columns: CodeExplanation.columns,
            content: .table(explanations.map(\.cells))
        )
        return ReportDocument(
            name: "codes",
            title: "Failure codes",
            sections: explainsEach ? explanations.map(\.section) : [table]
        )
    }
}
