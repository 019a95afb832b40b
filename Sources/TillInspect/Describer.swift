import TillReceipts
import TillReportModel

/// Builds the tree of documents of one format.
///
/// By default JSON is shown by members, BER by elements, and text as text, so a format needs no describer to be shown.
struct Describer: Sendable {
    typealias Describe = @Sendable (_ bytes: [UInt8], _ context: InspectionContext) -> InspectedNode

    /// The name of the format; `nil` for documents of no format.
    var format: String?
    /// The meanings of members: those common to all formats, and those of this format.
    var vocabulary = Vocabulary.common
    var binary: Describe = { BERWalk.describe($0, in: $1) }
    var text: Describe = { $1.describeUnknown($0) }

    /// The describers of formats that need one. A new describer is a line here.
    private static let all = [
        Describer(format: PKCS7Format.name, binary: { PKCS7Describer.describe($0, in: $1) }),
        Describer(format: LegacyFormat.name, text: { LegacyDescriber.describe($0, in: $1) }),
        Describer(format: VerifyFormat.name, vocabulary: .verifyReceipt),
        Describer(format: JWSFormat.name, vocabulary: .serverAPI),
        Describer(format: NotificationFormat.name, vocabulary: .serverAPI),
        Describer(format: EventFormat.name, text: { EventDescriber.describe($0, in: $1) }),
    ]

    static func describer(for format: String?) -> Describer { all.first { $0.format == format } ?? Describer() }
}
