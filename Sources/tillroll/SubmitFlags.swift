import ArgumentParser
import TillPipeline
import TillSubmit

/// Flags of `submit` alone.
enum SubmitFlag: DeclaredFlag, FlagSection, CaseIterable {
    case endpoint, sandboxEndpoint, passwordFile, excludeOldTransactions, retries, timeout, output

    typealias Flag = Self

    /// The accepted numbers of retries.
    private static let retryNumbers = 0...20
    /// The accepted timeouts, in seconds.
    private static let timeouts = 1...3600

    var entry: FlagEntry {
        switch self {
        case .endpoint:
            FlagEntry(
                "endpoint",
                valueName: "url",
                help:
                    "The address to which receipts are sent: \(Endpoint.production.url), or a server with the same "
                    + "protocol."
            )
        case .sandboxEndpoint:
            FlagEntry(
                "sandbox-endpoint",
                valueName: "url",
                help:
                    "The endpoint for receipts with status 21007 (default: Apple's sandbox if --endpoint is "
                    + "Apple's, else none)."
            )
        case .passwordFile:
            FlagEntry(
                "password-file",
                valueName: "file",
                completion: .file,
                help:
                    "A file with the shared secret, which subscription receipts need; '-' is standard input. The "
                    + "secret is in no output."
            )
        case .excludeOldTransactions:
            FlagEntry(
                "exclude-old-transactions",
                .none,
                help: "Ask only for the latest renewal of each subscription. The answers then lack the earlier ones."
            )
        case .retries:
            FlagEntry(
                "retries",
                .number,
                valueName: "number",
                usual: String(Verifier.usualRetries),
                help: "How often a request is sent again after a temporary failure."
            )
        case .timeout:
            FlagEntry(
                "timeout",
                .number,
                valueName: "seconds",
                usual: String(SubmitRun.usualTimeout / 1000),
                help: "The longest time for a request and its answer."
            )
        case .output:
            FlagEntry.output(help: "Write to a file, readable by its owner only; '-' is standard output.")
        }
    }

    static func check(_ flags: Flags<Self>) throws {
        guard let endpoint = flags[.endpoint] else {
            throw ValidationError(
                "submit needs --endpoint, the address to which receipts are sent. Apple's endpoints: "
                    + "\(Endpoint.production.url) and, for the sandbox, \(Endpoint.sandbox.url)."
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
    /// The verifier of these flags, without the shared secret.
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
