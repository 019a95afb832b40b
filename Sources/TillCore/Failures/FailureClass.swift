/// The kind of a failure, whichever part of the App Store reported it.
public enum FailureClass: String, Sendable, CaseIterable {
    /// No failure.
    case ok
    /// A valid receipt whose subscription has run out; no failure either.
    case okExpired = "ok-expired"
    /// The customer changed their mind.
    case cancelled
    /// The purchase waits for approval.
    case deferred
    /// The account or the device may not buy, or consent is missing.
    case notAllowed = "not_allowed"
    /// The app asked for something wrong.
    case integration
    /// The product is not for sale, at least not here.
    case catalogue
    /// The way to the App Store is broken.
    case network
    /// The App Store could not carry it out and does not say why.
    case store
    /// A promotional offer could not be applied.
    case offer
    /// The customer could not be signed in.
    case auth
    /// The App Store was asked too often.
    case throttled
    /// The customer has the product already.
    case alreadyOwned = "already_owned"
    /// The customer must first add a way to pay.
    case paymentSetup = "payment_setup"
    /// The device's operating system failed.
    case system
    /// A signed transaction could not be verified on the device.
    case verification
    /// A refund could not be requested.
    case refund
    /// The receipt or account is not genuine, or is gone.
    case invalid
    /// The server that verifies is set up wrongly.
    case config
    /// The server that verifies sent a request that cannot be read.
    case client
    /// The App Store asks to try again later.
    case transient
    /// The receipt went to the wrong environment.
    case routing
    /// Nothing is known of the error.
    case unknown
    /// The answer was not one of the App Store, but for example a page of HTML.
    case transport
}

extension FailureClass {
    /// Whether nothing has failed: a cancellation, a deferral, or a valid but expired receipt (21006).
    public var isHarmless: Bool { [.cancelled, .deferred, .ok, .okExpired].contains(self) }

    /// The class as people read it.
    public var words: String {
        switch self {
        case .ok: "no failure"
        case .okExpired: "valid, but expired"
        case .cancelled: "cancelled by the customer"
        case .deferred: "waits for approval"
        case .notAllowed: "purchase not allowed"
        case .integration: "mistake in the app"
        case .catalogue: "product not for sale"
        case .network: "network"
        case .store: "App Store failed"
        case .offer: "offer not applied"
        case .auth: "customer not signed in"
        case .throttled: "too many requests"
        case .alreadyOwned: "already owned"
        case .paymentSetup: "no way to pay"
        case .system: "device failed"
        case .verification: "not verified on the device"
        case .refund: "refund not requested"
        case .invalid: "not genuine, or gone"
        case .config: "server set up wrongly"
        case .client: "request cannot be read"
        case .transient: "App Store asks to try again"
        case .routing: "wrong environment"
        case .unknown: "unknown"
        case .transport: "no answer of the App Store"
        }
    }
}
