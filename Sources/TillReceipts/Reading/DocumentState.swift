import TillCore
import TillInput

/// The state of the document that is being read. Each document gets a new one. It cannot be copied, because a copy
/// would cost more than reading a short document.
struct DocumentState: ~Copyable {
    /// The format that read, or tried to read, the document.
    private(set) var format: FormatID?
    /// Whether ``format`` has begun to read; until then its ``ReceiptFormat/path`` is that of an earlier document.
    private(set) var hasBegun = false
    /// The innermost member or format that wraps the document. It is apart from ``outerWrappings``, since few documents
    /// have more than one wrapping, and an array would be an allocation for each document.
    private var innermostWrapping: String?
    /// The other members and formats that wrap it, outermost first.
    private var outerWrappings: [String] = []
    /// Removed layers, including layers without a name.
    private(set) var depth = 0
    /// Whether the bytes that are being read were decoded from others, so that offsets in them are not those of the
    /// chunk.
    private(set) var isWrapped: Bool
    /// The bytes after the document in the texts that contain it, in the order of finding.
    private(set) var trailing: [[UInt8]] = []
    /// Further documents that were found beside this one, in their order.
    private(set) var others: [FoundDocument] = []
    /// The members of the line of `--rejects`, if the document is read from one.
    private(set) var earlier: EarlierReject?
    /// How many of ``others`` stand beside that line, and not in the document that it holds.
    private(set) var othersOutside = 0
    /// The layers that were removed without finding a document.
    var opened: OpenedLayers?
    /// The context from the objects around the document; `nil` if there are none.
    private(set) var envelope: EnvelopeFacts?
    /// Records the layers, where traces are kept.
    private var recorder: TraceRecorder?

    init(keepsTrace: Bool, isWrapped: Bool = false) {
        self.isWrapped = isWrapped
        if keepsTrace { recorder = TraceRecorder() }
    }

    /// Whether the document is not wrapped, and its format reads by itself when the document was logged.
    var readsLoggedAt: Bool { innermostWrapping == nil && format.map { $0.type.readsLoggedAt } ?? false }

    /// Whether no wrapping announced the text to be a receipt: it stands alone in the chunk, or is that of an earlier
    /// reject.
    var isBare: Bool { depth == 0 || innermostWrapping == nil }

    /// The members and formats that wrap the document, outermost first.
    var wrappings: [String] { outerWrappings + (innermostWrapping.map { [$0] } ?? []) }

    /// Says that a format begins to read the document.
    mutating func begin(_ format: FormatID) { (self.format, hasBegun) = (format, true) }

    /// Says that only a document of a format can be here, which has not begun to read it.
    mutating func expect(_ format: FormatID?) { (self.format, hasBegun) = (format, false) }

    /// Says that the bytes from here on were decoded from others.
    mutating func markWrapped() { isWrapped = true }

    /// Counts one more layer that is taken off, which is at `offset` of the text around it.
    mutating func takeOffLayer(at offset: Int = 0) throws(Finding) {
        guard depth < DocumentReader.wrapLimit else { throw Finding(.tooDeep, at: offset) }
        depth += 1
    }

    /// Adds the member or format that wraps what is read next.
    mutating func appendWrapping(_ name: String) {
        if let innermostWrapping { outerWrappings.append(innermostWrapping) }
        innermostWrapping = name
        expect(nil)
    }

    /// Says that the document that is read next was found inside others.
    mutating func enter(_ found: FoundDocument) {
        markWrapped()
        var entered = 0
        for layer in found.layers {
            for member in found.members[entered..<layer.memberCount] { appendWrapping(member) }
            entered = layer.memberCount
            // The documents of one text share their layers: copies would take memory for the square of their number.
            record(layer.kind, sharing: layer.bytes)
        }
        for member in found.members[entered...] { appendWrapping(member) }
        envelope = inside(envelope, found.envelope)
        if let earlier = found.earlier { (self.earlier, othersOutside) = (earlier, others.count) }
    }

    /// Gives away what a line of `--rejects` says of the document.
    mutating func takeEarlier() -> EarlierReject? { earlier.take() }

    /// The size of a document that stands in so many bytes of the chunk; of one in a line of `--rejects` it is its own.
    func size(in byteCount: Int) -> Int { earlier?.raw?.count ?? byteCount }

    /// Whether there is more work than reading the document: there are documents or other bytes after or beside it, or
    /// it is from an earlier run.
    var hasFollowers: Bool { !trailing.isEmpty || !others.isEmpty || earlier != nil }

    /// Keeps further documents that were found beside the one that is read.
    mutating func keep(_ found: some Sequence<FoundDocument>) {
        let first = others.count
        others += found
        for index in first..<others.count {
            others[index].envelope = inside(envelope, others[index].envelope)
            if let recorder { others[index].outerLayers = recorder.trace.layers }
        }
    }

    /// Keeps the attributes from the other cells of a row of delimited text.
    mutating func keep(_ facts: EnvelopeFacts) { envelope = inside(facts, envelope ?? EnvelopeFacts()) }

    /// The facts in the text around the document, for the formats.
    var surroundings: Surroundings { Surroundings(status: envelope?.status, environment: envelope?.environment) }

    /// The state of a document found inside the current one; the context of the outer objects applies to it too.
    private func inside(_ outer: EnvelopeFacts?, _ found: EnvelopeFacts) -> EnvelopeFacts {
        guard let outer else { return found }
        var facts = found
        facts.fill(from: outer)
        return facts
    }

    /// Gives the further documents away.
    mutating func takeOthers() -> [FoundDocument] {
        defer { others = [] }
        return others
    }

    /// Forgets the documents beside this one and the bytes behind it.
    mutating func forgetFollowers() { (trailing, others) = ([], []) }

    /// Forgets all but the trace, for a document of which only the size counts.
    mutating func forget() {
        expect(nil)
        forgetFollowers()
        (innermostWrapping, outerWrappings, isWrapped) = (nil, [], true)
    }

    // MARK: Bytes behind the document

    /// Keeps the bytes from `end` on, unless they are padding.
    mutating func keepTrailing(_ bytes: RawSpan, from end: Int) {
        guard let start = (end..<bytes.byteCount).first(where: { !Framer.isPadding(bytes.byte($0)) }) else { return }
        trailing.append(bytes.extracting(start..<bytes.byteCount).withUnsafeBytes(Array.init))
    }

    /// Gives the kept bytes away.
    mutating func takeTrailing() -> [[UInt8]] {
        defer { trailing = [] }
        return trailing
    }

    // MARK: Trace

    /// Whether the layers are recorded.
    var keepsTrace: Bool { recorder != nil }

    /// Takes over the layers around the text in which this document was found, which another one has recorded.
    mutating func record(_ layers: [DocumentTrace.Layer]) { recorder?.append(layers) }

    /// Records a layer. Of JSON that is not wrapped `bytes` is `nil`: where it ends is known only when it has been
    /// read.
    mutating func record(_ kind: DocumentTrace.Layer.Kind, _ bytes: RawSpan?, format: FormatID? = nil) {
        guard recorder != nil else { return }
        record(kind, sharing: bytes?.withUnsafeBytes(Array.init) ?? [], format: format)
    }

    private mutating func record(_ kind: DocumentTrace.Layer.Kind, sharing bytes: [UInt8], format: FormatID? = nil) {
        let wrappings = wrappings
        recorder?.append(kind, bytes, format: format, wrappings: wrappings)
    }

    /// Records the format that takes the innermost layer for a document.
    mutating func record(format: FormatID) { recorder?.set(format) }

    /// Ends the trace and gives it away; `nil` if none is kept, or it was given away before.
    mutating func takeTrace() -> DocumentTrace? { recorder.take()?.trace }
}

/// Collects the layers of one document for its ``DocumentTrace``.
private struct TraceRecorder {
    private(set) var trace = DocumentTrace()
    /// Wrappings of the document that the layers name already.
    private var recordedWrappings = 0

    mutating func append(
        _ kind: DocumentTrace.Layer.Kind,
        _ bytes: [UInt8],
        format: FormatID?,
        wrappings: [String]
    ) {
        let members = wrappings.dropFirst(recordedWrappings)
        let member = members.isEmpty ? nil : members.joined(separator: " › ").replacing(" › [", with: "[")
        recordedWrappings = wrappings.count
        trace.layers.append(DocumentTrace.Layer(kind: kind, format: format?.name, member: member, bytes: bytes))
    }

    mutating func append(_ layers: [DocumentTrace.Layer]) { trace.layers += layers }

    mutating func set(_ format: FormatID) {
        guard let last = trace.layers.indices.last else { return }
        trace.layers[last].format = format.name
    }
}
