import TillCore
import TillReceipts

/// One code that a user asks about.
///
///     21007    SK:2    SKErrorDomain:2    SKErrorDomain 2    ESKERRORDOMAIN2    verify:21003
///     StoreKitError.userCancelled    userCancelled    SK2:userCancelled    ASDServerErrorDomain
struct CodeQuery: Hashable {
    /// The domain as it was written; `nil` if only a code or name was.
    var domain: String?
    var code: Int64?
    var name: String?

    /// The queries in the operands of the command. A domain and its code or name may be two operands. A chain of errors
    /// in a report (`SK:0/ASD:500`) is one query for each error.
    static func parse(_ operands: [String]) -> [CodeQuery] {
        let words = operands.flatMap { $0.split { $0 == "/" || $0.isWhitespace }.map(String.init) }
        var queries: [CodeQuery] = []
        var index = 0
        while index < words.count {
            let query = CodeQuery(words[index])
            index += 1
            if let domain = query.domain, query.isWholeDomain, index < words.count {
                let next = CodeQuery(domain: domain, code: Int64(words[index]), name: words[index])
                if next.code != nil || !next.entries.isEmpty {
                    queries.append(next)
                    index += 1
                    continue
                }
            }
            queries.append(query)
        }
        return queries
    }

    private init(domain: String?, code: Int64?, name: String?) {
        self.domain = domain
        self.code = code
        self.name = code == nil ? name : nil
    }

    private init(_ word: String) {
        let bytes = Array(word.utf8)
        if let code = Int64(word) {
            self.init(domain: nil, code: code, name: nil)
        } else if !Self.domains(called: word).isEmpty {
            self.init(domain: word, code: nil, name: nil)
        } else if let type = FailureCatalogue.errorType(named: word) {
            self.init(domain: type, code: nil, name: nil)
        } else if let wrapped = WrappedErrorCode.find(in: bytes.span.bytes, to: bytes.count) {
            self.init(domain: wrapped.domain, code: wrapped.code, name: nil)
        } else if let mark = word.lastIndex(where: { $0 == ":" || $0 == "." }) {
            let rest = String(word[word.index(after: mark)...])
            self.init(domain: String(word[..<mark]), code: Int64(rest), name: rest)
        } else {
            self.init(domain: nil, code: nil, name: word)
        }
    }

    /// Whether the query is for all codes of a domain.
    var isWholeDomain: Bool { code == nil && name == nil }

    /// The query as a person would write it.
    var text: String {
        let rest = code.map { String($0) } ?? name
        return [domain, rest].compactMap(\.self).joined(separator: ":")
    }

    /// The explanations for the query. A code without a domain means every domain that has this code. If no domain has
    /// it, the range of the number decides the domain. Codes of SDKs are looked for where Apple has none.
    var entries: [FailureEntry] {
        let entries = appleEntries
        guard entries.isEmpty, !isWholeDomain else { return entries }
        let error: (domain: String, code: Int64?) =
            name.map { FailureCatalogue.error(named: $0, of: domain) } ?? (domain ?? "", code)
        return FailureCatalogue.entry(domain: error.domain, code: error.code).map { [$0] } ?? []
    }

    private var appleEntries: [FailureEntry] {
        let domains = domain.map { Self.domains(called: $0) }
        let candidates = FailureCatalogue.entries.filter { domains?.contains($0.domain) ?? true }
        if let name { return candidates.filter { $0.name.lowercased() == name.lowercased() } }
        guard let code else { return candidates }
        if let domains { return domains.compactMap { FailureCatalogue.entry(domain: $0, code: code) } }
        let named = candidates.filter { $0.codes != FailureEntry.anyCode && $0.codes?.contains(code) == true }
        guard named.isEmpty, let inferred = inferredDomain else { return named }
        return FailureCatalogue.entry(domain: inferred, code: code).map { [$0] } ?? []
    }

    /// Suggestions for a query without a result.
    var question: String {
        let entries = FailureCatalogue.entries
        let domains = entries.map(\.domain)
        if let domain, Self.domains(called: domain).isEmpty {
            return NearestWord.clause(about: domain, among: domains)
        }
        guard let name else { return "" }
        return NearestWord.clause(about: name, among: entries.map(\.name) + domains)
    }

    /// The assumed domain of a code without a domain.
    var inferredDomain: String? {
        code.flatMap { FailureCatalogue.inferDomain(code: $0, message: nil) }
    }

    /// Apple's name of the domain in the query, if it is known.
    var namedDomain: String? {
        guard let domain else { return inferredDomain }
        let domains = Self.domains(called: domain)
        return domains.count == 1 ? domains[0] : domain
    }

    /// The domains for a name: the full name, its short form in reports, the last part of a type's name, or `SK2` for
    /// all of StoreKit 2. Case does not matter.
    private static func domains(called name: String) -> [String] {
        let wanted = name.lowercased()
        var seen: Set<String> = []
        return FailureCatalogue.entries.filter { entry in
            names(of: entry.domain, isCase: entry.codes == nil).contains(wanted) && seen.insert(entry.domain).inserted
        }
        .map(\.domain)
    }

    private static func names(of domain: String, isCase: Bool) -> [String] {
        let full = domain.lowercased()
        guard !isCase else { return [full, "sk2"] + full.split(separator: ".").suffix(1).map(String.init) }
        let type = full.hasSuffix("domain") ? String(full.dropLast("domain".count)) : full
        let short = type.hasSuffix("error") ? String(type.dropLast("error".count)) : type
        let bare = [type, short].filter { $0.hasPrefix("ns") }.map { String($0.dropFirst(2)) }
        return [full, type, short] + bare + (full == "verifyreceipt" ? ["verify"] : [])
    }
}
