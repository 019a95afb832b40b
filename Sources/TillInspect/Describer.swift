import TillReceipts
import TillReportModel

/// Builds the tree of a document of one format.
///
/// What a format does not do in its own way is shown as what it is: JSON by members, BER by elements, text as text. So
/// a format that has no describer is shown all the same.
protocol Describer: Sendable {
    /// The name of the format; empty for what is of none.
    static var format: String { get }
    /// What members of this format mean, beyond those that mean the same everywhere.
    static var vocabulary: Vocabulary { get }

    static func describe(json bytes: [UInt8], in context: inout InspectionContext) -> InspectedNode
    static func describe(binary bytes: [UInt8], in context: inout InspectionContext) -> InspectedNode
    static func describe(text bytes: [UInt8], in context: inout InspectionContext) -> InspectedNode
}

extension Describer {
    static var vocabulary: Vocabulary { .common }

    static func describe(json bytes: [UInt8], in context: inout InspectionContext) -> InspectedNode {
        JSONDescriber.describe(bytes, vocabulary: vocabulary, in: &context)
    }

    static func describe(binary bytes: [UInt8], in context: inout InspectionContext) -> InspectedNode {
        ElementDescriber.describe(bytes, in: &context)
    }

    static func describe(text bytes: [UInt8], in context: inout InspectionContext) -> InspectedNode {
        context.describeUnknown(DocumentTrace.Layer(kind: .text, bytes: bytes))
    }
}

/// The describers of formats that need one; a new one is a line here.
enum DescriberRegistry {
    static let all: [any Describer.Type] = [
        PKCS7Describer.self,
        LegacyDescriber.self,
        VerifyDescriber.self,
        JWSDescriber.self,
        NotificationDescriber.self,
        EventDescriber.self,
    ]

    static func describer(for format: String?) -> any Describer.Type {
        all.first { $0.format == format } ?? PlainDescriber.self
    }
}

/// Shows what is of no format, or of one that has no describer.
enum PlainDescriber: Describer {
    static let format = ""
}

/// verifyReceipt: responses, requests and pairs of the two.
enum VerifyDescriber: Describer {
    static let format = VerifyFormat.name
    static let vocabulary = Vocabulary.common.adding(["status": .verifyReceiptStatus])
}

/// App Store Server Notifications of both versions.
enum NotificationDescriber: Describer {
    static let format = NotificationFormat.name
    static let vocabulary = Vocabulary.common.adding([
        "unified_receipt.status": .verifyReceiptStatus, "data.status": .code(CodeNames.subscriptionStatus),
        "price": .milliunits, "renewalPrice": .milliunits,
    ])
}
