/// The causes of changed figures in closed months, in the order of reports.
public enum RestatementCause: String, CaseIterable, Sendable {
    /// Today's documents have it, and the documents of the closed report did not.
    case lateDocument = "late_document"
    /// A refund made after the closed months, where refunds are booked in the month of the purchase.
    case refundByPurchase = "refund_by_purchase"
    /// Another price list, catalogue or default territory.
    case priceList = "price_list"
    /// Other exchange rates, or other rules for their dates.
    case rate
    /// Other dates of refunds, or other environments.
    case rule
    /// The cause cannot be derived from the file.
    case notAttributed = "not_attributed"
}

/// The differences between books of closed months, by cause.
///
/// From the closed books to today's books there is a sequence of books, and each step changes one thing. The effect of
/// a cause is the difference between the printed rows of two consecutive books. So the causes add up to today's printed
/// rows minus the closed ones, to the minor unit, for any rounding.
///
///     documents of then                            documents of today
///     printed ─▶ prices ─▶ rates ─▶ rules ─▶ late documents ─▶ printed today
///               of today  of today  of today
public struct ClosedChanges: Sendable {
    /// The effect of a cause on a row.
    public struct Row: Sendable {
        /// The names of the key values.
        public let names: [String?]
        /// The step that changed the row; a row that several steps changed is there once for each.
        public let cause: RestatementCause
        /// The printed figures of today less those of the closed report.
        public let revenue: PrintedRevenue
    }

    /// The effect of a cause on the exact figures of a transaction in a group.
    public struct Transaction: Sendable {
        /// The transaction and its group, with the exact figures of today less those of the closed report.
        public let booking: RevenueBooking
        /// The step that changed the figures; a transaction that several steps changed is there once for each.
        public let cause: RestatementCause
    }

    /// In no particular order; rows whose figures are 0 are omitted.
    public private(set) var rows: [Row] = []
    /// The effects on single transactions; empty if transactions are not kept.
    public private(set) var transactions: [Transaction] = []

    /// Starts without changes; ``add(_:_:)`` adds those of one cause.
    public init() {}

    /// Adds the difference of books: those with sign 1 minus those with sign -1.
    public mutating func add(_ cause: RestatementCause, _ terms: [(books: ClosedBooks, sign: Int64)]) {
        var sums: [[String?]: PrintedRevenue] = [:]
        for (books, sign) in terms {
            for (names, revenue) in books.rows { sums[names, default: PrintedRevenue()].add(revenue, times: sign) }
        }
        for (names, revenue) in sums where !revenue.isZero {
            rows.append(Row(names: names, cause: cause, revenue: revenue))
        }
        Self.forEachDifference(terms) { transactions.append(Transaction(booking: $0, cause: cause)) }
    }

    /// Merges the sorted bookings of all books, and passes each difference to `body`.
    private static func forEachDifference(
        _ terms: [(books: ClosedBooks, sign: Int64)],
        _ body: (RevenueBooking) -> Void
    ) {
        let lists = terms.map(\.books.bookings)
        var places = lists.map { _ in 0 }
        while true {
            var least: RevenueBooking?
            for (list, place) in zip(lists, places) where place < list.count {
                if least.map({ list[place].precedes($0) }) ?? true { least = list[place] }
            }
            guard var sum = least else { return }
            sum.figures = RevenueFigures()
            for index in lists.indices where places[index] < lists[index].count {
                let booking = lists[index][places[index]]
                guard !sum.precedes(booking) else { continue }
                sum.figures.add(booking.figures, times: terms[index].sign)
                places[index] += 1
            }
            if !sum.figures.isZero { body(sum) }
        }
    }
}

/// The figures of a row as a report prints them, or a difference of such.
public struct PrintedRevenue: Hashable, Sendable {
    /// Amounts in the base currency, rounded, in millionths.
    public struct Converted: Hashable, Sendable {
        /// The prices of the sales, before refunds.
        public var gross: Int128
        /// Refunded amounts less reversals.
        public var refunds: Int128

        /// Makes amounts of 0 by default, as those of a report without a conversion are.
        public init(gross: Int128 = 0, refunds: Int128 = 0) {
            self.gross = gross
            self.refunds = refunds
        }
    }

    /// Rounded to the minor unit.
    public var figures: RevenueFigures
    /// `nil` if a printed amount is unknown because it has no rate; 0 without a conversion.
    public var converted: Converted?
    /// Sales and refunds without a rate.
    public var unconverted: Int64

    /// Makes a row of a report without a conversion, unless the caller gives converted amounts.
    public init(
        _ figures: RevenueFigures = RevenueFigures(),
        converted: Converted? = Converted(),
        unconverted: Int64 = 0
    ) {
        self.figures = figures
        self.converted = converted
        self.unconverted = unconverted
    }

    /// Adds another row, or subtracts it with sign -1. The sum has no converted amounts if one of the rows has none.
    public mutating func add(_ other: PrintedRevenue, times sign: Int64) {
        figures.add(other.figures, times: sign)
        unconverted += other.unconverted * sign
        if let mine = converted, let theirs = other.converted {
            converted = Converted(
                gross: mine.gross + theirs.gross * Int128(sign),
                refunds: mine.refunds + theirs.refunds * Int128(sign)
            )
        } else {
            converted = nil
        }
    }

    /// Whether all printed figures of a row are 0.
    public var isZero: Bool { figures.isZero && unconverted == 0 && converted ?? Converted() == Converted() }
}

extension RevenueFigures {
    /// Adds the figures that a row of revenue prints.
    mutating func add(_ other: RevenueFigures, times sign: Int64) {
        transactions += other.transactions * sign
        units += other.units * sign
        gross += other.gross * Int128(sign)
        refundedTransactions += other.refundedTransactions * sign
        refunds += other.refunds * Int128(sign)
        unpricedUnits += other.unpricedUnits * sign
    }

    /// Whether all figures that a row of revenue prints are 0.
    var isZero: Bool {
        transactions == 0 && units == 0 && gross == 0 && refundedTransactions == 0 && refunds == 0 && unpricedUnits == 0
    }
}
