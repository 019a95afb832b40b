import TillColumns
import TillCore
import TillRows

/// Estimates the charges of subscriptions in the second year of paid service, which have a lower commission.
///
/// Apple counts days of paid service within a group of subscriptions, and restarts the count after a lapse of more than
/// 60 days. Receipts contain only purchases:
///
///     trial 30 d │ paid 31 d │ paid 28 d │ … │ 365 d  │ second year …        lapse of 61 d │ first year again …
///
/// - The days of a charge are those from its purchase to its end, rounded to whole days since a period ends some
///   seconds early or late; its end is its expiry, an earlier cancellation that stands, or the next charge.
/// - A trial, and a charge whose own price is 0, has no paid day, and is not a lapse.
/// - The group is that of the row, else of another row of the same chain for the product, else of the catalogue. A
///   product without any is its own group.
package struct PaidService: Sendable {
    /// Days after which the second year begins.
    package static let firstYear: Int64 = 365
    /// The longest lapse that does not restart the count, in days.
    package static let longestLapse: Int64 = 60

    /// Charges of the second year, bit by number.
    private var charges: [UInt64]

    func isSecondYear(_ number: Int) -> Bool { charges[number / 64] >> UInt64(number % 64) & 1 == 1 }

    /// - Parameter isBookable: whether rows with the shared values of a number can be booked.
    init(
        _ table: borrowing TransactionTable,
        texts: borrowing TextDictionary,
        isBookable: [Bool],
        _ billingEvents: borrowing BillingEvents,
        _ products: inout ProductCache
    ) {
        charges = Array(repeating: 0, count: (table.count + 63) / 64)
        var groups = SubscriptionGroups()
        var found: [Charge] = []
        // Bucket by bucket, so that a large ledger needs little memory beside its transactions.
        for bucket in KeyBucket.all(of: table.count) {
            found.removeAll(keepingCapacity: true)
            for number in 0..<table.count {
                let entry = table.entries[number]
                guard isBookable[Int(entry.shared)], entry.chain != TransactionEntry.unknown,
                    bucket.contains(entry.chain), !billingEvents.isRestore(number),
                    BillingEvents.isSubscription(entry, table, products.type(of: entry.product)),
                    var charge = Charge(number, table, billingEvents)
                else { continue }
                charge.group = groups.ownGroup(of: table.sharedValues[Int(entry.shared)], texts)
                found.append(charge)
            }
            groups.complete(&found, texts, &products)
            // Of a trial and a paid charge of the same time, the trial comes first.
            found.sort {
                ($0.chain, $0.group, $0.start, $0.end, $0.isPaid ? 1 : 0)
                    < ($1.chain, $1.group, $1.start, $1.end, $1.isPaid ? 1 : 0)
            }
            count(found)
        }
    }

    /// Counts the days of charges that are sorted.
    private mutating func count(_ found: [Charge]) {
        var (days, end): (Int64, Int64) = (0, .min)
        for (index, charge) in found.enumerated() {
            let isNew = index == 0 || !charge.follows(found[index - 1])
            if isNew { (days, end) = (0, charge.start) }
            let lapse = Int128(charge.start) - Int128(end)
            if lapse > Int128(Self.longestLapse * Timestamp.millisecondsPerDay) { days = 0 }
            if days >= Self.firstYear, charge.isPaid { charges[charge.number / 64] |= 1 << UInt64(charge.number % 64) }
            let next = index + 1 < found.count && found[index + 1].follows(charge) ? found[index + 1].start : charge.end
            if charge.isPaid { days += charge.days(until: min(charge.end, next)) }
            end = max(end, charge.end)
        }
    }
}

/// A charge or trial of a subscription as far as it counts for the second year.
private struct Charge {
    let number: Int
    let chain: Int64
    let product: UInt32
    /// ``SubscriptionGroups/unknown`` until it is known.
    var group = SubscriptionGroups.unknown
    let start: Int64
    /// Not before the start.
    let end: Int64
    let isPaid: Bool

    /// `nil` if its purchase has no date.
    init?(_ number: Int, _ table: borrowing TransactionTable, _ billingEvents: borrowing BillingEvents) {
        let entry = table.entries[number]
        let unknown = TransactionEntry.unknown
        let (purchase, expiry) = (table.purchaseDate(of: entry), table.expiresDate(of: entry))
        guard purchase != unknown else { return nil }
        self.number = number
        (chain, product, start) = (entry.chain, entry.product, purchase)
        let details = billingEvents.refund(ofSale: number) ?? RefundDetails(of: entry, in: table)
        var end = expiry == unknown ? purchase : expiry
        if let details, details.reversalDate == nil, let cancelled = details.refundDate ?? details.upgradeDate {
            end = min(end, cancelled.milliseconds)
        }
        self.end = max(end, purchase)
        isPaid = entry.answers.isTrial != true && table.rare(.price, of: entry) != 0
    }

    /// Whether both charges are of the same chain and group.
    func follows(_ other: Charge) -> Bool { chain == other.chain && group == other.group }

    /// Days from the start to `end`, rounded to whole ones, half a day up.
    func days(until end: Int64) -> Int64 {
        let day = Int128(Timestamp.millisecondsPerDay)
        let length = max(0, Int128(end) - Int128(start))
        return Int64((length + day / 2) / day)
    }
}

/// Groups of subscriptions, numbered by their names.
private struct SubscriptionGroups {
    static let unknown: Int32 = -1

    private enum Name: Hashable {
        case group(String)
        /// A product without a group.
        case product(UInt32)
    }

    private var numbers: [Name: Int32] = [:]
    /// By the code of the text.
    private var ofCode: [Int32: Int32] = [:]
    /// By the product's number in entries: the group for chains without a group in their rows.
    private var ofProduct: [UInt32: Int32] = [:]

    /// The group of a row.
    mutating func ownGroup(of shared: SharedValues, _ texts: borrowing TextDictionary) -> Int32 {
        let code = shared[.subscriptionGroup]
        guard code >= 0 else { return Self.unknown }
        if let number = ofCode[code] { return number }
        let number = number(of: .group(texts.text(of: Int(code))))
        ofCode[code] = number
        return number
    }

    private mutating func number(of name: Name) -> Int32 {
        let number = numbers[name] ?? Int32(numbers.count)
        numbers[name] = number
        return number
    }

    /// Sets the group of charges without a group in their rows.
    mutating func complete(
        _ charges: inout [Charge],
        _ texts: borrowing TextDictionary,
        _ products: inout ProductCache
    ) {
        struct Key: Hashable {
            let chain: Int64
            let product: UInt32
        }
        var told: [Key: Int32] = [:]
        for charge in charges where charge.group != Self.unknown {
            let key = Key(chain: charge.chain, product: charge.product)
            // Of several groups the larger name, so that the order of rows does not matter.
            told[key] = told[key].map { isLarger($0, than: charge.group) ? $0 : charge.group } ?? charge.group
        }
        for index in charges.indices where charges[index].group == Self.unknown {
            let charge = charges[index]
            charges[index].group =
                told[Key(chain: charge.chain, product: charge.product)]
                ?? group(ofProduct: charge.product, texts, &products)
        }
    }

    private func isLarger(_ left: Int32, than right: Int32) -> Bool {
        func name(_ number: Int32) -> String {
            guard case .group(let name)? = numbers.first(where: { $0.value == number })?.key else { return "" }
            return name
        }
        return left != right && name(right).utf8.lexicographicallyPrecedes(name(left).utf8)
    }

    private mutating func group(
        ofProduct product: UInt32,
        _ texts: borrowing TextDictionary,
        _ products: inout ProductCache
    ) -> Int32 {
        if let number = ofProduct[product] { return number }
        let number = number(of: products.group(of: product).map { .group($0) } ?? .product(product))
        ofProduct[product] = number
        return number
    }
}
