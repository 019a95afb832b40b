import Testing
import TillCore
import TillTestSupport

@Suite("Instants of a log")
struct MinuteCacheTests {
    /// Instants as logs write them, some seconds or a year apart.
    private static func texts(_ random: inout SplitMix64) -> [String] {
        let minutes = [
            "2024-03-04T00:00", "2024-03-04T00:01", "2024-02-29 23:59", "2023-02-29T23:59", "0000-00-00T00:00",
        ]
        return (0..<2000).map { _ in
            let second = String(100 + random.below(62)).suffix(2)
            let fraction = String(1000 + random.below(1000)).suffix(3)
            return "\(random.pick(minutes)):\(second).\(fraction)Z"
        }
    }

    @Test("The minute of the one before makes no difference", arguments: Seeds.some(of: UInt64(1)...8))
    func readsTheSame(_ seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var cache = MinuteCache()
        var sound = 0
        for text in Self.texts(&random) {
            // Most of those that are no instant are nearly one.
            let bytes = random.once(in: 2) ? random.mutation(of: Array(text.utf8)) : Array(text.utf8)
            let expected = Timestamp.parse(bytes.span.bytes)
            let found = cache.instant(of: bytes.span.bytes)
            if found != expected {
                Issue.record("\(String(decoding: bytes, as: UTF8.self)): \(String(describing: found))")
            }
            sound += expected == nil ? 0 : 1
        }
        #expect(sound > 100)
    }

    @Test("Every byte of an instant, changed to all others, is read as without a minute before")
    func everyByte() {
        let text = Array("2024-03-04T19:36:40.125Z".utf8)
        var cache = MinuteCache()
        for index in text.indices {
            for byte in UInt8.min ... .max {
                #expect(cache.instant(of: text.span.bytes)?.milliseconds == 1_709_581_000_125)
                var changed = text
                changed[index] = byte
                let (found, expected) = (cache.instant(of: changed.span.bytes), Timestamp.parse(changed.span.bytes))
                if found != expected { Issue.record("byte \(index), \(byte): \(String(describing: found))") }
            }
        }
    }
}
