import TillJSON

/// The JSON of a request about a receipt.
///
///     {"receipt-data":"MIIT…","password":"…","exclude-old-transactions":true}
///
/// Keys without a value are left out.
struct VerifyRequest {
    /// The receipt in base64.
    var receipt: [UInt8]
    /// Whether the answer shall contain only the latest renewal of each subscription.
    var excludesOldTransactions: Bool

    /// The body of the request, with the secret.
    func body(_ secret: SharedSecret?) -> [UInt8] {
        var body = head
        if let secret {
            body += ",\"password\":".utf8
            body.appendJSON(string: secret.text)
        }
        body += tail
        return body
    }

    /// The request for the output, without the secret.
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
