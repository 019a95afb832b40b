import TillCore

/// A few lines of each kind in which clients log failures, as consoles and crash reports show them.
struct LogSamples {
    private let random: SplitMix64

    init(_ clientele: Clientele) {
        random = clientele.random("log")
    }

    func file() -> SampleFile {
        let entries = Self.entries(guid: random.hexadecimal(40))
        let lines = entries.enumerated().map { index, entry in
            let time = Timestamp.utc(2026, 3, 5, hour: 9)
                .adding(minutes: index * 17, milliseconds: random.number(in: 0...999))
            return prefix(at: time, index) + entry
        }
        return SampleFile("events/client.log", lines: lines)
    }

    /// Every log begins its lines differently; some have no time, or a time without a zone.
    private func prefix(at time: Timestamp, _ index: Int) -> String {
        let text = time.text(alwaysWithMilliseconds: true)
        let (day, clock) = (text.prefix(10), text.dropFirst(11).dropLast())
        switch index % 5 {
        case 0: return "\(day) \(clock)+0000 Lumen[214:3f1c] "
        case 1: return "\(text) Lumen: "
        case 2: return "[\(day) \(clock) +00:00] "
        case 3: return "\(day) \(clock) Lumen[214] "
        default: return ""
        }
    }

    private static func entries(guid: String) -> [String] {
        [
            // Xamarin.
            "FailedTransaction Code=0 Cannot connect to iTunes Store",
            "User CANCELLED FailedTransaction Code=2 Cannot connect to iTunes Store",
            "FailedTransaction Code=5002 An unknown error has occurred",
            "FailedTransaction Code=5020 Forgot your password?",
            // Descriptions of NSError.
            #"Error Domain=SKErrorDomain Code=2 "(null)" UserInfo={NSUnderlyingError=0x28119 "#
                + #"{Error Domain=ASDErrorDomain Code=907 "Unhandled exception" UserInfo={NSDebugDescription={}}}}"#,
            #"Purchase failed: Error Domain=SKErrorDomain Code=0 "An unknown error occurred" "#
                + #"UserInfo={NSLocalizedDescription=An unknown error occurred, NSUnderlyingError=0x2811a "#
                + #"{Error Domain=ASDErrorDomain Code=500 "(null)" UserInfo={NSUnderlyingError=0x2811b "#
                + #"{Error Domain=AMSErrorDomain Code=306 "Reached max retry count" UserInfo={AMSRetries=3}}}}}"#,
            #"Error Domain=NSURLErrorDomain Code=-1009 "Es besteht keine Verbindung zum Internet." UserInfo={}"#,
            // The description of one error over several lines, with a payload and a URL that name the device.
            """
            Error Domain=SKErrorDomain Code=0 "Could not buy (guid=\(guid))" UserInfo={
                AMSServerPayload = {
                    dialog = {
                        explanation = "Sign in; then try again {1}.";
                    };
                };
                AMSURL = "https://buy.itunes.example/WebObjects/MZBuy.woa/wa/buyProduct?guid=\(guid)";
                NSUnderlyingError = 0x2811c {Error Domain=AMSErrorDomain Code=301 "Invalid Status Code" UserInfo={
                    AMSStatusCode = 500;
                }};
            }
            """,
            // The payment queue in os_log.
            #"<SKPaymentQueue: 0x281c04d10>: Payment completed with error: Error Domain=SKErrorDomain Code=907 "#
                + #""Unhandled exception" UserInfo={NSUnderlyingError=0x2811d {Error Domain=AMSErrorDomain Code=6 "#
                + #""Payment Sheet Failed" UserInfo={}}}"#,
            #"<SKPaymentQueue: 0x281c04d10>: Payment completed with error: Error Domain=ASDServerErrorDomain Code=3532 "#
                + #""You’re currently subscribed to this." UserInfo={}"#,
            // Codes of JavaScript wrappers.
            "ESKERRORDOMAIN0: Impossible de se connecter à l’iTunes Store",
            "[warn] ENSURLERRORDOMAIN-1001 要求がタイムアウトしました。",
            "ESSSERVERERRORDOMAIN5020",
        ]
    }
}
