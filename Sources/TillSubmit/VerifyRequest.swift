import TillJSON

/// The JSON that asks an endpoint about a receipt.
///
///     {"receipt-data":"MIIT…","password":"…","exclude-old-transactions":true}
///
/// Keys without a value are left out.
struct VerifyRequest {
    /// The receipt in base64.
    var receipt: [UInt8]
    /// Whether only the latest renewal of each subscription is asked for.
    var excludesOldTransactions: Bool

    /// What is sent.
    func body(_ secret: SharedSecret?) -> [UInt8] {
        var body = head
        if let secret {
            body += ",\"password\":".utf8
            body.appendJSON(string: secret.text)
        }
        body += tail
        return body
    }

    /// The request as it is written down: without the secret.
    var text: [UInt8] { head + tail }

    private var head: [UInt8] {
        var text = Array("{\"receipt-data\":".utf8)
        text.appendJSON(string: receipt)
        return text
    }

    private var tail: [UInt8] {
        Array((excludesOldTransactions ? ",\"exclude-old-transactions\":true}" : "}").utf8)
    }
}
