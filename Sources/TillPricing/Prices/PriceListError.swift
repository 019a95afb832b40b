/// All defects of a price list, so that a user can repair them at once.
public struct PriceListError: Error, Hashable {
    /// One defect and the line it is on.
    public struct Problem: Hashable, Sendable {
        /// The first line of the record, from 1.
        public let line: Int
        /// The broken rule.
        public let code: Code
        /// One sentence for a person, without the position.
        public let message: String

        package init(line: Int, code: Code, message: String) {
            self.line = line
            self.code = code
            self.message = message
        }
    }

    /// The rules of a price list; the raw values are stable.
    public enum Code: String, Sendable, CaseIterable {
        /// The file has no header.
        case empty = "prices.empty"
        /// The file is larger than `PriceList.maximumByteCount`.
        case tooLarge = "prices.too-large"
        /// The file has more rows than ``PriceList/maximumRowCount``.
        case tooManyRows = "prices.too-many-rows"
        /// The text is not UTF-8.
        case encoding = "prices.encoding"
        /// A quote is not closed, or stands inside a cell without quotes.
        case quote = "prices.quote"
        /// A row has more cells than the header.
        case cells = "prices.cells"
        /// The header names a column that a price list does not have.
        case unknownColumn = "prices.unknown-column"
        /// The header lacks a column that a price list must have.
        case missingColumn = "prices.missing-column"
        /// The header names a column twice, perhaps by an alias.
        case repeatedColumn = "prices.repeated-column"
        /// A cell that must be filled is empty.
        case missing = "prices.missing"
        /// A territory is neither an ISO 3166-1 code nor `*`.
        case territory = "prices.territory"
        /// A currency is not, and never was, in ISO 4217.
        case currency = "prices.currency"
        /// A date is neither a day nor an RFC 3339 instant.
        case date = "prices.date"
        /// A number is not a decimal.
        case decimal = "prices.decimal"
        /// An amount is below zero.
        case negative = "prices.negative"
        /// An amount has more decimals than its currency.
        case exponent = "prices.exponent"
        /// A row ends before it begins.
        case interval = "prices.interval"
        /// A product type is not one of ``ProductType``.
        case type = "prices.type"
        /// An introductory mode is not one of ``IntroMode``.
        case introMode = "prices.intro-mode"
        /// A free introductory offer has a price.
        case introPrice = "prices.intro-price"
        /// A commission lies outside 0…1.
        case commission = "prices.commission"
        /// A tax rate lies outside 0…1.
        case taxRate = "prices.tax-rate"
        /// A truth value is neither true nor false.
        case boolean = "prices.boolean"
        /// A period is not an ISO 8601 duration in years, months, weeks and days.
        case period = "prices.period"
        /// Two rows for the same product and place begin at the same instant.
        case duplicate = "prices.duplicate"
        /// A row begins before the stated end of another one for the same product and place.
        case overlap = "prices.overlap"
        /// A product has two currencies in one territory at the same time.
        case twoCurrencies = "prices.two-currencies"
        /// A product has two types.
        case twoTypes = "prices.two-types"
        /// A product has two billing periods.
        case twoPeriods = "prices.two-periods"
        /// A territory's store does not sell in the currency, which is used by other stores.
        case territoryCurrency = "prices.territory-currency"
        /// A territory's store is not known to sell in the currency; a warning.
        case storeCurrency = "prices.store-currency"
        /// The row of an offer has no price under the offer; a warning.
        case offerPrice = "prices.offer-price"
        /// Between two prices there is a time without one; a warning.
        case gap = "prices.gap"
        /// A price is ten times another one of the product in that currency, or a tenth; a warning.
        case jump = "prices.jump"
        /// A product has two names; a warning.
        case twoNames = "prices.two-names"

        /// Whether a list with this problem can be used.
        package var isWarning: Bool { [.gap, .jump, .offerPrice, .storeCurrency, .twoNames].contains(self) }
    }

    /// The start of a cell in quotes, escaped for one line of a terminal.
    package static func excerpt(_ cell: String) -> String {
        cell.prefix(40).debugDescription
    }

    /// The file as it was named by the user.
    public let name: String
    /// In the order of their lines; never empty.
    public let problems: [Problem]
}

extension PriceListError: CustomStringConvertible {
    /// A line for each problem: `prices.csv:12: overlaps line 11 [prices.overlap]`.
    public var description: String {
        problems.map { $0.text(in: name) }.joined(separator: "\n")
    }
}

extension PriceListError.Problem: Comparable {
    /// `prices.csv:12: overlaps line 11 [prices.overlap]`
    public func text(in name: String) -> String { "\(name):\(line): \(message) [\(code.rawValue)]" }

    public static func < (left: Self, right: Self) -> Bool {
        (left.line, left.code.rawValue, left.message) < (right.line, right.code.rawValue, right.message)
    }
}
