import TillColumns
import TillCore

/// The class of an error and those under it, worked out once for each distinct chain.
///
/// A dump has a dozen distinct chains and millions of failures, so the answer is kept by the codes of the chain. Codes
/// are those of one batch's dictionary; the next batch begins with a new value.
struct FailureClasses {
    /// Errors under one another that are looked at; deeper ones are read and left out.
    static let chainLimit = 16

    struct Outcome {
        /// The class, as text in the dictionary.
        var word: Int64
        /// Which error of the chain is shown as the underlying one: the deepest that is known, else the deepest.
        var deepest: Int
    }

    /// The chain of the error being read, outermost first.
    var chain: [EventFormat.Failure] = []
    private var known: [[EventFormat.Failure]: Outcome] = [:]
    /// Some of ``known``, by a hash that is cheap to come by; a newer chain takes the place of an older.
    private var recent = [(chain: [EventFormat.Failure], outcome: Outcome)?](repeating: nil, count: 64)
    /// The domain that a code and its message let one guess, by both.
    private var guesses: [EventFormat.Failure: Int64?] = [:]
    /// The errors that names of codes and cases mean, by the text in place of a domain and the name in place of a code.
    /// Both are codes of the dictionary.
    private var cases: [EventFormat.Failure: EventFormat.Failure] = [:]

    /// The domain of a code that came without one; `message` is text in the dictionary.
    mutating func domain(of code: Int64, message: Int64?, _ dictionary: inout TextDictionary) -> Int64? {
        let key = EventFormat.Failure(domain: message, code: code)
        if let guess = guesses[key] { return guess }
        let text = message.map { dictionary.text(of: Int($0)) }
        let domain = FailureCatalogue.inferDomain(code: code, message: text).map { Int64(dictionary.code(for: $0)) }
        guesses[key] = .some(domain)
        return domain
    }

    /// The error that a name in place of a code stands for, with what came as its domain: a code of `SKErrorDomain`, or
    /// a case of StoreKit 2, which is a domain without a code.
    mutating func error(named name: RawSpan, of type: Int64?, _ dictionary: inout TextDictionary) -> EventFormat.Failure
    {
        let key = EventFormat.Failure(domain: type, code: Int64(dictionary.code(for: name)))
        if let error = cases[key] { return error }
        let (name, type) = (name.text(0..<name.byteCount), type.map { dictionary.text(of: Int($0)) })
        let text = Array("\(type ?? ""): \(name)".utf8)
        var error = EventFormat.Failure()
        if let known = ErrorMentionSearch(text.span.bytes, to: text.count).first(from: 0)?.error, let code = known.code
        {
            error = EventFormat.Failure(domain: known.domain.map { Int64(dictionary.code(for: $0)) }, code: code)
        } else {
            let named = FailureCatalogue.error(named: name, of: type)
            error = EventFormat.Failure(domain: Int64(dictionary.code(for: named.domain)), code: named.code)
        }
        cases[key] = error
        return error
    }

    /// The error of a text that is the name of a code, such as `user-cancelled`; `nil` for any other text. One word, such
    /// as `pending`, may be a message.
    mutating func error(ofCode text: RawSpan, _ dictionary: inout TextDictionary) -> EventFormat.Failure? {
        guard text.byteCount <= ErrorMentionSearch.longestName else { return nil }
        var words = 1
        for index in 0..<text.byteCount {
            let byte = text.byte(index)
            guard byte < 0x80, byte.isLetterOrDigit || [0x2D, 0x2E, 0x5F].contains(byte) else { return nil }
            if index > 0, !byte.isLetterOrDigit || byte != byte.lowercased { words += 1 }
        }
        guard words > 1 else { return nil }
        let error = error(named: text, of: nil, &dictionary)
        return isKnown(error, dictionary) ? error : nil
    }

    /// Whether the catalogue has an error.
    func isKnown(_ failure: EventFormat.Failure, _ dictionary: borrowing TextDictionary) -> Bool {
        guard let domain = failure.domain else { return false }
        return FailureCatalogue.failureClass(domain: dictionary.text(of: Int(domain)), code: failure.code) != nil
    }

    /// The outcome for ``chain``.
    mutating func outcome(_ dictionary: inout TextDictionary) -> Outcome {
        let slot = recentSlot
        if let recent = recent[slot], recent.chain == chain { return recent.outcome }
        let outcome = known[chain] ?? classify(&dictionary)
        recent[slot] = (chain, outcome)
        return outcome
    }

    private var recentSlot: Int {
        var hash: UInt64 = 0
        for failure in chain {
            let word = UInt64(bitPattern: failure.domain ?? -1) << 32 ^ UInt64(bitPattern: failure.code ?? -1)
            hash = (hash ^ word) &* 0x9E37_79B9_7F4A_7C15
        }
        return Int(hash >> 58)
    }

    private mutating func classify(_ dictionary: inout TextDictionary) -> Outcome {
        var named: [(position: Int, domain: String, code: Int64?)] = []
        for (position, failure) in chain.enumerated() {
            guard let domain = failure.domain else { continue }
            named.append((position, dictionary.text(of: Int(domain)), failure.code))
        }
        let outcome = Outcome(
            word: Int64(
                dictionary.code(for: FailureCatalogue.failureClass(of: named.map { ($0.domain, $0.code) }).rawValue)
            ),
            deepest: named.last {
                FailureCatalogue.failureClass(domain: $0.domain, code: $0.code) != nil && $0.position > 0
            }?.position ?? chain.count - 1
        )
        known[chain] = outcome
        return outcome
    }
}
