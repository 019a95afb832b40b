import TillColumns
import TillInput
import TillRows

/// The environment and the storefront that the text of an error names.
///
///     UserInfo={storefront-country-code=POL, client-environment-type=Sandbox}
///     "userInfo":{"client-environment-type":"Sandbox"}
///     AMSURL=https://sandbox.itunes.apple.com/WebObjects/MZBuy.woa/wa/inAppBuy
struct ErrorOrigin {
    /// A word of Apple's; `nil` if the text names none.
    private(set) var environment: Word?
    /// Three letters of the text.
    private(set) var storefront: Range<Int>?

    private static let environmentKey = Array("client-environment-type".utf8)
    private static let storefrontKey = Array("storefront-country-code".utf8)
    /// Bytes of a text that are searched.
    private static let searchLimit = 64 << 10

    init(_ text: RawSpan) {
        if let word = Self.value(of: Self.environmentKey, in: text) {
            environment = AppleWord.environment(text.extracting(word))
        } else if SandboxHost.isNamed(in: text.extracting(0..<min(text.byteCount, Self.searchLimit))) {
            environment = .sandbox
        }
        if let word = Self.value(of: Self.storefrontKey, in: text), word.count == 3 { storefront = word }
    }

    /// The letters after a key, in the notation of Foundation or of JSON.
    private static func value(of key: [UInt8], in text: RawSpan) -> Range<Int>? {
        let limit = min(text.byteCount, searchLimit)
        guard let found = text.firstIndex(of: key, from: 0, to: limit) else { return nil }
        var start = found + key.count
        while start < limit, [0x20, 0x22, 0x3A, 0x3D, 0x5C].contains(text.byte(start)) { start += 1 }
        var end = start
        while end < limit, (0x61...0x7A).contains(text.byte(end) | 0x20) { end += 1 }
        return start < end ? start..<end : nil
    }

    /// Sets the cells of the open event that are still absent.
    static func complete(_ rows: inout RowBatch, with text: RawSpan) {
        let row = rows.events.rowCount
        let (lacksEnvironment, lacksStorefront) = (
            rows.events[.environment, row] == nil, rows.events[.storefront, row] == nil
        )
        guard lacksEnvironment || lacksStorefront else { return }
        let origin = ErrorOrigin(text)
        if lacksEnvironment, let environment = origin.environment { rows.events.set(.environment, environment.cell) }
        if lacksStorefront, let storefront = origin.storefront {
            let name = text.extracting(storefront)
            let cell = name.kosovoCell(in: &rows.dictionary) ?? Int64(rows.dictionary.code(for: name))
            rows.events.set(.storefront, cell)
        }
    }
}
