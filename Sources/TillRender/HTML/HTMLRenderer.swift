public import TillReportModel

/// A page in a single file, which can be mailed, printed or archived.
///
/// It contains no address, and its content security policy forbids loading any. It is complete without its script,
/// which only sorts tables. Charts are drawn as SVG and described in words. Series differ by more than their colour.
public struct HTMLRenderer: Renderer {
    public static let name = "html"
    public static let summary = "One page with charts, for a browser or a printer"
    public static let fileExtensions = ["html", "htm"]
    public static let isPage = true

    public init() {}

    public func render(_ document: ReportDocument, options: RenderOptions) -> [UInt8] {
        let document = document.forPeople(.page, isOnePage: !options.showsDetail)
        var markup = MarkupWriter(clock: document.clock, showsDetail: options.showsDetail)
        markup.append("<!DOCTYPE html>\n")
        markup.element("html", ["lang": "en"]) { markup in
            markup.writeHead(of: document)
            markup.element("body") { $0.writeBody(of: document) }
        }
        markup.append("\n")
        return markup.bytes
    }
}

extension MarkupWriter {
    fileprivate mutating func writeHead(of document: ReportDocument) {
        element("head") { head in
            head.append("\n<meta charset=\"utf-8\"/>\n")
            head.void("meta", ["http-equiv": "Content-Security-Policy", "content": HTMLPolicy.text])
            head.append("\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n")
            head.append(
                "<meta name=\"color-scheme\" content=\"light dark\"/>\n<meta name=\"referrer\" content=\"no-referrer\"/>\n"
            )
            head.element("title", text: document.heading)
            head.append("\n")
            head.element("style") { $0.append(HTMLPolicy.style) }
            head.append("\n")
        }
        append("\n")
    }

    fileprivate mutating func writeBody(of document: ReportDocument) {
        append("\n")
        writePatterns()
        element("a", ["class": "skip", "href": "#results"], text: "Skip to the results")
        element("header") { header in
            header.append("\n")
            header.element("h1", text: document.title)
            header.writePeriod(of: document)
            if !document.opensWithAnswer { header.writePreamble(of: document) }
            header.write(document.statements)
            header.append("\n")
        }
        append("\n")
        writeContents(of: document)
        element("main", ["id": "results"]) { main in
            main.append("\n")
            main.writeResults(of: document, level: 2)
            if document.opensWithAnswer { main.writePreamble(of: document) }
        }
        append("\n")
        element("footer") {
            $0.element(
                "p",
                text: "Made by tillroll. \(document.clock.sentence) Figures are exact; – means an unknown value."
            )
        }
        append("\n")
        element("script") { $0.append(HTMLPolicy.script) }
        append("\n")
    }

    /// Links to all headings, if there are several.
    private mutating func writeContents(of document: ReportDocument) {
        let headings = document.headings
        guard headings.count > 1 else { return }
        element("nav", ["aria-label": "Contents"]) { nav in
            nav.append("\n")
            nav.element("ul") { list in
                for (index, heading) in headings.enumerated() {
                    list.element("li", heading.isReport ? ["class": "report"] : [:]) { item in
                        item.element("a", ["href": "#" + Self.identifier(ofHeading: index)], text: heading.title)
                    }
                    list.append("\n")
                }
            }
        }
        append("\n")
    }

    /// The results of a report and of its children, under headings from `level` on, in the order of
    /// ``ReportDocument/headings``.
    private mutating func writeResults(of document: ReportDocument, level: Int) {
        // Without an answer in words, the notes come first, because they explain how to read the figures.
        if !document.opensWithAnswer { writeNotes(document.notes) }
        for section in document.results { write(section, level: level) }
        for child in document.children {
            let identifier = makeHeadingIdentifier()
            element("section", ["class": "report", "aria-labelledby": identifier]) { inner in
                inner.append("\n")
                inner.writeHeading(child.title, level: level, identifier: identifier)
                inner.writePeriod(of: child)
                if !child.opensWithAnswer { inner.writePreamble(of: child) }
                inner.write(child.statements)
                inner.writeResults(of: child, level: level + 1)
                if let more = child.more { inner.element("p", ["class": "note"], text: "More: " + more) }
                if child.opensWithAnswer { inner.writePreamble(of: child) }
            }
            append("\n")
        }
        if document.opensWithAnswer { writeNotes(document.notes) }
    }

    /// The answer: a block for each headline with its details.
    private mutating func write(_ statements: [Statement]) {
        var rest = statements[...]
        while let headline = rest.popFirst() {
            let details = rest.prefix { $0.weight == .detail }
            rest = rest.dropFirst(details.count)
            element("div", ["class": Self.style(of: headline)]) { block in
                if let figure = headline.figure {
                    block.write(main: figure)
                    block.write(cards: details.compactMap(\.figure))
                } else {
                    block.element("p") { $0.write(headline) }
                }
                for detail in details where detail.figure == nil {
                    block.element("p", ["class": "detail"]) { $0.write(detail) }
                }
            }
            append("\n")
        }
    }

    private static func style(of headline: Statement) -> String {
        switch headline.tone {
        case .alarm: "answer alarm"
        case .warning: "answer warning"
        case .plain: "answer"
        }
    }

    private mutating func write(_ statement: Statement) {
        write(statement.sign + statement.text(by: clock))
        guard let command = statement.command else { return }
        append(" ")
        element("code", text: command)
    }

    private mutating func writePreamble(of document: ReportDocument) {
        for section in document.preamble { writeFacts(of: section, isCompact: true) }
    }

    private mutating func write(_ section: Section, level: Int) {
        let identifier = makeHeadingIdentifier()
        element("section", ["aria-labelledby": identifier]) { inner in
            inner.append("\n")
            inner.writeHeading(section.title, level: level, identifier: identifier)
            for chart in section.charts where !chart.series.isEmpty { inner.write(chart) }
            if !section.hasChartsAlone { inner.writeContent(of: section, identifier: identifier) }
        }
        append("\n")
    }

    mutating func writeHeading(_ title: String, level: Int, identifier: String) {
        switch level {
        case 2: element("h2", ["id": identifier], text: title)
        case 3: element("h3", ["id": identifier], text: title)
        default: element("h4", ["id": identifier], text: title)
        }
        append("\n")
    }

    private mutating func writePeriod(of document: ReportDocument) {
        let period = document.statements.isEmpty ? document.period?.text(by: clock) : nil
        guard let words = document.scope?.text(by: clock) ?? period else { return }
        element("p", ["class": "period"], text: words)
        append("\n")
    }

    private mutating func writeNotes(_ notes: [String]) {
        guard !notes.isEmpty else { return }
        element("aside", ["class": "notes", "aria-label": "Notes"]) { aside in
            aside.element("ul") { list in
                for note in notes { list.element("li", text: note) }
            }
        }
        append("\n")
    }
}

extension ReportDocument {
    /// The headings below the title, in the order of the page.
    fileprivate var headings: [(title: String, isReport: Bool)] {
        results.map { ($0.title, false) } + children.flatMap { [($0.title, true)] + $0.headings }
    }
}
