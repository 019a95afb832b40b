import TillCore
import TillPricing

/// The prices of recent sales. A sale with the terms of an earlier one has its price, until a price of the product
/// changes.
///
/// Looking up a price list takes several keys and searches. Here the terms select one place, which holds the last
/// answer for any terms that select it.
struct RecentPrices {
    /// The facts of a sale that determine its price, but for its date. Codes of the ledger's texts are -1 where not
    /// known.
    struct Terms: Equatable {
        let product: UInt32
        /// Packed; 0 where not known.
        let currency: UInt32
        let storefront: Int32
        let bundleID: Int32
        let offerID: Int32

        fileprivate var place: Int {
            let codes = UInt64(UInt32(bitPattern: storefront)) << 32 | UInt64(UInt32(bitPattern: offerID))
            let hash = (UInt64(product) << 32 | UInt64(currency)) ^ (codes &* 0xD6E8_FEB8_6659_FD93)
            return Int((hash &* 0x9E37_79B9_7F4A_7C15) >> (64 - RecentPrices.placeBits))
        }
    }

    /// A price, and when it holds.
    struct Answer {
        let terms: Terms
        /// No price of the product changes in it.
        let time: Range<Timestamp>
        /// `nil` where the price list has none.
        let point: PricePoint?
    }

    private static let placeBits: UInt64 = 8
    /// Empty before the first sale.
    private var answers: [Answer?] = []

    /// The answer for a sale; `nil` if it is not known.
    @inline(__always)
    subscript(_ terms: Terms, at instant: Timestamp) -> Answer? {
        guard !answers.isEmpty, let answer = answers[terms.place], answer.terms == terms, answer.time.contains(instant)
        else { return nil }
        return answer
    }

    mutating func keep(_ answer: Answer) {
        if answers.isEmpty { answers = Array(repeating: nil, count: 1 << Self.placeBits) }
        answers[answer.terms.place] = answer
    }
}
