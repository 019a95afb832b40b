import TillColumns
import TillCore
import TillJSON
import TillRows

/// Cells as text, appended to bytes without a `String` between.
struct RowText {
    /// The day that was written last, and its `2031-02-03T`: instants of one dump lie close together.
    private var day = Int64.min
    private var dayText: [UInt8] = []

    /// RFC 3339 in UTC with milliseconds.
    mutating func append(instant: Int64, to bytes: inout [UInt8]) {
        let day = instant.dividedFloor(by: Timestamp.millisecondsPerDay)
        if day != self.day {
            self.day = day
            dayText = Array(Timestamp(milliseconds: instant).text(alwaysWithMilliseconds: true).utf8)
            dayText.removeLast(13)
        }
        bytes += dayText
        let time = Int(Timestamp(milliseconds: instant).day.millisecondOfDay)
        let seconds = time / 1000
        Self.append(seconds / 3600, digits: 2, to: &bytes)
        bytes.append(0x3A)
        Self.append(seconds / 60 % 60, digits: 2, to: &bytes)
        bytes.append(0x3A)
        Self.append(seconds % 60, digits: 2, to: &bytes)
        bytes.append(0x2E)
        Self.append(time % 1000, digits: 3, to: &bytes)
        bytes.append(0x5A)
    }

    private static func append(_ value: Int, digits: Int, to bytes: inout [UInt8]) {
        if digits > 2 { bytes.append(UInt8(value / 100) + 0x30) }
        bytes.append(UInt8(value / 10 % 10) + 0x30)
        bytes.append(UInt8(value % 10) + 0x30)
    }

    static func append(number: Int64, to bytes: inout [UInt8]) {
        if number < 0 { bytes.append(0x2D) }
        let start = bytes.count
        var rest = number.magnitude
        repeat {
            bytes.append(UInt8(rest % 10) + 0x30)
            rest /= 10
        } while rest > 0
        bytes[start...].reverse()
    }

    static func append(bool: Int64, to bytes: inout [UInt8]) {
        bytes += (bool == 0 ? "false" : "true").utf8
    }
}

/// The order of the rows of a batch: those of a document together, its tables in the order of the contract.
enum RowOrder {
    static func forEach(
        _ rows: borrowing RowBatch,
        tables: [TableName],
        _ body: (TableName, Int) throws -> Void
    ) rethrows {
        var next = (transactions: 0, documents: 0, events: 0, renewals: 0)
        func has(_ table: TableName) -> Bool { tables.contains(table) }
        let ends = (
            transactions: has(.transactions) ? rows.transactions.rowCount : 0,
            documents: has(.documents) ? rows.documents.rowCount : 0,
            events: has(.events) ? rows.events.rowCount : 0,
            renewals: has(.renewals) ? rows.renewals.rowCount : 0
        )
        while true {
            var document = Int64.max
            var table: TableName?
            func offer(_ candidate: TableName, _ number: Int64?) {
                guard table == nil || number ?? .min < document else { return }
                (table, document) = (candidate, number ?? .min)
            }
            if next.transactions < ends.transactions {
                offer(.transactions, rows.transactions[.document, next.transactions])
            }
            if next.documents < ends.documents { offer(.documents, rows.documents[.document, next.documents]) }
            if next.events < ends.events { offer(.events, rows.events[.document, next.events]) }
            if next.renewals < ends.renewals { offer(.renewals, rows.renewals[.document, next.renewals]) }
            switch table {
            case nil: return
            case .transactions:
                try body(.transactions, next.transactions)
                next.transactions += 1
            case .documents:
                try body(.documents, next.documents)
                next.documents += 1
            case .events:
                try body(.events, next.events)
                next.events += 1
            case .renewals:
                try body(.renewals, next.renewals)
                next.renewals += 1
            }
        }
    }
}
