import TillCore
import TillInput
import TillJSON
import TillRows

/// The host of Apple's sandbox in what surrounds a document. An answer of it, such as an iOS 6 response, may have no
/// environment, and must not count as one of production.
///
///     {"request":{"url":"https://sandbox.itunes.apple.com/verifyReceipt",…},"response":{"content":{"text":"{\"status\":0,…}"}}}
///
/// The nearest object around the document that names a host of verifyReceipt counts. If it names both, it is that of
/// the sandbox: a proxy may have changed one of them. Elements of a list are separate records, so what stands beside
/// them in the list does not count.
struct SandboxHost {
    private static let host = Array("sandbox.itunes.apple.com".utf8)
    private static let productionHost = Array("buy.itunes.apple.com".utf8)

    /// Where the text names the hosts, in order.
    private let sandbox: [Int]
    private let production: [Int]

    /// `nil` if a text does not name the sandbox.
    private init?(_ text: RawSpan) {
        sandbox = text.indices(of: Self.host)
        guard !sandbox.isEmpty else { return nil }
        production = text.indices(of: Self.productionHost)
    }

    /// Whether a text names the host of the sandbox.
    static func isNamed(in text: RawSpan) -> Bool {
        text.contains(host)
    }

    /// Sets the environment of documents that were found in the value at the cursor, and have none.
    static func apply(to documents: inout [FoundDocument], in start: borrowing JSONCursor) {
        guard documents.contains(where: { $0.envelope.environment == nil }) else { return }
        var cursor = copy start
        // The value has been searched before without an error.
        guard (try? cursor.skipValue()) != nil,
            let hosts = SandboxHost(start.bytes.extracting(start.position..<cursor.position))
        else { return }
        var places = documents.indices.filter { documents[$0].envelope.environment == nil }.map { Place(document: $0) }
        cursor.position = start.position
        try? hosts.settle(&places, documents, at: &cursor, from: start.position, depth: 0)
        for place in places where place.isSandbox == true { documents[place.document].envelope.environment = .sandbox }
    }

    /// A document, and what is known of it.
    private struct Place {
        let document: Int
        /// `nil` while no object around it has named a host.
        var isSandbox: Bool?
        /// The outermost list around the document that has been seen, from the start of the text.
        var list = 0..<0
    }

    /// Settles the documents in the value at the cursor, innermost objects first; moves the cursor behind the value.
    @_lifetime(cursor: copy cursor)
    private func settle(
        _ places: inout [Place],
        _ documents: [FoundDocument],
        at cursor: inout JSONCursor,
        from textStart: Int,
        depth: Int
    ) throws(Finding) {
        let start = cursor.position
        let token = try cursor.token()
        guard token.isContainer else { return }
        guard !places.isEmpty, depth < Unwrapper.searchDepth else { return try cursor.skipContainer() }
        var byMember: [String: [Int]] = [:]
        for index in places.indices {
            let members = documents[places[index].document].members
            if depth < members.count { byMember[members[depth], default: []].append(index) }
        }
        try cursor.expect(token.kind == .array ? 0x5B : 0x7B)
        var isFirst = true
        var number = 0
        while true {
            let name: String
            if token.kind == .array {
                guard try cursor.nextElement(isFirst: &isFirst) else { break }
                name = "[\(number)]"
                number += 1
            } else {
                guard let key = try cursor.nextKey(isFirst: &isFirst) else { break }
                var text: [UInt8] = []
                cursor.appendText(of: key, to: &text)
                name = String(input: text)
            }
            cursor.skipWhitespace()
            guard let indices = byMember[name] else {
                try cursor.skipValue()
                continue
            }
            var inner = indices.map { places[$0] }
            try settle(&inner, documents, at: &cursor, from: textStart, depth: depth + 1)
            for (index, place) in zip(indices, inner) { places[index] = place }
        }
        let range = start - textStart..<cursor.position - textStart
        for index in places.indices where places[index].isSandbox == nil {
            if token.kind == .array {
                places[index].list = range
            } else if Self.count(sandbox, in: range, outside: places[index].list) > 0 {
                places[index].isSandbox = true
            } else if Self.count(production, in: range, outside: places[index].list) > 0 {
                places[index].isSandbox = false
            }
        }
    }

    private static func count(_ indices: [Int], in range: Range<Int>, outside hole: Range<Int>) -> Int {
        func count(_ range: Range<Int>) -> Int {
            indices.insertionIndex(of: range.upperBound) - indices.insertionIndex(of: range.lowerBound)
        }
        return count(range) - count(hole)
    }
}

extension [Int] {
    /// How many of the sorted numbers are less than one.
    fileprivate func insertionIndex(of number: Int) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle] < number { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension RawSpan {
    /// Whether the text is an address at the host of the sandbox.
    var beginsAsSandboxAddress: Bool {
        // Most values are no addresses.
        guard byteCount > 4, byte(0) == 0x68 || byte(0) == 0x73 else { return false }
        return SandboxHost.isNamed(in: extracting(0..<min(byteCount, 34)))
    }

    fileprivate func indices(of pattern: [UInt8]) -> [Int] {
        var indices: [Int] = []
        var index = 0
        while let next = firstIndex(of: pattern, from: index, to: byteCount) {
            indices.append(next)
            index = next + pattern.count
        }
        return indices
    }
}
