public import TillReportModel

/// One page that is complete in itself: it can be mailed, printed, or opened in ten years.
///
/// There is no address in it, and its content security policy forbids to follow any. It reads the same without its
/// script, which only sorts tables. Charts are drawn as SVG and told in words; colour is never the only difference.
public struct HTMLRenderer: Renderer {
    public static let name = "html"
    public static let summary = "One page with charts, for a browser or a printer"
    public static let fileExtensions = ["html", "htm"]

    public init() {}

    public func render(_ document: ReportDocument, options: RenderOptions) -> [UInt8] {
        let document = document.limited(to: .page)
        var markup = MarkupWriter(clock: document.clock)
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
        let plan = HTMLPlan(of: document)
        element("header") { header in
            header.append("\n")
            header.element("h1", text: document.title)
            header.writePeriod(of: document)
            for section in document.preamble { header.writeFacts(of: section, isCompact: true) }
            header.append("\n")
        }
        append("\n")
        writeContents(plan)
        element("main", ["id": "results"]) { main in
            main.append("\n")
            main.write(plan.root, level: 2)
        }
        append("\n")
        element("footer") {
            $0.element(
                "p",
                text: "Made by tillroll. \(document.clock.sentence) Figures are exact; – is what is not known."
            )
        }
        append("\n")
        element("script") { $0.append(HTMLPolicy.script) }
        append("\n")
    }

    /// Links to all headings, where there is more than one.
    private mutating func writeContents(_ plan: HTMLPlan) {
        guard plan.entries.count > 1 else { return }
        element("nav", ["aria-label": "Contents"]) { nav in
            nav.append("\n")
            nav.element("ul") { list in
                for entry in plan.entries {
                    list.element("li", entry.isReport ? ["class": "report"] : [:]) { item in
                        item.element("a", ["href": "#" + entry.identifier], text: entry.title)
                    }
                    list.append("\n")
                }
            }
        }
        append("\n")
    }

    /// The results of one report and of those below it, under headings from `level` on.
    private mutating func write(_ part: HTMLPlan.Part, level: Int) {
        // First, for they say how to read what follows.
        writeNotes(part.document.notes)
        for (section, identifier) in part.sections {
            write(section, identifier: identifier, level: level)
        }
        for (child, identifier) in part.children {
            element("section", ["class": "report", "aria-labelledby": identifier]) { inner in
                inner.append("\n")
                inner.writeHeading(child.document.title, level: level, identifier: identifier)
                inner.writePeriod(of: child.document)
                for section in child.news { inner.writeFacts(of: section, isCompact: true) }
                inner.write(child, level: level + 1)
            }
            append("\n")
        }
    }

    private mutating func write(_ section: Section, identifier: String, level: Int) {
        element("section", ["aria-labelledby": identifier]) { inner in
            inner.append("\n")
            inner.writeHeading(section.title, level: level, identifier: identifier)
            for chart in section.charts where !chart.series.isEmpty { inner.write(chart) }
            inner.writeContent(of: section, identifier: identifier)
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
        guard let period = document.period else { return }
        element("p", ["class": "period"], text: period.text(by: clock))
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
