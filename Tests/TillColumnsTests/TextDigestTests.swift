import CKernels
import Testing
import TillColumns
import TillTestSupport

@Suite("Digests of texts")
struct TextDigestTests {
    private static func key() -> till_digest_key {
        var key = till_digest_key()
        #expect(till_draw_digest_key(&key) == 0)
        return key
    }

    private struct ObjectDigest: Equatable {
        var count: Int
        var digest = TextDigest(till_digest())
        var hasLines = false
    }

    private typealias Kernel = (
        UnsafeRawPointer, Int, UnsafePointer<till_digest_key>, UnsafeMutablePointer<till_digest>,
        UnsafeMutablePointer<Int32>
    ) -> Int

    private static func object(
        _ text: [UInt8],
        limit: Int,
        _ key: inout till_digest_key,
        _ kernel: Kernel
    ) -> ObjectDigest {
        var (digest, lines) = (till_digest(), Int32(-1))
        let count = text.withUnsafeBytes { kernel($0.baseAddress!, limit, &key, &digest, &lines) }
        return count == 0
            ? ObjectDigest(count: 0) : ObjectDigest(count: count, digest: TextDigest(digest), hasLines: lines != 0)
    }

    @Test("Every path gives the same digest of texts of any length")
    func paths() {
        var key = Self.key()
        var random = SplitMix64(seed: 1)
        for count in Array(0...300) + [4000, 4064, 4065, 4095, 4096] {
            let text = random.bytes(count)
            let digests = text.withUnsafeBytes { bytes in
                withUnsafePointer(to: UInt8(0)) { nothing in
                    let base = bytes.baseAddress ?? UnsafeRawPointer(nothing)
                    return [till_text_digest(base, count, &key), till_text_digest_baseline(base, count, &key)]
                        .map(TextDigest.init)
                }
            }
            #expect(digests[0] == digests[1], "\(count) bytes")
            #expect(withUnsafePointer(to: key) { TextDigest(of: text.span.bytes, under: $0) } == digests[0])
        }
    }

    @Test("An object ends with its first closing brace, if no array ends before it, on every path")
    func objects() {
        var key = Self.key()
        var random = SplitMix64(seed: 2)
        var objects = 0
        for count in Array(1...200) + [4094, 4095, 4096, 4097] {
            var text = [UInt8](repeating: 0x61, count: count)
            text[count - 1] = 0x7D
            if count > 3, random.once(in: 3) {
                text[1 + random.below(count - 2)] = random.pick([0x0A, 0x5D, 0x7D, 0x5B, 0x7B])
            }
            let end = text.firstIndex { $0 == 0x7D || $0 == 0x5D } ?? 0
            text += Array("}]}".utf8) + [UInt8](repeating: 0, count: 32)
            for limit in [count, count + 3, max(0, count - 1)] {
                let found = Self.object(text, limit: limit, &key, till_object_digest)
                #expect(
                    found == Self.object(text, limit: limit, &key, till_object_digest_baseline),
                    "\(count), \(limit)"
                )
                let isObject = text[end] == 0x7D && end < limit && end < TextDigest.longest
                #expect(found.count == (isObject ? end + 1 : 0))
                guard isObject else { continue }
                objects += 1
                let object = Array(text[...end])
                #expect(found.digest == withUnsafePointer(to: key) { TextDigest(of: object.span.bytes, under: $0) })
                #expect(found.hasLines == object.contains(0x0A))
            }
        }
        #expect(objects > 200)
    }

    @Test(
        "Texts that differ in a bit, a byte or their length have different digests, and so does one text with two keys"
    )
    func differ() {
        let keys = [Self.key(), Self.key()]
        var random = SplitMix64(seed: 3)
        var seen: Set<TextDigest> = []
        var count = 0
        for length in [1, 7, 8, 31, 32, 33, 64, 700] {
            let text = random.bytes(length)
            var texts = [text, text + [0], [0] + text, Array(repeating: 0, count: length)]
            for index in 0..<length * 8 {
                var other = text
                other[index / 8] ^= 1 << UInt8(index % 8)
                texts.append(other)
            }
            for key in keys {
                for text in texts {
                    seen.insert(withUnsafePointer(to: key) { TextDigest(of: text.span.bytes, under: $0) })
                }
                count += texts.count
            }
        }
        #expect(seen.count == count)
    }
}
