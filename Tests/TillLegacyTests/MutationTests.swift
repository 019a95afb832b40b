import Testing
import TillCore
import TillInput
import TillReceipts
import TillTestSupport

/// Receipts with bytes changed, removed, doubled or joined: whatever comes, it is read or rejected.
@Suite("Mutated legacy receipts")
struct MutationTests {
    static let seeds: [[UInt8]] = [
        ReceiptText.receipt(), ReceiptText.list(ReceiptText.purchase), ReceiptText.base64(ReceiptText.receipt()),
        ReceiptText.base64(ReceiptText.receipt(), at: 64, "\n"),
        ReceiptText.xml(ReceiptText.purchase), XMLPropertyListTests.head + "<plist><dict/></plist>",
        PrintedAnswerTests.printed, "{ a = (<00 0A>, \"\\U00e9\\101\", /* b */ { c = d }); product-id = x; }",
    ].map { Array($0.utf8) }

    static let pieces = [
        "{", "}", "(", ")", "\"", "\\", "\\U", "\\Ud83d", "<", ">", "<!--", "]]>", "<![CDATA[", "&", "&#", "&amp;",
        "&x;",
        "<!DOCTYPE plist [", "/*", "//", "=", ";", ",", "\u{0}", "\u{FEFF}", "\n", "ewo", "PD94", "<plist>", "</plist>",
        "<dict>", "<key>", "<data>", "%2B", "status = 0;", "purchase-info = ",
    ].map { Array($0.utf8) }

    static func mutated(_ generator: inout SplitMix64) -> [UInt8] {
        var octets = generator.pick(seeds)
        while generator.once(in: 2) {
            octets.insert(contentsOf: generator.pick(pieces), at: generator.below(octets.count + 1))
        }
        return generator.once(in: 4) ? octets : generator.mutation(of: octets)
    }

    /// What both readers of property lists throw.
    static func errors(_ octets: [UInt8]) -> [Finding] {
        var errors: [Finding] = []
        do throws(Finding) {
            _ = try PropertyListParser.parse(octets.span.bytes)
        } catch {
            errors.append(error)
        }
        do throws(Finding) {
            _ = try XMLPropertyList.parse(octets.span.bytes)
        } catch {
            errors.append(error)
        }
        return errors
    }

    @Test("Every mutation is accepted or rejected, and errors lie inside the text", arguments: [1, 2] as [UInt64])
    func mutations(_ seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        let clock = ContinuousClock()
        let end = clock.now.advanced(by: .seconds(2))
        var (count, accepted) = (0, 0)
        var reader = DocumentReader()
        while clock.now < end, count < 20_000 {
            let octets = Self.mutated(&generator)
            let reading = Reading(octets, with: &reader)
            accepted += reading.documents.count
            for reject in reading.rejects where reject.offset + reject.length > octets.count {
                Issue.record("seed \(seed), mutation \(count): a reject outside the text")
            }
            for error in Self.errors(octets) {
                #expect((0...octets.count).contains(error.offset), "seed \(seed), mutation \(count)")
            }
            count += 1
        }
        #expect(accepted > 0, "seed \(seed): \(count) mutations")
    }
}
