extension Unwrapper.Search {
    /// Takes out the lines of a member that is an error with those under it, as crash reporters keep them; gives them
    /// as one, an object of the outermost with the others under it.
    ///
    ///     "exception":{"values":[{"type":"ASDErrorDomain", …},{"type":"SKErrorDomain", …}]}      Sentry: outermost last
    ///     "exceptions":[{"errorClass":"NSError","message":"… (SKErrorDomain error 2.)"}]         Bugsnag: outermost first
    ///     "error":[{"title":"SKErrorDomain","code":"2"}]                                         Crashlytics
    mutating func takeException(of member: String) -> FoundDocument? {
        guard ["exception", "exceptions", "error"].contains(member) else { return nil }
        var lines = documents.filter { $0.kind == .logLine }
        if member == "error", lines.contains(where: { !$0.isOfList }) { return nil }
        if member == "exception" { lines.reverse() }
        guard var outermost = lines.first else { return nil }
        documents.removeAll { $0.kind == .logLine }
        let others = lines.dropFirst().map(\.text).filter { $0.first == 0x7B }
        guard !others.isEmpty, outermost.text.first == 0x7B, outermost.text.last == 0x7D else { return outermost }
        outermost.text.removeLast()
        outermost.text += Array(#","underlying":["#.utf8) + others.joined(separator: [0x2C]) + Array("]}".utf8)
        return outermost
    }
}
