import TillReportModel

/// What stands where on a page, with the ids of its headings, so that the contents can be written before it.
struct HTMLPlan {
    /// A line of the contents.
    struct Entry {
        let title: String
        let identifier: String
        let isReport: Bool
    }

    /// A report with what its parent has not told already.
    struct Part {
        let document: ReportDocument
        let news: [Section]
        let sections: [(Section, identifier: String)]
        let children: [(Part, identifier: String)]
    }

    private(set) var entries: [Entry] = []
    let root: Part

    init(of document: ReportDocument) {
        var entries: [Entry] = []
        root = Self.part(of: document, under: [], &entries)
        self.entries = entries
    }

    private static func part(
        of document: ReportDocument,
        under told: Set<Paragraph>,
        _ entries: inout [Entry]
    ) -> Part {
        func enter(_ title: String, isReport: Bool) -> String {
            let identifier = "s\(entries.count + 1)"
            entries.append(Entry(title: title, identifier: identifier, isReport: isReport))
            return identifier
        }
        let facts = document.preamble.map { ($0, Paragraph(facts: $0)) }
        let sections = document.results.map { ($0, identifier: enter($0.title, isReport: false)) }
        let known = told.union(facts.map(\.1))
        let children = document.children.map { child in
            let identifier = enter(child.title, isReport: true)
            return (part(of: child, under: known, &entries), identifier: identifier)
        }
        return Part(
            document: document,
            news: facts.filter { !told.contains($0.1) }.map(\.0),
            sections: sections,
            children: children
        )
    }
}
