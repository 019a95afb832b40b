import TillLedger
import TillPricing

/// An enumeration whose raw values are the words that a flag takes.
public protocol FlagChoice: RawRepresentable<String>, CaseIterable, Sendable {}

extension LedgerRules.RefundDating: FlagChoice {}
extension CalendarKind: FlagChoice {}
extension Conversion.DateRule: FlagChoice {}
extension Conversion.GapRule: FlagChoice {}
extension Rounding: FlagChoice {}

/// A flag that decides how a report is settled after everything has been read.
///
/// A case and its ``declaration`` are the whole of a flag: the parser, the help, the manual, the completions, partials
/// and manifests derive from them. ``Settings/rules(for:)`` reads the value. `report` and `merge` take all of these
/// flags; `reconcile` knows them all and refuses those without a meaning for it.
///
/// The order of the cases is that of the help, and that of the options in partials and manifests.
public enum SettlingFlag: String, CaseIterable, Sendable {
    case month, fiscal
    case fiscalMonth = "fiscal-month"
    case since, until, calendar, tz
    case prices
    case defaultTerritory = "default-territory"
    case catalogue
    case refundsBy = "refunds-by"
    case fx
    case baseCurrency = "base-currency"
    case fxDate = "fx-date"
    case fxGap = "fx-gap"
    case fxMaxGap = "fx-max-gap"
    case fxPeg = "fx-peg"
    case rounding, commission, accounts
    case secondYearRate = "second-year-rate"
    case by, compare, closed
    case mrrWeekly = "mrr-weekly"

    /// Without the dashes.
    public var name: String { rawValue }

    /// The help, the value and the traits of the flag, made once for the process.
    public var declaration: Declaration { Self.declarations[self] ?? makeDeclaration() }

    /// Made once, because a start needs each of them many times.
    private static let declarations = Dictionary(uniqueKeysWithValues: allCases.map { ($0, $0.makeDeclaration()) })

    private func makeDeclaration() -> Declaration {
        switch self {
        case .month:
            Declaration(.period, "Only this month, such as 2026-03, in --tz.", valueName: "month")
        case .fiscal:
            Declaration(
                .period,
                "Only this month, quarter or year of Apple's fiscal calendar: FY26-06, FY26-Q2, FY26.",
                valueName: "period"
            )
        case .fiscalMonth:
            Declaration(
                .period,
                "Only this fiscal month, by the name that Apple's reports give it: 'March 2026'.",
                valueName: "name"
            )
        case .since:
            Declaration(
                .period,
                "From this day on, such as 2026-03-01, or from an RFC 3339 instant on; or the last hours, days or weeks of the "
                    + "data, such as 24h, 7d, 2w.",
                valueName: "time"
            )
        case .until:
            Declaration(
                .period,
                "To the end of this day, such as 2026-03-31, or to just before an RFC 3339 instant.",
                valueName: "time"
            )
        case .calendar:
            Declaration(
                .period,
                "The calendar of periods: gregorian, apple-fiscal (5-4-4 weeks), iso-week.",
                .choice(CalendarKind.self)
            )
        case .tz:
            Declaration(
                .period,
                "The time zone in which days begin and by which instants are shown, such as Europe/Berlin "
                    + "(default: UTC); formats for programs keep UTC.",
                valueName: "zone"
            )
        case .prices:
            Declaration(
                .money,
                "The price list, CSV with product_id, currency, price and more, or a .storekit file with its prices.",
                valueName: "file",
                traits: [.namesFile, .refusesRepetition],
                check: { texts in
                    texts.count > 1 ? "takes one list; put the rows of all into one file, under one header." : nil
                }
            )
        case .defaultTerritory:
            Declaration(
                .money,
                "The territory of sales without a storefront, for the price list: an ISO 3166-1 code.",
                valueName: "country"
            )
        case .catalogue:
            Declaration(
                .money,
                "Types, periods and groups of products: a .storekit file or Transporter's metadata.xml; repeatable.",
                valueName: "file",
                traits: [.namesFile, .isRepeatable]
            )
        case .refundsBy:
            Declaration(
                .money,
                "Book refunds in the month of the 'refund' (default) or of the 'purchase'.",
                .choice(LedgerRules.RefundDating.self),
                valueName: "which"
            )
        case .fx:
            Declaration(
                .money,
                "Exchange rates: the ECB's XML or CSV, or CSV of date,currency,per_eur or date,base,quote,rate; "
                    + "repeatable.",
                valueName: "file",
                traits: [.namesFile, .isRepeatable]
            )
        case .baseCurrency:
            Declaration(.money, "Also show amounts in this currency, such as EUR; needs --fx.", valueName: "currency")
        case .fxDate:
            Declaration(
                .money,
                "The day of the exchange rate: purchase-date (default), month-average, month-end.",
                .choice(Conversion.DateRule.self),
                valueName: "day"
            )
        case .fxGap:
            Declaration(
                .money,
                "On a day without a rate: the previous one (default), the next one, or fail.",
                .choice(Conversion.GapRule.self),
                valueName: "day"
            )
        case .fxMaxGap:
            Declaration(
                .money,
                "Days to the previous or next rate at most (default: \(Conversion.usualLongestGap)).",
                .number,
                valueName: "days",
                check: { texts in
                    texts.first { !(0...366).contains(Int($0) ?? -1) }
                        .map { "takes a number of days from 0 to 366, not '\($0)'." }
                }
            )
        case .fxPeg:
            Declaration(.money, "Take AED, SAR and QAR at the rates to which they are pegged to the US dollar.", .none)
        case .rounding:
            Declaration(
                .money,
                "How converted and estimated amounts are rounded, once in each row: half-even (default), half-up.",
                .choice(Rounding.self)
            )
        case .commission:
            Declaration(
                .money,
                "Apple's share, such as 0.30, to estimate proceeds, or a CSV file of shares with from, until, product or "
                    + "type, storefront, rate; a price list's own column comes first.",
                valueName: "share|file",
                traits: [.namesFile, .mayBeNumber]
            )
        case .secondYearRate:
            Declaration(
                .money,
                "Apple's share after a year of paid service in a group of subscriptions, such as 0.15: an estimate; needs "
                    + "--commission or a price list with commissions.",
                valueName: "share",
                check: { texts in
                    texts.first { Settings.shareMillionths($0) == nil }
                        .map { "takes a share from 0 to 1, such as 0.15, not '\($0)'." }
                }
            )
        case .accounts:
            Declaration(
                .money,
                "Names of the accounts of 'report journal': CSV of account,name with "
                    + JournalAccounts.Account.allCases.map(\.rawValue).joined(separator: ", ") + ".",
                valueName: "file",
                traits: .namesFile
            )
        case .by:
            Declaration(
                .rows,
                "Keys that group the rows, separated by commas: "
                    + GroupKey.allCases.map(\.rawValue).joined(separator: ", ") + ".",
                valueName: "keys",
                words: GroupKey.allCases.map(\.rawValue),
                check: { texts in
                    texts.contains { $0.split(separator: ",").isEmpty } ? "takes names separated by commas." : nil
                }
            )
        case .compare:
            Declaration(
                .rows,
                "Compare revenue with the 'month' or 'year' before, or with an earlier report in JSON.",
                valueName: "month|year|file",
                words: ["month", "year"],
                traits: .namesFile
            )
        case .closed:
            Declaration(
                .rows,
                "List changes in closed months since a revenue report, with their causes: the report in JSON, its manifest or "
                    + "a partial of it.",
                valueName: "file",
                traits: .namesFile
            )
        case .mrrWeekly:
            Declaration(
                .ungrouped,
                "Weeks of a month for MRR: 4 (default), or 4.345, the mean of a month.",
                valueName: "weeks",
                check: { texts in
                    texts.first { Settings.weeksPerMonthMillionths($0) == nil }
                        .map { "takes a number from 1 to 5, such as 4.345, not '\($0)'." }
                }
            )
        }
    }

    /// The name of the value in the help: `<file>`; `nil` for the name of the flag itself.
    public var valueName: String? { declaration.valueName }

    /// Whether a value is the path of a file, whose contents go into partials and manifests.
    func namesFile(_ value: String) -> Bool {
        let declaration = declaration
        guard declaration.traits.contains(.namesFile), !declaration.words.contains(value) else { return false }
        return !declaration.traits.contains(.mayBeNumber) || !Settings.looksNumeric(value)
    }
}

extension SettlingFlag {
    /// The declaration of a flag for the parser, the help, partials and manifests.
    public struct Declaration: Sendable {
        /// The section of the help in which the flag is listed.
        public let group: Group
        private let makeHelp: @Sendable () -> String
        /// The kind of value that follows the flag; `none` if the flag takes no value.
        public let value: Value
        fileprivate let valueName: String?
        /// Words that the value may be, for completions; beside them the name of a file where the flag takes one.
        public let words: [String]
        /// The special properties of the value; most flags have none.
        public let traits: Traits
        /// Gives the defect of the values of the flag, as a clause behind its name; `nil` if they have none.
        public let check: @Sendable ([String]) -> String?

        init(
            _ group: Group,
            _ help: @autoclosure @escaping @Sendable () -> String,
            _ value: Value = .text,
            valueName: String? = nil,
            words: [String] = [],
            traits: Traits = [],
            check: @escaping @Sendable ([String]) -> String? = { _ in nil }
        ) {
            self.group = group
            makeHelp = help
            self.value = value
            self.valueName = valueName
            self.words = words
            self.traits = traits
            self.check = check
        }

        /// The help text, which is made only where it is shown.
        public var help: String { makeHelp() }
    }

    /// The section of the help that a flag stands in.
    public enum Group: Sendable {
        case period, money, rows, ungrouped
    }

    /// The kind of value that follows a flag.
    public enum Value: Sendable {
        case none, text, number
        case choice(any FlagChoice.Type)
    }

    /// Special properties of the value of a flag.
    public struct Traits: OptionSet, Sendable {
        public let rawValue: UInt8

        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// The value is the path of a file, unless it is one of the words.
        public static let namesFile = Traits(rawValue: 1 << 0)
        /// All values of a repeated flag count.
        public static let isRepeatable = Traits(rawValue: 1 << 1)
        /// The flag must not be repeated; of other flags the last value counts.
        public static let refusesRepetition = Traits(rawValue: 1 << 2)
        /// The value is a number or the path of a file.
        public static let mayBeNumber = Traits(rawValue: 1 << 3)
    }
}
