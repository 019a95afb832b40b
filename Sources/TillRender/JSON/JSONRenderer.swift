public import TillReportModel

/// The format of the contract for programs: one object with a line per row.
///
///     {"report":"restores","version":1,
///     "restores":{"restored":1,"eligible":3,"rate":0.333333},
///     "by_product":[
///     {"product_id":"pro","restored":1,"eligible":3,"rate":0.333333}
///     ]}
///
/// Amounts are exact JSON numbers with the decimals of their currency. Shares are rounded half to even to six decimals.
/// An unknown value is `null`. Notes and titles are for people and are omitted.
public struct JSONRenderer: PiecewiseRenderer {
    public static let name = "json"
    public static let summary = "One JSON object with a line per row, for programs"
    public static let fileExtensions = ["json"]
    public static let isForPeople = false

    public init() {}

    public func write(
        _ document: ReportDocument,
        options: RenderOptions,
        to sink: (_ piece: [UInt8]) throws -> Void
    ) rethrows {
        var writer = JSONWriter(jobs: options.jobs)
        try writer.write(document, to: sink)
        writer.bytes += "\n".utf8
        try writer.bytes.flush(to: sink)
    }
}
