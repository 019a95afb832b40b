import TillCore
import TillPricing

extension DeferredSale {
    /// Passes a sale to a coder, and returns the sale that a reader has read.
    ///
    /// - Parameter known: the sale to be written; a reader needs none.
    public static func visited(_ known: DeferredSale?, _ coder: inout some SumCoder) throws -> DeferredSale {
        var bookings: [Booking] = []
        for place in 0..<(try coder.elements(known?.bookings.count ?? 0)) {
            bookings.append(try visited(known?.bookings[place], &coder))
        }
        var first = known?.service.map { Int64($0.firstDay) }
        try coder.timeCode(&first, of: .day)
        var end = known?.service.map { Int64($0.firstDay + $0.dayCount) }
        try coder.timeCode(&end, of: .day)
        var quantum = known?.quantum ?? 0
        try coder.amount(&quantum)
        guard !bookings.isEmpty, 1...1_000_000 ~= quantum else {
            throw coder.refusal("a sale without bookings, or with an impossible unit of money")
        }
        let service = first.map { ServiceSchedule(from: Int($0), to: Int(end ?? $0)) }
        return DeferredSale(bookings: bookings, service: service, quantum: quantum)
    }

    private static func visited(_ known: Booking?, _ coder: inout some SumCoder) throws -> Booking {
        var date = known?.date
        try coder.replace(&date)
        var day = known?.day.map(Int64.init)
        try coder.timeCode(&day, of: .day)
        var booking = Booking(date: date, day: day.map(Int.init))
        (booking.billed, booking.refunds) = (known?.billed ?? 0, known?.refunds ?? 0)
        try coder.amount(&booking.billed)
        try coder.amount(&booking.refunds)
        // As in a ledger; the amounts earned by days must fit 128 bits.
        guard booking.billed.magnitude < 1 << 74, booking.refunds.magnitude < 1 << 74 else {
            throw coder.refusal("an amount above the limit of 2^74 millionths")
        }
        return booking
    }
}
