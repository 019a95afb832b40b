import TillCore
import TillPricing

/// One record of a price list before it becomes a row: its cells by column, and their defects.
///
/// Each reading method returns `nil` for an empty cell, and for an unreadable cell, which it reports.
struct PriceListRecord {
    private let record: SeparatedValues.Record
    private let columns: PriceListLayout
    private let allowsDecimalComma: Bool
    private let zone: TimeZoneRules
    private(set) var problems: [Finding] = []

    init(
        _ record: SeparatedValues.Record,
        columns: PriceListLayout,
        allowsDecimalComma: Bool,
        zone: TimeZoneRules
    ) {
        self.record = record
        self.columns = columns
        self.allowsDecimalComma = allowsDecimalComma
        self.zone = zone
    }

    /// The row; `nil` if it has a defect, which is added to `problems`.
    mutating func row() -> PriceListRow? {
        let productID = required(.productID)
        let bundleID = text(.bundleID)
        let offerID = text(.offerID)
        let territory = territory()
        let type: ProductType? = word(.type, code: "prices.type")
        let (effectiveFrom, effectiveTo) = interval()
        let period = period()
        let point = point(offerID: offerID)
        if let point, let territory { check(point.currency, in: territory) }

        guard problems.allSatisfy({ $0.cause == .warning }), let productID, let point else { return nil }
        return PriceListRow(
            line: record.line,
            productID: productID,
            bundleID: bundleID,
            territory: territory,
            offerID: offerID,
            name: text(.displayName),
            type: type,
            period: period,
            effectiveFrom: effectiveFrom,
            effectiveTo: effectiveTo,
            point: point
        )
    }

    private mutating func report(_ code: String, cause: Finding.Cause = .defect, _ message: String) {
        problems.append(Finding(code, at: record.line, cause: cause, message))
    }
}

// MARK: - Parts of a row

extension PriceListRecord {
    private mutating func territory() -> Territory? {
        guard let text = text(.territory), text != "*" else { return nil }
        let territory = Territory(text)
        if territory == nil { report("prices.territory", "\(excerpt(text)) is neither an ISO 3166-1 code nor *") }
        return territory
    }

    private mutating func check(_ currency: CurrencyCode, in territory: Territory) {
        let usual = territory.currency?.description ?? "another currency"
        let message = "the store of \(territory) does not sell in \(currency) but in \(usual)"
        switch territory.judge(currency) {
        case .usual: break
        case .doubtful: report("prices.store-currency", cause: .warning, message)
        case .foreign: report("prices.territory-currency", message)
        }
    }

    private mutating func interval() -> (from: Timestamp?, to: Timestamp?) {
        let from = instant(.effectiveFrom)
        let to = instant(.effectiveTo)
        if let from, let to, to <= from { report("prices.interval", "effective_to is not after effective_from") }
        return (from, to)
    }

    private mutating func point(offerID: String?) -> PricePoint? {
        let currency = currency()
        let price = required(.price) == nil ? nil : amount(.price, in: currency)
        let introMode: IntroMode? = word(.introMode, code: "prices.intro-mode")
        var introPrice = amount(.introPrice, in: currency)
        let offerPrice = amount(.offerPrice, in: currency)
        if let offerID, text(.offerPrice) == nil {
            report(
                "prices.offer-price",
                cause: .warning,
                "offer_price is empty, so sales under the offer \(excerpt(offerID)) have no price"
            )
        }
        if introMode == .free {
            if introPrice ?? 0 != 0 { report("prices.intro-price", "intro_mode is free, yet intro_price is not 0") }
            introPrice = 0
        }

        let (commission, includedTax) = (fraction(.commission, code: "prices.commission"), includedTax())
        let preservedFrom = instant(.preservedFrom)

        guard let currency, let price else { return nil }
        return PricePoint(
            currency: currency,
            price: price,
            introPrice: introPrice,
            introMode: introMode,
            offerPrice: offerPrice,
            commission: commission,
            includedTax: includedTax,
            preservedFrom: preservedFrom
        )
    }

    private mutating func currency() -> CurrencyCode? {
        guard let text = required(.currency) else { return nil }
        guard let currency = CurrencyCode(text) else {
            report("prices.currency", "\(excerpt(text)) is not a currency code, three capital letters")
            return nil
        }
        guard currency.isListed else {
            let question = NearestWord.clause(about: text, among: CurrencyCode.listed.map(\.description))
            report("prices.currency", "there is no currency '\(text)' in ISO 4217\(question)")
            return nil
        }
        return currency
    }

    /// Prices of the App Store contain the tax unless the row says otherwise.
    private mutating func includedTax() -> Int64? {
        var isIncluded = true
        if let text = text(.taxIncluded) {
            switch text.lowercased() {
            case "true", "yes", "1": break
            case "false", "no", "0": isIncluded = false
            default: report("prices.boolean", "\(excerpt(text)) in tax_included is neither true nor false")
            }
        }
        return fraction(.taxRate, code: "prices.tax-rate").map { isIncluded ? $0 : 0 }
    }

    private mutating func period() -> BillingPeriod? {
        guard let text = text(.period) else { return nil }
        let period = BillingPeriod(iso: text)
        if period == nil { report("prices.period", "\(excerpt(text)) is not a period such as P1M") }
        return period
    }
}

// MARK: - Cells

extension PriceListRecord {
    private func text(_ column: PriceListColumn) -> String? {
        guard let index = columns[column], index < record.cells.count else { return nil }
        let text = record.cells[index]
        return text.isEmpty ? nil : text
    }

    /// The text of a required cell. A missing column was reported with the header.
    private mutating func required(_ column: PriceListColumn) -> String? {
        let text = text(column)
        if text == nil, columns[column] != nil { report("prices.missing", "\(column.name) is empty") }
        return text
    }

    private mutating func word<Word: RawRepresentable & CaseIterable>(
        _ column: PriceListColumn,
        code: String
    ) -> Word? where Word.RawValue == String {
        guard let text = text(column) else { return nil }
        let word = Word(rawValue: text)
        if word == nil {
            report(
                code,
                NearestWord.unknown(column.name, String(text.prefix(40)), among: Word.allCases.map(\.rawValue))
            )
        }
        return word
    }

    private mutating func instant(_ column: PriceListColumn) -> Timestamp? {
        guard let text = text(column) else { return nil }
        let bytes = text.utf8.span.bytes
        let day = Timestamp.parseDay(bytes).map { Int($0.milliseconds / Timestamp.millisecondsPerDay) }
        let instant = day.map(zone.startOfDay) ?? Timestamp.parse(bytes)
        if instant == nil {
            report("prices.date", "\(excerpt(text)) in \(column.name) is neither YYYY-MM-DD nor an RFC 3339 instant")
        }
        return instant
    }

    /// Millionths of the currency's unit. If `currency` is `nil` because it could not be read, the decimals are not
    /// checked.
    private mutating func amount(_ column: PriceListColumn, in currency: CurrencyCode?) -> Int64? {
        if let currency, currency.minorUnitDigits < 3, let text = text(column), Self.isUnclear(text) {
            report(
                "prices.unclear",
                "\(excerpt(text)) in \(column.name) may be thousands or decimals of \(currency); write it without a mark, "
                    + "or with at most \(currency.minorUnitDigits) decimals"
            )
            return nil
        }
        guard let millionths = decimal(column) else { return nil }
        guard millionths >= 0 else {
            report("prices.negative", "\(column.name) is below zero")
            return nil
        }
        if let currency {
            let smallest = (currency.minorUnitDigits..<6).reduce(Int64(1)) { product, _ in product * 10 }
            guard millionths.isMultiple(of: smallest) else {
                let decimals = currency.minorUnitDigits == 0 ? "none" : "at most \(currency.minorUnitDigits)"
                report("prices.exponent", "\(column.name) has too many decimals: \(currency) has \(decimals)")
                return nil
            }
        }
        return millionths
    }

    /// Whether an amount has one mark with exactly three digits after it, like `249.000`.
    private static func isUnclear(_ text: String) -> Bool {
        let parts = text.utf8.split(omittingEmptySubsequences: false) {
            $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: ",")
        }
        return parts.count == 2 && parts[1].count == 3
            && parts[1].allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    /// Millionths.
    private mutating func fraction(_ column: PriceListColumn, code: String) -> Int64? {
        guard let millionths = decimal(column) else { return nil }
        guard (0...1_000_000).contains(millionths) else {
            report(code, "\(column.name) lies outside 0…1")
            return nil
        }
        return millionths
    }

    private mutating func decimal(_ column: PriceListColumn) -> Int64? {
        guard let text = text(column) else { return nil }
        var bytes = Array(text.utf8)
        let hasPoint = bytes.contains(UInt8(ascii: "."))
        let comma = bytes.firstIndex(of: UInt8(ascii: ","))
        if let comma, allowsDecimalComma, !hasPoint { bytes[comma] = UInt8(ascii: ".") }

        let millionths = ScaledDecimal.parse(bytes.span.bytes, scale: 6)
        if millionths == nil {
            let hint = comma == nil || allowsDecimalComma ? "" : "; a decimal comma needs ; or TAB between cells"
            report("prices.decimal", "\(excerpt(text)) in \(column.name) is not a decimal number\(hint)")
        }
        return millionths
    }

    private func excerpt(_ text: String) -> String {
        Finding.excerpt(text)
    }
}
