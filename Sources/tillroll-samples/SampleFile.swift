#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A file to be written below the folder of samples.
struct SampleFile {
    /// With `/` between folders.
    let path: String
    let octets: [UInt8]

    init(_ path: String, octets: [UInt8]) {
        (self.path, self.octets) = (path, octets)
    }

    init(_ path: String, text: String) {
        self.init(path, octets: Array(text.utf8))
    }

    /// Each line gets its line feed, the last one too.
    init(_ path: String, lines: [String]) {
        self.init(path, text: lines.map { $0 + "\n" }.joined())
    }

    func write(below folder: String) throws {
        let url = URL(filePath: folder).appending(path: path)
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(octets).write(to: url)
    }
}

extension [UInt8] {
    /// The octets of base64 over one line or several.
    init(base64: String) {
        self = Data(base64Encoded: base64, options: .ignoreUnknownCharacters).map { Array($0) } ?? []
    }

    /// On one line (RFC 4648 §4).
    var base64: String { Data(self).base64EncodedString() }

    /// In the alphabet for URLs, without padding (RFC 7515 §2).
    var base64URL: String {
        base64.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// In lines of 76 digits, which mail programs and many encoders write.
    var mailBase64: String { Data(self).base64EncodedString(options: .lineLength76Characters) }

    /// In lines of 64 digits (RFC 7468 §2).
    var pemBase64: String {
        Data(self).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
    }
}
