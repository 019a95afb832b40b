import TillColumns
import TillCore
import TillInput
import TillLedger
import TillRows
import TillSystem

/// The instant from which `--since 24h` counts back: now, as the events and responses tell it, or the newest of the
/// other records where that is later.
///
/// It needs a separate reading, because rows are filtered by the period as they are read. For a pipe, which can be read
/// only once, the present time is used.
struct NewestRecord {
    /// Which dates count.
    enum Dates: Sendable {
        /// The dates of every row.
        case all
        /// The dates of events and responses, by which failures are dated.
        case eventsAndResponses
    }

    /// Takes the times of the rows.
    struct Consumer: AccountedConsumer {
        let account: RunAccount
        let dates: Dates
        private var hours = RecordHours()
        private var newestOfOthers: Int64?

        fileprivate init(_ account: RunAccount, _ dates: Dates) { (self.account, self.dates) = (account, dates) }

        /// In milliseconds; `nil` where no record has a time.
        var newest: Int64? { [hours.now, newestOfOthers].compactMap(\.self).max() }

        mutating func consume(_ rows: borrowing RowBatch, source: String, firstDocument: Int, count: Int) throws {
            hours.count(rows)
            guard dates == .all, let time = NewestRecord.time(ofOthers: rows) else { return }
            newestOfOthers = max(newestOfOthers ?? time, time)
        }
    }

    /// The newest time of some rows; `nil` if none has one.
    static func time(of rows: borrowing RowBatch) -> Int64? {
        [time(in: rows.events, [.at]), time(in: rows.documents, [.loggedAt]), time(ofOthers: rows)]
            .compactMap(\.self).max()
    }

    /// The newest time of transactions, renewals and signed documents.
    private static func time(ofOthers rows: borrowing RowBatch) -> Int64? {
        [
            time(in: rows.transactions, [.purchaseDate, .cancellationDate, .refundReversedAt, .observedAt]),
            time(in: rows.documents, [.observedAt]), time(in: rows.renewals, [.observedAt]),
        ]
        .compactMap(\.self).max()
    }

    private static func time<Column: TableColumn>(
        in rows: borrowing RecordBatch<Column>,
        _ columns: [Column]
    ) -> Int64? {
        var newest: Int64?
        for column in columns {
            for row in 0..<rows.rowCount {
                if let instant = rows[column, row], instant > newest ?? .min { newest = instant }
            }
        }
        return newest
    }

    /// Reads the inputs for their newest record.
    ///
    /// - Parameters:
    ///   - environments: those whose rows count; `nil` for all.
    ///   - isQuiet: whether no message is written if the present time is used.
    /// - Returns: `nil` if an input can be read only once, or no record has a time. The present time counts then.
    static func time(
        in paths: [String],
        _ reading: ReadOptions,
        _ environments: EnvironmentFilter?,
        _ dates: Dates,
        showsProgress: Bool,
        isQuiet: Bool
    ) async throws -> Timestamp? {
        let files = try RunAccount.files(paths, rejects: .quiet)
        if let once = files.first(where: { $0.size == nil }) {
            if !isQuiet {
                let name = once == .standardInput ? "standard input" : once.name
                Output.writeError(
                    "tillroll: --since counts back from now, \(now), because \(name) can be read only once"
                )
            }
            return nil
        }
        let stream = try await read(files, reading, environments, dates, showsProgress: showsProgress)
        return stream.consumer.newest.map { Timestamp(milliseconds: $0) }
    }

    /// Reads files for their newest record; the consumer of the stream has it.
    static func read(
        _ files: [InputFile],
        _ reading: ReadOptions,
        _ environments: EnvironmentFilter?,
        _ dates: Dates,
        showsProgress: Bool
    ) async throws -> DocumentStream<Consumer> {
        var options = reading
        options.wanted = [.numbers, .dimensions]
        options.rejectLimit = 0
        options.filter = RowFilter()
        options.filter.environments = environments
        let account = try RunAccount(files, rejects: .quiet, showsProgress: showsProgress)
        var stream = DocumentStream(files, options: options, consumer: Consumer(account, dates))
        try await account.read(&stream)
        return stream
    }

    static var now: Timestamp { Timestamp(milliseconds: Int64(Machine.time / 1_000_000_000) * 1000) }
}
