import CKernels
import Testing

@Suite("Scanning strings with vectors")
struct StringScanTests {
    private static func isStop(_ byte: UInt8) -> Bool { byte < 0x20 || byte >= 0x80 || byte == 0x22 || byte == 0x5C }

    private static func withBytes<Result>(_ bytes: [UInt8], _ body: (UnsafeRawPointer) -> Result) throws -> Result {
        try bytes.withUnsafeBytes { body(try #require($0.baseAddress)) }
    }

    @Test("Every path finds every stop byte, and no other byte, at each of 32 positions", arguments: 0...31)
    func agreesWithTheRule(place: Int) throws {
        for byte in UInt8.min...UInt8.max {
            var bytes = Array(repeating: UInt8(ascii: "a"), count: 32)
            bytes[place] = byte
            let expected = Self.isStop(byte) ? place : 32
            let found = try Self.withBytes(bytes) {
                [Int(till_plain_prefix32($0)), Int(till_plain_prefix32_portable($0)), till_plain_run($0, 32)]
            }
            #expect(found == [expected, expected, expected], "byte \(byte)")
        }
    }

    @Test("A run ends at its first stop, whatever its length and the bytes after it")
    func findsTheFirstStop() throws {
        var random = SystemRandomNumberGenerator()
        let seed = random.next()
        var state = seed
        func next(below bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }
        for _ in 0..<2000 {
            let count = next(below: 700)
            var bytes = (0..<count).map { _ in UInt8(0x23 + next(below: 0x39)) }
            for _ in 0..<next(below: 3) where count > 0 { bytes[next(below: count)] = UInt8(next(below: 256)) }
            bytes.append(0)
            let blocks = bytes.count / 32 * 32
            let expected = bytes.firstIndex(where: Self.isStop).flatMap { $0 < blocks ? $0 : nil } ?? blocks
            let found = try Self.withBytes(bytes) {
                [till_plain_run($0, bytes.count), till_plain_run_baseline($0, bytes.count)]
            }
            #expect(found == [expected, expected], "seed \(seed), \(count) bytes")
        }
    }
}
