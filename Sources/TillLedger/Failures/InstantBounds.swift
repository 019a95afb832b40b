/// The first and the last of some instants, in milliseconds.
package struct InstantBounds: Sendable {
    // The first is after the last where no instant is known.
    private var least = Int64.max
    private var most = Int64.min

    /// `nil` where no instant is known.
    package var first: Int64? { least > most ? nil : least }
    /// `nil` where no instant is known.
    package var last: Int64? { least > most ? nil : most }

    package init() {}

    package mutating func see(_ milliseconds: Int64?) {
        guard let milliseconds else { return }
        (least, most) = (min(least, milliseconds), max(most, milliseconds))
    }

    mutating func merge(_ other: InstantBounds) {
        see(other.first)
        see(other.last)
    }
}
