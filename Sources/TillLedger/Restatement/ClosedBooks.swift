import TillColumns

/// The revenue of closed months by one set of documents and rules.
public struct ClosedBooks: Sendable {
    /// The rows of the report as it prints them, by the names of their keys.
    public var rows: [[String?]: PrintedRevenue]
    /// The exact figures of each transaction in each group, in the order of ``RevenueBooking/precedes(_:)``, each pair
    /// once; empty if transactions are not kept. A booking takes 112 bytes.
    public private(set) var bookings: [RevenueBooking]

    /// - Parameter bookings: in any order; several of one transaction and group are added up.
    public init(rows: [[String?]: PrintedRevenue] = [:], bookings: [RevenueBooking] = []) {
        self.rows = rows
        self.bookings = []
        for booking in bookings.sorted(by: { $0.precedes($1) }) {
            if let last = self.bookings.last, !last.precedes(booking) {
                self.bookings[self.bookings.count - 1].figures += booking.figures
            } else {
                self.bookings.append(booking)
            }
        }
    }

    /// The part of the books in the closed period.
    public func limited(to scope: ClosedScope, _ index: BookingIndex) -> ClosedBooks {
        var limited = self
        limited.rows = rows.filter { scope.includes($0.key) }
        let isIncluded = index.groups.map(scope.includes)
        limited.bookings = bookings.filter { isIncluded[Int($0.group)] }
        return limited
    }
}

/// The sales, refunds and reversals of a transaction in a group of revenue.
public struct RevenueBooking: Sendable {
    /// The key of all transactions that cannot be distinguished: those without an id, and those whose id may not be
    /// unique.
    public static let nameless = UInt128.max

    /// Identifies the transaction in every ledger (``SettledLedger/key(of:)``).
    public let transaction: UInt128
    /// The number of the group in a ``BookingIndex``.
    public let group: Int32
    /// Not rounded.
    public var figures: RevenueFigures

    /// Takes exact figures, with the key of a transaction and the number of a group in one ``BookingIndex``.
    public init(_ transaction: UInt128, group: Int32, _ figures: RevenueFigures) {
        self.transaction = transaction
        self.group = group
        self.figures = figures
    }

    /// By transaction, then by group.
    public func precedes(_ other: RevenueBooking) -> Bool {
        transaction != other.transaction ? transaction < other.transaction : group < other.group
    }
}

/// The numbers of groups and the ids of transactions that several books have in common.
public struct BookingIndex: Sendable {
    /// By number, the names of the keys of a group; `nil` for a key that is not known.
    public private(set) var groups: [[String?]] = []
    private var numbers: [[String?]: Int32] = [:]
    /// Ids that are not numbers.
    private var texts: [UInt128: String] = [:]

    /// Starts without groups and ids; the first group gets the number 0.
    public init() {}

    /// The number of a group; a new group gets one.
    public mutating func group(_ names: [String?]) -> Int32 {
        if let number = numbers[names] { return number }
        let number = Int32(groups.count)
        numbers[names] = number
        groups.append(names)
        return number
    }

    /// The key of a transaction. Notes the id for ``identifier(of:)``.
    public mutating func key(of number: Int, in part: borrowing SettledLedger) -> UInt128 {
        guard let key = part.key(of: number) else { return RevenueBooking.nameless }
        if key >> 64 != 0, texts[key] == nil { texts[key] = part.identifier(of: number) }
        return key
    }

    /// The id of a transaction; `nil` for transactions that cannot be distinguished.
    public func identifier(of key: UInt128) -> String? {
        guard key != RevenueBooking.nameless else { return nil }
        return texts[key] ?? "\(key)"
    }
}

extension SettledLedger {
    /// A number that identifies a transaction in every ledger; `nil` if it has no id, or its id may not be unique.
    package func key(of number: Int) -> UInt128? {
        let entry = table.entries[number]
        guard !entry.isAlone, entry.identifier != TransactionEntry.unknown else { return nil }
        let identifier = Identifier(word: entry.identifier)
        guard let code = identifier.code else { return UInt128(UInt64(bitPattern: entry.identifier)) }
        // No number has the highest bit, and `nameless` has all of them.
        return (texts.withBytes(of: code, TextDictionary.fingerprint) | 1 << 127) & ~1
    }

    /// The keys of all transactions of this part, of all environments.
    package func forEachKey(_ body: (UInt128) -> Void) {
        for number in 0..<table.count {
            if let key = key(of: number) { body(key) }
        }
    }
}
