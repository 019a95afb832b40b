import TillReportModel

/// Writes HTML that is well-formed XML too, so that a strict parser can vouch for it.
///
/// Names come from the source alone (`StaticString`), every value is escaped, and an element closes where its closure
/// ends; there is no way to write a tag from data. What would act unseen, such as a control or a bidirectional override,
/// is spelled out before it is escaped.
struct MarkupWriter {
    private(set) var bytes: [UInt8] = []
    /// By which instants are told.
    let clock: ReportClock
    private var lastIdentifier = 0

    init(clock: ReportClock = .utc) {
        self.clock = clock
    }

    /// An id that no other element of the page has; numbers alone, never data.
    mutating func makeIdentifier() -> String {
        lastIdentifier += 1
        return "i\(lastIdentifier)"
    }

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

    /// An element with text alone.
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

    /// Markup or text from the source itself, as it is.
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
