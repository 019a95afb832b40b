import TillCore
import TillReceipts
import TillReportModel

/// Says in words what the value of a member means.
enum ValueMeaning {
    static func text(
        of value: InspectedNode.Value,
        named name: String,
        in parent: String,
        _ vocabulary: Vocabulary
    ) -> String? {
        switch vocabulary.meaning(of: name, in: parent) {
        case .verifyReceiptStatus: return value.integer.flatMap(CodeNames.verifyReceiptStatus)
        case .code(let names): return value.integer.flatMap { names[$0] }
        case .milliunits: return value.integer.map(units)
        case .message, .certificates: return nil
        case nil: return Vocabulary.isInstant(name) ? instant(value, named: name) : nil
        }
    }

    /// An instant in milliseconds, which comes as a number or a string of one, with a fraction from Xcode (quirk 35).
    ///
    /// What a dump adds itself may be seconds: a number too small for milliseconds since 1973.
    private static func instant(_ value: InspectedNode.Value, named name: String) -> String? {
        guard let digits = value.digits, digits.utf8.count >= 9 else { return nil }
        guard var number = ScaledDecimal.parse(Array(digits.utf8).span.bytes, scale: 0, excess: .truncate) else {
            return nil
        }
        if !name.hasSuffix("ms"), !name.lowercased().hasSuffix("date"), number.magnitude < 100_000_000_000 {
            number *= 1000
        }
        return Timestamp(milliseconds: number).description
    }

    /// Thousandths as units with three decimals, the currency being another member.
    private static func units(_ thousandths: Int64) -> String {
        let (whole, rest) = (thousandths.magnitude / 1000, thousandths.magnitude % 1000)
        let decimals = String(repeating: "0", count: 3 - String(rest).count) + String(rest)
        return "\(thousandths < 0 ? "-" : "")\(whole).\(decimals) in the currency's units"
    }
}

extension InspectedNode.Value {
    /// The integer that the value is, in whatever spelling: a number, a string of one, a flag.
    var integer: Int64? {
        switch self {
        case .text("true"), .flag(true): 1
        case .text("false"), .flag(false): 0
        case .text(let text), .number(let text): Int64(text)
        case .null, .octets, .masked: nil
        }
    }

    /// The decimal number that the value is, as it is spelled.
    var digits: String? {
        switch self {
        case .text(let text), .number(let text):
            text.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2E || $0 == 0x2D } ? text : nil
        case .flag, .null, .octets, .masked: nil
        }
    }
}

/// What is shown of a text.
enum TextValue {
    /// The text, without what tells of a device where it is that of an error, and masked where it holds a secret.
    static func value(_ octets: [UInt8], isMessage: Bool, in context: InspectionContext) -> InspectedNode.Value {
        guard !context.options.showsPrivate else { return .text(String(decoding: octets, as: UTF8.self)) }
        if isMessage {
            return .text(String(decoding: MessageRedaction.redacted(octets.span.bytes), as: UTF8.self))
        }
        let mayHide = Privacy.isOpaque(octets, limit: Privacy.blobLimit)
        guard !mayHide, !Privacy.isMentioned(in: octets) else { return .masked(byteCount: octets.count) }
        return .text(String(decoding: octets, as: UTF8.self))
    }
}
