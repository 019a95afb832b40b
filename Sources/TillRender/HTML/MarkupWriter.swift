import TillReportModel

/// Writes HTML that is also well-formed XML, so that a strict parser can check it.
///
/// Names of elements and attributes are `StaticString`, every value is escaped, and an element is closed when its
/// closure ends, so that data cannot become a tag. Invisible characters, such as controls and bidirectional overrides,
/// are spelled out.
struct MarkupWriter {
    private(set) var bytes: [UInt8] = []
    /// The clock by which instants are written.
    let clock: ReportClock
    /// Whether all rows are shown at once, and not folded.
    let showsDetail: Bool
    private var lastIdentifier = 0
    private var headingCount = 0

    init(clock: ReportClock = .utc, showsDetail: Bool = false) {
        (self.clock, self.showsDetail) = (clock, showsDetail)
    }

    /// An id that no other element of the page has. It is made of a number, never of data.
    mutating func makeIdentifier() -> String {
        lastIdentifier += 1
        return "i\(lastIdentifier)"
    }

    /// The id of the next heading.
    mutating func makeHeadingIdentifier() -> String {
        headingCount += 1
        return Self.identifier(ofHeading: headingCount - 1)
    }

    /// The id of a heading, by the number of headings before it.
    static func identifier(ofHeading index: Int) -> String { "s\(index + 1)" }

    /// An element with content: `<td class="t">…</td>`.
    mutating func element(
        _ name: StaticString,
        _ attributes: KeyValuePairs<StaticString, String> = [:],
        content: (inout Self) -> Void
    ) {
        open(name, attributes)
        append(">")
        content(&self)
        close(name)
    }

    /// An element that contains only text.
    mutating func element(
        _ name: StaticString,
        _ attributes: KeyValuePairs<StaticString, String> = [:],
        text: String
    ) {
        open(name, attributes)
        append(">")
        write(text)
        close(name)
    }

    /// A void element of HTML, or an element of SVG without content: `<col/>`, `<rect …/>`.
    mutating func void(_ name: StaticString, _ attributes: KeyValuePairs<StaticString, String> = [:]) {
        open(name, attributes)
        append("/>")
    }

    /// Text, escaped.
    mutating func write(_ text: String) {
        let shown = text.madeVisible
        for byte in shown.utf8 {
            switch byte {
            case UInt8(ascii: "&"): append("&amp;")
            case UInt8(ascii: "<"): append("&lt;")
            case UInt8(ascii: ">"): append("&gt;")
            case UInt8(ascii: "\""): append("&quot;")
            case UInt8(ascii: "'"): append("&#39;")
            default: bytes.append(byte)
            }
        }
    }

    /// Markup or text of this source code, unescaped.
    mutating func append(_ literal: StaticString) {
        literal.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    private mutating func open(_ name: StaticString, _ attributes: KeyValuePairs<StaticString, String>) {
        append("<")
        append(name)
        for (key, value) in attributes {
            append(" ")
            append(key)
            append("=\"")
            write(value)
            append("\"")
        }
    }

    private mutating func close(_ name: StaticString) {
        append("</")
        append(name)
        append(">")
    }
}
