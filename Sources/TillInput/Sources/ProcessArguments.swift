import CPlatform
public import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The arguments of the process as texts that keep every byte.
///
/// A byte that is not part of valid UTF-8 becomes a private-use character. So a file is found, or created, under
/// exactly the name that was given. If an argument contains such a character itself, its bytes are replaced too, so
/// that different arguments have different texts.
///
///     80 … FF  ↔  U+10FF80 … U+10FFFF
public enum ProcessArguments {
    /// All arguments except the name of the program.
    public static let all: [String] = {
        var texts: [String] = []
        var next: UnsafePointer<UnsafeMutablePointer<CChar>?>? =
            till_arguments() ?? UnsafePointer(CommandLine.unsafeArgv)
        while let pointer = next, let argument = pointer.pointee {
            texts.append(text(of: UnsafeRawBufferPointer(start: argument, count: strlen(argument))))
            next = pointer + 1
        }
        return Array(texts.dropFirst())
    }()

    private static let first: UInt32 = 0x10FF80
    private static let last: UInt32 = 0x10FFFF

    /// The text that stands for `bytes`.
    public static func text(of bytes: some Collection<UInt8>) -> String {
        var rest = Array(bytes)[...]
        var text = String.UnicodeScalarView()
        while !rest.isEmpty {
            let valid = validPrefix(of: rest)
            for scalar in String(decoding: rest[..<valid], as: UTF8.self).unicodeScalars {
                if (first...last).contains(scalar.value) {
                    for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter {
                        text.append(self.scalar(byte))
                    }
                } else {
                    text.append(scalar)
                }
            }
            guard valid < rest.endIndex else { break }
            text.append(scalar(rest[valid]))
            rest = rest[(valid + 1)...]
        }
        return String(text)
    }

    /// The index of the first byte that is not part of valid UTF-8; the end where all are.
    private static func validPrefix(of bytes: ArraySlice<UInt8>) -> Int {
        do {
            _ = try UTF8Span(validating: Array(bytes).span)
            return bytes.endIndex
        } catch {
            return bytes.startIndex + error.byteOffsets.lowerBound
        }
    }

    private static func scalar(_ byte: UInt8) -> Unicode.Scalar {
        Unicode.Scalar(first - 0x80 + UInt32(byte)) ?? "\u{FFFD}"
    }

    /// The bytes that `text`, which ``text(of:)`` returned, stands for.
    static func bytes(of text: String) -> [UInt8] {
        guard text.unicodeScalars.contains(where: { $0.value >= first }) else { return Array(text.utf8) }
        var bytes: [UInt8] = []
        for scalar in text.unicodeScalars {
            if scalar.value >= first {
                bytes.append(UInt8(scalar.value - first + 0x80))
            } else {
                bytes += UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
            }
        }
        return bytes
    }

    /// The text for output, in which bytes that are not UTF-8 are written in hexadecimal: `caf\xE9.json`.
    public static func shown(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: { $0.value >= first }) else { return text }
        var shown = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if scalar.value >= first {
                shown += "\\x\(String(scalar.value - first + 0x80, radix: 16, uppercase: true))".unicodeScalars
            } else {
                shown.append(scalar)
            }
        }
        return String(shown)
    }
}

extension FilePath {
    /// The path with the bytes of an argument.
    public init(argument: String) {
        let bytes = ProcessArguments.bytes(of: argument)
        // An argument has no zero byte. In any other text, the path ends at the first zero byte.
        self = (bytes.map(CChar.init(bitPattern:)) + [0]).withUnsafeBufferPointer { buffer in
            buffer.baseAddress.map { FilePath(platformString: $0) } ?? FilePath()
        }
    }

    /// The path for output, in which bytes that are not UTF-8 are written in hexadecimal.
    public var shown: String {
        withPlatformString { pointer in
            let bytes = UnsafeRawBufferPointer(start: pointer, count: strlen(pointer))
            return ProcessArguments.shown(ProcessArguments.text(of: bytes))
        }
    }
}
