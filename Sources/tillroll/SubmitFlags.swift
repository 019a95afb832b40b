import ArgumentParser
import TillPipeline
import TillSubmit

/// Flags of `submit` alone.
enum SubmitFlag: DeclaredFlag, FlagSection, CaseIterable {
    case endpoint, sandboxEndpoint, passwordFile, excludeOldTransactions, retries, timeout, output

    typealias Flag = Self

    /// How often a request may be sent again.
    private static let retryNumbers = 0...20
    /// Seconds that a request may take.
    private static let timeouts = 1...3600

    var entry: FlagEntry {
        switch self {
        case .endpoint:
            FlagEntry(
                "endpoint",
                valueName: "url",
                help: "Where receipts are sent: \(Endpoint.production.url), or a server that answers as it does."
            )
        case .sandboxEndpoint:
            FlagEntry(
                "sandbox-endpoint",
                valueName: "url",
                help:
                    "The endpoint for receipts with status 21007 (default: Apple's sandbox where --endpoint is "
                    + "Apple's, else nowhere)."
            )
        case .passwordFile:
            FlagEntry(
                "password-file",
                valueName: "file",
                completion: .file,
                help:
                    "Send the shared secret that this file holds, as receipts of subscriptions need it; '-' is standard input. It "
                    + "is never written anywhere."
            )
        case .excludeOldTransactions:
            FlagEntry(
                "exclude-old-transactions",
                .none,
                help: "Ask for the latest renewal of each subscription only. The answers are then no full history."
            )
        case .retries:
            FlagEntry(
                "retries",
                .number,
                valueName: "number",
                usual: String(Verifier.usualRetries),
                help: "How often a request is sent again after a failure that may pass."
            )
        case .timeout:
            FlagEntry(
                "timeout",
                .number,
                valueName: "seconds",
                usual: String(SubmitRun.usualTimeout / 1000),
                help: "How long one request may take with its answer."
            )
        case .output:
            FlagEntry.output(help: "Write to a file, readable by its owner only; '-' is standard output.")
        }
    }

    static func check(_ flags: Flags<Self>) throws {
        guard let endpoint = flags[.endpoint] else {
            throw ValidationError(
                "submit sends receipts only where --endpoint says so. Apple's endpoints: \(Endpoint.production.url) and, "
                    + "for the sandbox, \(Endpoint.sandbox.url)."
            )
        }
        _ = try Self.endpoint(endpoint, of: "--endpoint")
        if let sandbox = flags[.sandboxEndpoint] { _ = try Self.endpoint(sandbox, of: "--sandbox-endpoint") }
        if flags[.passwordFile] == "" { throw ValidationError("--password-file takes the name of a file.") }
        if let retries = flags.number(.retries), !retryNumbers.contains(retries) {
            throw ValidationError("--retries takes a number up to \(retryNumbers.upperBound), not '\(retries)'.")
        }
        if let timeout = flags.number(.timeout), !timeouts.contains(timeout) {
            throw ValidationError("--timeout takes a number of seconds up to \(timeouts.upperBound), not '\(timeout)'.")
        }
    }

    fileprivate static func endpoint(_ text: String, of option: String) throws -> Endpoint {
        do {
            return try Endpoint(text)
        } catch {
            throw ValidationError("\(option): \(error.reason).")
        }
    }
}

extension Flags<SubmitFlag> {
    /// Where receipts are sent, and how often, but for the shared secret.
    func verifier() throws -> Verifier {
        var verifier = Verifier(endpoint: try SubmitFlag.endpoint(self[.endpoint] ?? "", of: "--endpoint"))
        if let sandbox = self[.sandboxEndpoint] {
            verifier.sandbox = try SubmitFlag.endpoint(sandbox, of: "--sandbox-endpoint")
        }
        verifier.excludesOldTransactions = has(.excludeOldTransactions)
        verifier.retries = number(.retries) ?? Verifier.usualRetries
        return verifier
    }
}
