import CKernels
import Foundation
import Testing

@Suite("Base64 with vectors")
struct Base64GroupsTests {
    /// The kernel that this processor uses, and those of other processors.
    private static let kernels = [till_base64_groups, till_base64_groups_avx2, till_base64_groups_baseline]

    /// How much of `text` a kernel decoded, and its output.
    private static func decode(
        _ text: [UInt8],
        by kernel: (UnsafeRawPointer?, Int, UnsafeMutableRawPointer?) -> Int
    ) -> (taken: Int, bytes: [UInt8]) {
        // A mark behind the slack shows whether the kernel writes too far.
        let room = text.count / 4 * 3 + Int(TILL_BASE64_SLACK)
        var output = Array(repeating: UInt8(0xEE), count: room + 32)
        let taken = text.withUnsafeBytes { text in
            output.withUnsafeMutableBytes { kernel(text.baseAddress, text.count, $0.baseAddress) }
        }
        #expect(output[room...].allSatisfy { $0 == 0xEE })
        return (taken, Array(output[..<(taken / 4 * 3)]))
    }

    @Test("All paths give what Foundation encoded, for every length")
    func decodesEveryLength() {
        for count in 0..<400 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 151 &+ count) }
            let text = Array(Data(bytes).base64EncodedString().utf8)
            for kernel in Self.kernels {
                let (taken, decoded) = Self.decode(text, by: kernel)
                let digits = text.firstIndex(of: UInt8(ascii: "=")) ?? text.count
                #expect(taken == digits / 4 * 4)
                #expect(decoded == Array(bytes[..<(taken / 4 * 3)]))
            }
        }
    }

    @Test("Every other byte, at every position, ends the decoded groups", arguments: 0...160)
    func stopsAtOtherBytes(place: Int) {
        let digits = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        for byte in UInt8.min...UInt8.max where !digits.contains(byte) {
            var text = Array(repeating: UInt8(ascii: "Q"), count: 176)
            text[place] = byte
            for kernel in Self.kernels {
                let (taken, _) = Self.decode(text, by: kernel)
                #expect(taken == place / 4 * 4, "byte \(byte)")
            }
        }
    }
}
