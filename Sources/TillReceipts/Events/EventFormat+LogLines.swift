import TillColumns
public import TillCore
public import TillRows

extension EventFormat {
    public static func recognizes(text: RawSpan) -> Bool {
        ClientLogLine.recognizes(text)
    }

    /// Reads an entry of a client's log as an event named `failed`, or `restore_failed`.
    public mutating func decode(text: RawSpan, isAllowed: Bool, into rows: inout RowBatch) throws(Finding) -> [UInt8]? {
        place = (nil, nil)
        guard isAllowed else { throw Finding(.otherFormat) }
        let line = try ClientLogLine(text)
        setChain(line.errors, &rows)
        rows.events.beginRow()
        rows.events.set(.at, line.at?.milliseconds)
        rows.events.set(.event, Int64(rows.dictionary.code(for: EventName.failure(isRestore: line.isOfRestore))))
        setFailure(message: line.message.map { Int64(rows.dictionary.code(for: $0)) }, &rows)
        ErrorOrigin.complete(&rows, with: text)
        rows.events.endRow()
        return nil
    }
}
