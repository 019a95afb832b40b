import Foundation
import Testing
import TillCore
import TillInput
import TillTestSupport

@Suite("Base64")
struct Base64Tests {
    private static func decode(_ text: String) throws -> (bytes: [UInt8], isRepaired: Bool) {
        var output: [UInt8] = [1, 2, 3]
        let isRepaired = try Base64.decode(Array(text.utf8).span.bytes, into: &output)
        return (output, isRepaired)
    }

    /// Texts of the bytes FB FF BF 3E, whose base64 is `+/+/Pg==`.
    static let repairs: [(String, Bool)] = [
        ("+/+/Pg==", false), ("+/+/Pg", true), ("+/+/Pg=", false), ("-_-_Pg==", true), ("-/+_Pg", true),
        ("%2B%2F%2B%2FPg%3D%3D", true), ("%2b%2f%2b%2fPg%3d%3d", true), ("+/ /Pg==", true), ("+/+/\nPg==", false),
        ("+/+/\r\nPg==\r\n", false), ("\n+\n/\n+\n/\nP\ng\n=\n=\n", false), ("\t+/+/\tPg==", false),
        ("  +/+/Pg==", true), ("+/+/Pg==  ", true), ("\n  +/+/Pg==", true), ("+/+/ \nPg==", true), ("+/+/Pg ==", true),
    ]

    @Test("Known damage is repaired, and the result says so", arguments: repairs)
    func repairsDamage(_ text: String, _ isRepaired: Bool) throws {
        let decoded = try Self.decode(text)
        #expect(decoded.bytes == [0xFB, 0xFF, 0xBF, 0x3E])
        #expect(decoded.isRepaired == isRepaired)
    }

    @Test("Spaces stand for as many plus signs only between digits")
    func readsSpaces() throws {
        #expect(try Self.decode("a  b").bytes == Self.decode("a++b").bytes)
        #expect(try Self.decode("abcd  ef").bytes == Self.decode("abcd++ef").bytes)
        #expect(try Self.decode("   abcd ").bytes == Self.decode("abcd").bytes)
        #expect(try Self.decode(" \r\n ").bytes.isEmpty)
        #expect(try Self.decode("").bytes.isEmpty)
    }

    static let rejected: [(String, Defect, Int)] = [
        ("*", .base64Character, 0), ("abcd*", .base64Character, 4), ("abc*efgh", .base64Character, 3),
        ("abcdefg\u{0}", .base64Character, 7),
        ("ab.d", .base64Character, 2), ("a=bc", .base64Character, 2), ("abc=abcd", .base64Character, 4),
        ("ab==\nab==", .base64Character, 5),
        ("ab%2", .base64Character, 2), ("ab%2Gcd", .base64Character, 2), ("%", .base64Character, 0),
        ("abcdé", .base64Character, 4),
        ("%20abcd", .base64Character, 0), ("%3Dab", .base64Character, 3), ("abc,", .base64Character, 3),
        ("a", .base64Truncated, 1), ("abcde", .base64Truncated, 5), ("abcde===", .base64Truncated, 8),
        ("abcd\nabcda\n", .base64Truncated, 11),
    ]

    @Test("Any other byte, and a digit left over, is an error at its offset", arguments: rejected)
    func rejects(_ text: String, _ defect: Defect, _ offset: Int) throws {
        let failure = try #require(throws: Finding.self) { try Self.decode(text) }
        #expect(failure.defect == defect && failure.offset == offset, "\(failure)")
    }

    @Test("No byte outside the alphabet is read as a digit at any position of a group")
    func knowsItsAlphabet() {
        let alphabet = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_".utf8)
        for byte in UInt8.min...UInt8.max where !alphabet.contains(byte) && !" \t\r\n%=".utf8.contains(byte) {
            for place in 0..<4 {
                var text = Array("QUJDQUJD".utf8)
                text[place + 4] = byte
                var output: [UInt8] = []
                let failure = #expect(throws: Finding.self) {
                    try Base64.decode(text.span.bytes, into: &output)
                }
                #expect(failure?.defect == .base64Character && failure?.offset == place + 4)
            }
        }
    }

    @Test("What Foundation encodes is decoded, in every length, plain, wrapped and URL-safe", arguments: 0...130)
    func roundTrips(_ count: Int) throws {
        var random = SplitMix64(seed: UInt64(count))
        for _ in 0..<4 {
            let bytes = random.bytes(count)
            let plain = Data(bytes).base64EncodedString()
            let lines = Data(bytes).base64EncodedString(options: [.lineLength76Characters, .endLineWithCarriageReturn])
            let wrapped = Data(bytes).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
            let safe = plain.replacing("+", with: "-").replacing("/", with: "_")
            let bare = plain.replacing("=", with: "")
            for text in [plain, lines, wrapped, safe, bare, plain + "\n"] {
                #expect(try Self.decode(text).bytes == bytes, "\(text)")
            }
            #expect(try Self.decode(plain).isRepaired == false)
        }
    }
}
