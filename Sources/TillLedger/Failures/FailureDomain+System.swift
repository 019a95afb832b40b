extension FailureDomain {
    /// Foundation's URL loading; `URLError.Code`.
    static let url = FailureDomain(
        name: "NSURLErrorDomain",
        rows: [
            Row(-999, "cancelled", .network, retry: .maybe)
                .meaning("The request was cancelled before it ended, by the app or the system.")
                .advice("Find out whether the app went to the background or dropped the request."),
            Row(-1001, "timedOut", .network, retry: .yes)
                .meaning("The answer did not come in time.")
                .advice("Try again with growing pauses."),
            Row(-1003, "cannotFindHost", .network, retry: .yes)
                .meaning("The name of the host could not be resolved.")
                .advice("Try again when there is a connection; check DNS filters if it lasts."),
            Row(-1004, "cannotConnectToHost", .network, retry: .yes)
                .meaning("The host did not accept the connection.")
                .advice("Try again with growing pauses; check firewalls if it lasts."),
            Row(-1005, "networkConnectionLost", .network, retry: .yes)
                .meaning("The connection broke off on the way.")
                .advice("Try again."),
            Row(-1009, "notConnectedToInternet", .network, retry: .yes)
                .meaning("The device was offline.")
                .advice("Try again when there is a connection."),
            Row(-1200, "secureConnectionFailed", .network, retry: .maybe)
                .meaning("No secure connection could be made.")
                .advice("Check the device's clock and any proxy that opens TLS."),
            Row(anyCode, "loadingFailed", .network, retry: .maybe)
                .meaning("Loading a URL failed.")
                .advice("Try again when there is a connection."),
        ]
    )

    /// Foundation on the device.
    static let cocoa = system(named: "NSCocoaErrorDomain", "Foundation failed on the device.")

    /// The kernel of the device.
    static let posix = system(named: "NSPOSIXErrorDomain", "A system call failed on the device.")

    private static func system(named name: String, _ meaning: String) -> FailureDomain {
        FailureDomain(
            name: name,
            rows: [
                Row(anyCode, "systemError", .system, retry: .maybe)
                    .meaning(meaning)
                    .advice("Look at the device's log and at the versions that it happens on.")
            ]
        )
    }
}
