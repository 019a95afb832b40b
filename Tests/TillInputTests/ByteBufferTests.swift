import Testing
import TillCore
import TillInput

@Suite("Buffers with padding")
struct ByteBufferTests {
    private static func padded(_ buffer: ByteBuffer) -> [UInt8] {
        buffer.withPaddedBytes { $0.withUnsafeBytes { Array($0) } }
    }

    @Test("Zero bytes follow the contents, also where other bytes stood before")
    func padsWithZeros() {
        let buffer = ByteBuffer(capacity: 4)
        let noise = [UInt8](repeating: 0xFF, count: 500)
        for count in [0, 1, 63, 64, 200, 3] {
            buffer.removeAll()
            buffer.append(noise.span.bytes)
            buffer.truncate(to: count)
            let expected = Array(noise[..<count]) + Array(repeating: 0, count: ByteBuffer.padding)
            #expect(Self.padded(buffer) == expected)
            #expect(buffer.count == count)
        }
    }

    @Test("Appended bytes follow one another while the buffer grows")
    func appends() throws {
        let buffer = ByteBuffer()
        var model: [UInt8] = []
        for round in 0..<200 {
            let bytes = (0..<round % 17).map { UInt8(truncatingIfNeeded: $0 + round) }
            buffer.append(bytes.span.bytes)
            let written = try buffer.append(upTo: 10) { target throws(Finding) in
                target.copyBytes(from: bytes.prefix(3))
                return min(3, bytes.count)
            }
            #expect(written == min(3, bytes.count))
            model += bytes + bytes.prefix(3)
            if round % 31 == 0 { buffer.reserve(model.count * 2) }
        }
        #expect(Self.padded(buffer).dropLast(ByteBuffer.padding) == model[...])
    }

    @Test("A source that fails adds nothing")
    func keepsContentsOnFailure() {
        let buffer = ByteBuffer()
        let failure = Finding(.unreadable, source: "-", reason: "broken")
        #expect(throws: failure) {
            _ = try buffer.append(upTo: 100) { _ throws(Finding) in throw failure }
        }
        #expect(buffer.count == 0)
    }
}
