import TillCore
import TillLedger
import TillPricing

/// The exchange rates for deferred revenue: each currency and day, or month, is looked up once.
///
/// The balance of a sale is carried at the rate of its sale, as a liability that is settled by service and not by money
/// is (ASC 830-10-45-18, IAS 21.16). Billed and refunds take the rates of the revenue report.
struct DeferralRates {
    /// Amounts without a rate, by currency and reason.
    struct Missing: Sendable {
        let currency: CurrencyCode
        let reason: RateGap
        var bookings: Int64 = 0
        var billed: Int128 = 0
        var refunds: Int128 = 0
    }

    let base: CurrencyCode
    private var rates: KnownRates
    private var missing: [CurrencyCode: [RateGap: Missing]] = [:]

    /// `nil` if nothing is converted.
    init?(_ rules: LedgerRules) {
        guard let conversion = rules.conversion else { return nil }
        base = conversion.base
        rates = KnownRates(conversion, in: rules.calendar)
    }

    /// Amounts without a rate, by currency and reason.
    var unconverted: [Missing] {
        missing.values.flatMap(\.values).sorted {
            ($0.currency, $0.reason.rawValue) < ($1.currency, $1.reason.rawValue)
        }
    }

    /// The rate of a code; `nil` if there is none.
    mutating func rate(of currency: CurrencyCode, at code: Int64?) throws(Finding) -> Ratio? {
        switch try rates.rate(of: currency, at: code) {
        case .success(let ratio): return ratio
        case .failure(.overflow): throw overflow(currency)
        case .failure: return nil
        }
    }

    /// Notes bookings that have no rate.
    mutating func note(_ cell: DeferralCells.Cell, of currency: CurrencyCode, at code: Int64?) throws(Finding) {
        guard case .failure(let reason) = try rates.rate(of: currency, at: code), cell.bookings != 0 else { return }
        var known = missing[currency]?[reason] ?? Missing(currency: currency, reason: reason)
        known.bookings += cell.bookings
        known.billed += cell.billed
        known.refunds += cell.refunds
        missing[currency, default: [:]][reason] = known
    }

    func overflow(_ currency: CurrencyCode) -> Finding {
        Finding("ledger.overflow", "the converted amounts of \(currency) do not fit 128 bits")
    }

    /// Amounts of several rates, summed exactly and rounded once.
    struct Sums {
        private var billed = FractionSum()
        private var refunds = FractionSum()
        private var closing = FractionSum()

        /// `false` if the sums do not fit 128 bits.
        mutating func add(_ cell: DeferralCells.Cell, times ratio: Ratio) -> Bool {
            billed.add(cell.billed, times: ratio) && refunds.add(cell.refunds, times: ratio)
                && closing.add(cell.closing, times: ratio)
        }

        /// The movement from an opening balance; earned is the remainder, so that the row adds up.
        func movement(from opening: Int128, to base: CurrencyCode, _ rounding: Rounding) -> DeferredFigures {
            DeferredFigures(
                opening: opening,
                billed: billed.rounded(to: base.quantum, rounding),
                refunds: refunds.rounded(to: base.quantum, rounding),
                closing: closingBalance(in: base, rounding)
            )
        }

        func closingBalance(in base: CurrencyCode, _ rounding: Rounding) -> Int128 {
            closing.rounded(to: base.quantum, rounding)
        }
    }
}
