import Crypto
import Testing
import TillTestSupport
import TillTrust

@Suite("The device of a receipt")
struct DeviceTests {
    private static let device = "7E3FB20B-4CDB-47CC-936D-99D65F608138"
    private static let octets: [UInt8] = [
        0x7E, 0x3F, 0xB2, 0x0B, 0x4C, 0xDB, 0x47, 0xCC, 0x93, 0x6D, 0x99, 0xD6, 0x5F, 0x60, 0x81, 0x38,
    ]

    /// A receipt whose attribute 5 is SHA-1 over the device, attribute 4 and the octets of attribute 2.
    private func receipt(device: [UInt8] = octets, hasHash: Bool = true) throws -> [UInt8] {
        let chain = try TestChain.rsa()
        let (bundleID, opaque) = (DER.utf8("com.example.app"), [UInt8](1...16))
        let hash = Array(Insecure.SHA1.hash(data: device + opaque + bundleID))
        var receipt = try SignedReceipt(chain)
        receipt.payload =
            ReceiptDER(
                [
                    ReceiptDER.attribute(2, bundleID), ReceiptDER.attribute(4, opaque, version: 2),
                    ReceiptDER.attribute(12, DER.ia5("2026-03-02T10:15:00Z")),
                ] + (hasHash ? [ReceiptDER.attribute(5, hash)] : [])
            ).payload
        return try receipt.octets(signedBy: chain.keys.leaf)
    }

    private func outcome(_ octets: [UInt8], device: String?) throws -> String {
        let chain = try TestChain.rsa()
        return Judged(octets, try .trusting(try chain.root.signed(by: chain.keys.root), device: device)).outcome
    }

    @Test("A receipt of the named device is trusted, and one of another device is not")
    func compares() throws {
        #expect(try outcome(try receipt(), device: Self.device) == "trusted")
        #expect(try outcome(try receipt(), device: "00000000-0000-0000-0000-000000000000") == "trust.device")
        #expect(try outcome(try receipt(hasHash: false), device: Self.device) == "trust.device")
        #expect(try outcome(try receipt(hasHash: false), device: nil) == "trusted")
    }

    @Test("A device identifier is a UUID or the MAC address of a network interface")
    func reads() throws {
        #expect(DeviceIdentifier("a4:83:e7:01:02:03") == DeviceIdentifier("A483E7010203"))
        let mac = try receipt(device: [0xA4, 0x83, 0xE7, 1, 2, 3])
        #expect(try outcome(mac, device: "a4:83:e7:01:02:03") == "trusted")
        for text in ["", "12", "xyz", "a4:83:e7:01:02:0", Self.device + "0"] {
            #expect(DeviceIdentifier(text) == nil, "\(text)")
        }
    }
}
