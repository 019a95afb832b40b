public import TillCore

/// The answers in the output of a run that did not end, by their requests: `submit --resume` does not ask again.
public struct HeldAnswers: Sendable {
    private let excludesOldTransactions: Bool
    /// Whether a 21007 is followed by the answer of the sandbox.
    private let hasSandbox: Bool
    /// The statuses of the answers to each receipt, by the SHA-256 of the request.
    private var statuses: [[UInt8]: [[Int64]]] = [:]
    /// A 21007 whose second answer is not read yet.
    private var first: (request: [UInt8], byteCount: Int)?
    /// Receipts whose answers are held.
    public private(set) var count = 0
    /// Bytes of their lines. What follows them is not complete.
    public private(set) var byteCount = 0

    /// Holds nothing yet.
    ///
    /// - Parameter verifier: the one that asks for the other answers.
    public init(_ verifier: Verifier) {
        (excludesOldTransactions, hasSandbox) = (verifier.excludesOldTransactions, verifier.sandbox != nil)
    }

    /// Adds a line, in the order of the file.
    ///
    /// - Parameter line: with its line feed.
    /// - Throws: `submit.not-held` if it is no line of ``Verifier/lines(of:_:)``.
    public mutating func add(_ line: [UInt8]) throws(Finding) {
        let (request, status) = try Self.answer(in: line)
        if let first {
            self.first = nil
            if first.request == request {
                return hold(request, [Verifier.sandboxReceipt, status], first.byteCount + line.count)
            }
            hold(first.request, [Verifier.sandboxReceipt], first.byteCount)
        }
        if hasSandbox, status == Verifier.sandboxReceipt {
            first = (request, line.count)
        } else {
            hold(request, [status], line.count)
        }
    }

    private mutating func hold(_ request: [UInt8], _ answers: [Int64], _ byteCount: Int) {
        statuses[request, default: []].append(answers)
        count += 1
        self.byteCount += byteCount
    }

    /// The statuses of the answers to a receipt, which are held once less then; `nil` if they are not held.
    ///
    /// - Parameter receipt: in base64.
    public mutating func take(_ receipt: [UInt8]) -> [Int64]? {
        guard count > 0 else { return nil }
        let request = VerifyRequest(receipt: receipt, excludesOldTransactions: excludesOldTransactions)
        let key = Self.digest(request.text[...])
        guard var held = statuses[key] else { return nil }
        let answers = held.removeFirst()
        statuses[key] = held.isEmpty ? nil : held
        count -= 1
        return answers
    }

    /// The digest of the request, and the status of the answer.
    private static func answer(in line: [UInt8]) throws(Finding) -> (request: [UInt8], status: Int64) {
        let (request, response) = (",\"request\":".utf8, "},\"response\":".utf8)
        guard line.starts(with: "{\"logged_at_ms\":".utf8), line.suffix(2).elementsEqual("}\n".utf8),
            let start = line.firstIndex(of: 0x2C), line[start...].starts(with: request),
            // No receipt in base64 has a bracket.
            let end = line[start...].firstIndex(of: 0x7D), line[end...].starts(with: response)
        else { throw Finding("submit.not-held", "the line is not one of 'tillroll submit'") }
        let answer = try StoreAnswer(
            Array(line[(end + response.count)..<(line.count - 2)]),
            at: Timestamp(milliseconds: 0),
            masking: nil
        )
        return (digest(line[(start + request.count)...end]), answer.status)
    }

    private static func digest(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        let hash = ContentHash()
        hash.update(Array(bytes))
        return hash.octets
    }
}
