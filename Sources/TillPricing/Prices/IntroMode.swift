/// The payment mode of an introductory offer; the raw values are those of price lists.
public enum IntroMode: String, Sendable, CaseIterable {
    /// A trial: nothing is paid.
    case free
    /// A lower price in each of the first periods.
    case payAsYouGo = "pay_as_you_go"
    /// One payment for all of the first periods.
    case payUpFront = "pay_up_front"
}
