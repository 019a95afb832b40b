import TillLedger
import TillReportModel

/// Something about the input that a person has to look at.
enum ReportException: String, CaseIterable, Sendable {
    case rejected, unpriced, untrusted, conflicts
    case changedByUnsigned = "changed_by_unsigned"
    case unconverted, untaxed, undated
    /// Like ``undated``, of events and responses.
    case undatedEvents
    /// Events and responses with a time that cannot be.
    case impossibleTime = "impossible_time"
    /// Like ``clockAhead``, of events and responses.
    case eventsAhead
    case oddIDs = "odd_ids"
    case sameLineItem = "same_line_item"
    case otherEnvironment = "other_environment"
    case assumedQuantity = "assumed_quantity"
    case withheld
    case upgradesUnquantified = "upgrades_unquantified"
    case withoutExpiry = "without_expiry"
    case refundBeforePurchase = "refund_before_purchase"
    case clockAhead = "clock_ahead"

    /// All that concern reports of sales.
    static let ofSales = allCases.filter { ![.undatedEvents, .impossibleTime, .eventsAhead].contains($0) }

    /// The name in documents for programs.
    var name: String {
        switch self {
        case .undatedEvents: Self.undated.rawValue
        case .eventsAhead: Self.clockAhead.rawValue
        default: rawValue
        }
    }

    /// How often each of them is there.
    typealias Counts = [ReportException: Int]

    /// The counts of the whole input.
    ///
    /// ``unpriced`` and ``unconverted`` are figures of a report and of its period, so reports count them themselves.
    static func counts(
        of ledger: borrowing SettledLedger,
        _ input: InputSummary,
        _ sums: ReportSums
    ) -> Counts {
        let (coverage, sales) = (sums.coverage, sums.sales)
        return [
            .rejected: input.rejected, .untrusted: ledger.trust.untrustedRows, .conflicts: coverage.conflicts,
            .changedByUnsigned: coverage.changedByUnsigned, .undated: sales[.undated],
            .undatedEvents: ledger.omitted.undated,
            .assumedQuantity: sales[.assumedQuantity], .withheld: ledger.withheld, .oddIDs: ledger.oddIDCount,
            .upgradesUnquantified: sales[.upgradesUnquantified], .withoutExpiry: sales[.withoutExpiry],
            .refundBeforePurchase: sales[.refundBeforePurchase], .sameLineItem: sums.lineItems.count,
            .clockAhead: ledger.rules.newest.map { ledger.documentsAhead(of: $0) } ?? 0,
        ]
    }

    /// The sentence for people, with the flag or the command that shows more.
    ///
    /// - Parameter places: where it was found, as far as the report knows.
    func statement(_ count: Int, in places: ExceptionPlaces?, _ rules: LedgerRules) -> Statement {
        var sentence: Statement.Sentence = "\(.count(count)) \(words(isOne: count == 1))"
        if let places = places?.words { sentence = "\(sentence): \(places)" }
        // Without a price list there is none to check.
        if self == .unpriced, rules.prices == nil {
            return Statement("\(sentence); --prices FILE gives \(count == 1 ? "it" : "them") one", tone: .warning)
        }
        if let flag { return Statement("\(sentence); \(flag)", tone: .warning) }
        var statement = Statement(sentence, tone: .warning, command: command?.program)
        statement.operands = command?.operands ?? []
        return statement
    }

    private func words(isOne: Bool) -> String {
        switch self {
        case .rejected:
            isOne
                ? "document could not be read and is in no figure; --rejects FILE writes it"
                : "documents could not be read and are in no figure; --rejects FILE writes them"
        case .unpriced: isOne ? "unit has no price and is in no amount" : "units have no price and are in no amount"
        case .untrusted:
            isOne
                ? "transaction of an untrusted document is not counted"
                : "transactions of untrusted documents are not counted"
        case .conflicts: isOne ? "transaction has copies that differ" : "transactions have copies that differ"
        case .changedByUnsigned:
            isOne
                ? "transaction has a less trusted copy that differs; except for refunds, the more trusted one counts"
                : "transactions have less trusted copies that differ; except for refunds, the more trusted ones count"
        case .untaxed:
            isOne
                ? "sale or refund has no known tax, so tax and proceeds are not known"
                : "sales and refunds have no known tax, so tax and proceeds are not known"
        case .unconverted:
            isOne
                ? "sale or refund has no exchange rate and is in no converted amount"
                : "sales and refunds have no exchange rate and are in no converted amount"
        case .undated: isOne ? "sale has no date and is in no period" : "sales have no date and are in no period"
        case .undatedEvents:
            isOne
                ? "record has no time and is in no hour and no period"
                : "records have no time and are in no hour and no period"
        case .impossibleTime:
            isOne
                ? "record is dated before July 2008 or after 2099, as by another calendar: it counts, and is in no hour"
                : "records are dated before July 2008 or after 2099, as by another calendar: they count, and are in no hour"
        case .eventsAhead:
            isOne
                ? "record is dated after now, and moves nothing"
                : "records are dated after now, and move nothing"
        case .otherEnvironment:
            isOne
                ? "record of another environment is not counted; --environment selects it"
                : "records of other environments are not counted; --environment selects them"
        case .oddIDs:
            isOne
                ? "id is not in the usual form; a copy that writes it in another way counts as another transaction"
                : "ids are not in the usual form; copies that write them in another way count as other transactions"
        case .assumedQuantity:
            isOne
                ? "sale states no quantity and counts as one unit"
                : "sales state no quantity and count as one unit each"
        case .withheld:
            isOne
                ? "row of a failed response is not counted"
                : "rows of failed responses are not counted"
        case .upgradesUnquantified:
            isOne
                ? "upgraded sale is in full in the amounts; no document says how much of it Apple refunded"
                : "upgraded sales are in full in the amounts; no document says how much of them Apple refunded"
        case .withoutExpiry:
            isOne
                ? "charge of a subscription has no expiry and is earned at once; a period in --prices spreads it"
                : "charges of subscriptions have no expiry and are earned at once; a period in --prices spreads them"
        case .refundBeforePurchase:
            isOne
                ? "refund is dated before its purchase and booked on the day of the purchase"
                : "refunds are dated before their purchases and booked on the days of the purchases"
        case .sameLineItem:
            isOne
                ? "charge has two original ids and counts under each; Apple has changed the id"
                : "charges have two original ids and count under each; Apple has changed the ids"
        case .clockAhead:
            isOne
                ? "document is dated more than a year after the newest purchase and does not decide up to when data are known"
                : "documents are dated more than a year after the newest purchase and do not decide up to when data are known"
        }
    }

    /// The flag that mends it, if another run is needed.
    private var flag: String? {
        switch self {
        case .untaxed: "--tax FILE tells the tax"
        case .unconverted: "--fx FILE needs these rates"
        default: nil
        }
    }

    /// A command that shows more; `nil` if a flag or a table of the same report does.
    private var command: (program: String, operands: [Statement.Operand])? {
        switch self {
        case .rejected, .unconverted, .untaxed, .otherEnvironment: nil
        case .unpriced: ("tillroll prices check", [.prices, .inputs(flag: "--against")])
        case .untrusted: ("tillroll verify", [.inputs(flag: nil), .words("--strict")])
        case .conflicts, .changedByUnsigned, .sameLineItem: ("tillroll report anomalies", [.inputs(flag: nil)])
        case .undated: ("tillroll report revenue", [.inputs(flag: nil), .words("--explain month=null")])
        case .undatedEvents, .impossibleTime, .eventsAhead:
            ("tillroll convert", [.inputs(flag: nil), .words("-t ndjson")])
        case .assumedQuantity, .oddIDs, .upgradesUnquantified, .withoutExpiry, .refundBeforePurchase, .clockAhead:
            ("tillroll convert", [.inputs(flag: nil), .words("-t ndjson --table transactions")])
        case .withheld: ("tillroll report failures", [.inputs(flag: nil)])
        }
    }
}
