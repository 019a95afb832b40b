import Glibc
import TillCore
import TillJSON

@testable import TillInput

/// Notations and encodings, each beside a plain reader or beside itself by another way.
enum EncodingTargets {
    static let all = [
        FuzzTarget(name: "base64", isStructured: false, seeds: base64.map { [UInt8]($0) }, check: checkBase64),
        FuzzTarget(
            name: "base64-bytes",
            isStructured: false,
            seeds: [Array(0..<48), [0xFF], [1, 2], Array("receipt".utf8)],
            check: checkBase64OfBytes
        ),
        FuzzTarget(
            name: "hexadecimal",
            isStructured: false,
            seeds: ["3082051A", "\\x30 82\n05", "0x308", "\\\\X00ff"].map { [UInt8]($0) },
            check: checkHexadecimal
        ),
        FuzzTarget(name: "utf16", isStructured: false, seeds: utf16, check: checkUTF16),
        FuzzTarget(name: "json", seeds: json.map { [UInt8]($0) }, check: checkJSON),
        FuzzTarget(name: "json-string", isStructured: false, seeds: strings.map { [UInt8]($0) }, check: checkString),
        FuzzTarget(name: "plist", seeds: lists.map { [UInt8]($0) }, check: checkPropertyList),
        FuzzTarget(name: "xml") { bytes in _ = try? XMLPropertyList.parse(bytes.span.bytes) },
        FuzzTarget(name: "compressed", check: checkCompressed),
    ]

    private static let base64 = [
        "TUlJVA==", "TUlJVA", "TU lJ\r\nVA=", "-_8%2B%2F%3D",
        "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA+/9zTUlJVE1JSVRNSUlUTUlJVE1JSVQ=",
    ]
    private static let utf16: [[UInt8]] = [
        [0x41, 0, 0x3D, 0xD8, 0x00, 0xDE], [0xD8, 0x3D, 0xDE, 0x00, 0x00, 0x7B], [0x00, 0xD8, 0x41],
        [0x7B, 0, 0x22, 0, 0xE9, 0, 0xAC, 0x20, 0x7D, 0],
    ]
    private static let json = [
        #"{"status":0,"receipt":{"in_app":[{"transaction_id":"1","quantity":"1"}]}}"#,
        #"[1,-2.5e+3,0,true,false,null,"a\u00e9\ud83d\ude00\n"]"#, "{}", " [ ] ",
        #"{"a":{"b":[[["c"]]]},"d":"é😀"}"#, "\"\"", "-0", "[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]",
    ]
    private static let strings = [
        "plain text that is longer than one vector of bytes", #"a\u0041\ud83d\ude00b"#, "é😀\\n\\t\\\\\\\"", "\\ud800",
        "", "12345678901234567890123456789012\\/",
        "\u{1F600}\u{10FFFF}\u{800}",
    ]
    private static let lists = [
        #"{"product-id" = "com.example"; "quantity" = "1"; pod = 100;}"#,
        "{ a = (1, 2, \"x\\n\"); b = <0fbd 77>; /* c */ d = {}; }", "{\"a\"=\"b\";}",
    ]

    private static func checkBase64(_ bytes: [UInt8]) {
        var output: [UInt8] = []
        guard (try? Base64.decode(bytes.span.bytes, into: &output)) != nil else { return }
        // What a plain reader takes, it reads alike; it takes neither spaces nor percent escapes.
        if let plain = PlainBase64.decode(bytes) {
            require(output == plain, "base64 \(String(decoding: bytes, as: UTF8.self))")
        }
        var again: [UInt8] = []
        let digits = Base64.encode(output)
        require(
            (try? Base64.decode(digits.span.bytes, into: &again)) != nil && again == output,
            "base64 written and read"
        )
    }

    /// Bytes come back from their digits, whole, wrapped at any column, in the other alphabet and without padding.
    private static func checkBase64OfBytes(_ bytes: [UInt8]) {
        let digits = Base64.encode(bytes)
        require(digits == PlainBase64.encode(bytes), "base64 of \(bytes)")
        var output: [UInt8] = []
        let column = 1 + Int(bytes.chosen % 80)
        var wrapped: [UInt8] = []
        for (index, digit) in digits.enumerated() {
            if index % column == 0, index > 0 { wrapped += bytes.count & 1 == 0 ? [0x0A] : [0x0D, 0x0A] }
            wrapped.append(digit == 0x2B ? 0x2D : digit == 0x2F ? 0x5F : digit)
        }
        for text in [digits, wrapped, Array(digits.prefix { $0 != 0x3D })] {
            require(
                (try? Base64.decode(text.span.bytes, into: &output)) != nil && output == bytes,
                "base64 of \(bytes) read"
            )
        }
    }

    private static func checkHexadecimal(_ bytes: [UInt8]) {
        var output: [UInt8] = []
        let isRead = (try? Hexadecimal.decode(bytes.span.bytes, into: &output)) != nil
        let isSpace: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
        var rest = bytes.drop(while: isSpace)
        for prefix in ["\\x", "\\\\x", "0x", "0X", "\\X"] where rest.starts(with: prefix.utf8) {
            rest = rest.dropFirst(prefix.utf8.count)
            break
        }
        let text = String(decoding: rest.filter { !isSpace($0) }, as: UTF8.self)
        let values = text.utf8.map { $0 < 0x80 ? Character(Unicode.Scalar($0)).hexDigitValue : nil }
        let isPlain = values.allSatisfy { $0 != nil } && values.count % 2 == 0
        require(isRead == isPlain, "hexadecimal \(text)")
        guard isPlain else { return }
        let digits = values.compactMap(\.self)
        let expected = stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] * 16 + digits[$0 + 1]) }
        require(output == expected, "hexadecimal \(text)")
    }

    /// In pieces of any size, against the standard library.
    private static func checkUTF16(_ bytes: [UInt8]) {
        for isBig in [true, false] {
            let head: [UInt8] = isBig ? [0xFE, 0xFF] : [0xFF, 0xFE]
            guard var transcoder = UTF16Transcoder(head: head + [0x41, 0x41]) else {
                return require(false, "no transcoder")
            }
            var output: [UInt8] = []
            let step = 1 + Int(bytes.chosen % 7)
            for start in stride(from: 0, to: bytes.count, by: step) {
                Array(bytes[start..<min(start + step, bytes.count)]).withUnsafeBytes {
                    transcoder.append($0, to: &output)
                }
            }
            transcoder.finish(into: &output)
            var units: [UInt16] = []
            for index in stride(from: 0, to: bytes.count - 1, by: 2) {
                let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
                units.append(isBig ? first << 8 | second : second << 8 | first)
            }
            let expected = String(decoding: units, as: UTF16.self) + (bytes.count % 2 == 0 ? "" : "\u{FFFD}")
            require(output.elementsEqual(expected.utf8), "UTF-16 \(bytes)")
        }
    }

    private static func checkJSON(_ bytes: [UInt8]) {
        let padded = bytes + Array(repeating: 0, count: JSONCursor.padding)
        var cursor = JSONCursor(padded.span.bytes, limit: bytes.count)
        var isValid = false
        if (try? cursor.skipValue()) != nil {
            cursor.skipWhitespace()
            isValid = cursor.position == bytes.count
        }
        let isPlain = PlainJSON.isValid(bytes, depthLimit: JSONCursor.depthLimit)
        require(isValid == isPlain, "JSON \(String(decoding: bytes, as: UTF8.self)): \(isValid), plainly \(isPlain)")
    }

    private static func checkString(_ bytes: [UInt8]) {
        let padded = [0x22] + bytes + [0x22] + Array(repeating: 0, count: JSONCursor.padding)
        var cursor = JSONCursor(padded.span.bytes, limit: bytes.count + 2)
        var ours: [UInt8]?
        if let token = try? cursor.token(), cursor.position == bytes.count + 2 {
            var text: [UInt8] = []
            cursor.appendText(of: token, to: &text)
            ours = text
        }
        let plain = PlainJSON.text(ofString: bytes)
        require(ours == plain, "string \(bytes): \(ours as Any), plainly \(plain as Any)")
    }

    /// The short reader of plain lists and the general one agree where the short one reads.
    private static func checkPropertyList(_ bytes: [UInt8]) {
        let value = try? PropertyListParser.parse(bytes.span.bytes)
        var plain = PlainPropertyList()
        guard plain.read(bytes.span.bytes) else { return }
        guard let entries = value?.entries else { return require(false, "the general reader refuses a plain list") }
        let texts = plain.entries.map { [$0.key, $0.value].map { String(decoding: bytes[$0], as: UTF8.self) } }
        require(entries.map { [$0.key, $0.value.string ?? ""] } == texts, "plain list \(texts)")
    }

    /// Inflates a file with these bytes, of which one read gives no more than is asked for; reads of another size give
    /// the same.
    private static func checkCompressed(_ bytes: [UInt8]) {
        let file = ScratchFile(bytes)
        let whole = inflated(file.path, step: 1 << 16)
        let pieces = inflated(file.path, step: 1 + Int(bytes.chosen % 4096))
        require(
            whole.text == pieces.text && whole.error == pieces.error,
            "\(whole.text.count) bytes, in pieces \(pieces.text.count)"
        )
        guard let plain = PlainGzip.inflate(bytes, limit: 1 << 16), whole.error == nil else { return }
        require(whole.text.starts(with: plain), "gzip inflates to \(whole.text.count) bytes, by zlib to \(plain.count)")
    }

    private static func inflated(_ path: String, step: Int) -> (text: [UInt8], error: String?) {
        var text: [UInt8] = []
        do throws(Finding) {
            guard let file = try InputFile.expand([path]).first else { return ([], "no file") }
            let reader = try InputReader(file)
            let buffer = ByteBuffer()
            while text.count < 4 << 20 {
                buffer.removeAll()
                let got = try buffer.append(upTo: step) { memory throws(Finding) in try reader.read(into: memory) }
                buffer.withPaddedBytes { bytes in
                    bytes.extracting(0..<got).withUnsafeBytes { text.append(contentsOf: $0) }
                }
                if got < step { break }
            }
            return (Array(text.prefix(4 << 20)), nil)
        } catch {
            require(!error.reason.isEmpty, "an error without a reason")
            return ([], error.code)
        }
    }
}
