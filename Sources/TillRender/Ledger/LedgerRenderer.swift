import TillCore
public import TillReportModel

/// Double entries as plain text, in the format that Ledger and hledger read.
///
///     2026-03-31 * Billed, 2026-03
///         assets:receivable:apple          USD 228.54
///         liabilities:deferred revenue    USD -228.54
///
/// An entry whose amount is an estimate has the mark `!` and a comment. A report without entries gives a comment only.
public struct LedgerRenderer: PiecewiseRenderer {
    public static let name = "ledger"
    public static let summary = "Double entries for hledger and Ledger, of the journal alone"
    public static let fileExtensions = ["journal", "ledger"]
    public static let isForPeople = false

    public init() {}

    public func write(
        _ document: ReportDocument,
        options: RenderOptions,
        to sink: (_ piece: [UInt8]) throws -> Void
    ) rethrows {
        let entries = document.flattened.flatMap(\.journal)
        var bytes = Array("; \(document.title.madeVisible)\n".utf8)
        if entries.isEmpty { bytes += "; This report has no entries.\n".utf8 }
        for entry in entries {
            Self.append(entry, to: &bytes)
            try bytes.flushIfFull(to: sink)
        }
        try bytes.flush(to: sink)
    }

    private static func append(_ entry: JournalEntry, to bytes: inout [UInt8]) {
        let mark = entry.isEstimated ? "!" : "*"
        bytes += "\n\(entry.day) \(mark) \(entry.description.madeVisible)".utf8
        if entry.isEstimated { bytes += "  ; estimate".utf8 }
        bytes += "\n".utf8
        let accounts = entry.postings.map(\.account.madeVisible)
        let amounts = entry.postings.map { "\($0.amount.currency) \($0.amount.decimalText)" }
        let width = accounts.map(\.count).max() ?? 0
        let amountWidth = amounts.map(\.count).max() ?? 0
        for (account, amount) in zip(accounts, amounts) {
            let blanks = String(repeating: " ", count: width - account.count + amountWidth - amount.count + 2)
            bytes += "    \(account)\(blanks)\(amount)\n".utf8
        }
    }
}
