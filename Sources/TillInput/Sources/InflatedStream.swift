/// Reads a compressed source of any number of members (gzip, RFC 1952) or frames (zstd, RFC 8878).
///
///     [ member ][ member ] … [ zeros ]
///
/// A stream that ends inside a member is an error, because a reader that stops early gives empty reports (quirk 82). Zero bytes after the last member, as tapes and block devices leave them, are skipped.
///
/// With ``inflatesAhead``, members that are short beside one read are inflated by two tasks (``MemberPrefetcher``). The bytes, the errors
/// and their places are the same.
final class InflatedStream {
    private var inflater: any Inflater
    /// Compressed bytes, behind room for those before them, which a step may give back.
    ///
    ///     [ given back ×8 ][ read … ]
    private let buffer: UnsafeMutableRawBufferPointer
    /// The unread part of `buffer`.
    private var pending = InflationStep.mostGivenBack..<InflationStep.mostGivenBack
    private static let readCount = 1 << 20
    private var inputIsOver = false
    private var isBetweenMembers = false
    /// Whether any member has come to its end.
    private var hasEndedMember = false
    private let limit: InflationLimit
    private var (taken, given) = (0, 0)

    /// Whether another task may inflate further members of the buffer.
    var inflatesAhead = false
    private let makeInflater: () throws(InputError) -> any Inflater
    private var prefetcher: MemberPrefetcher?
    /// Where in `buffer` the bytes begin that the prefetcher inflates.
    private var prefetchStart: Int?
    /// The bytes of the prefetcher's output that are given next.
    private var inflatedAhead = 0..<0

    /// The compression as people call it.
    var name: String { inflater.name }

    /// Makes a stream of the kind that the first bytes of a source tell; `nil` where they tell no compression.
    init?(
        magic: [UInt8],
        source: String,
        limit: InflationLimit,
        libraries: [DeflateLibrary] = DeflateLibrary.allCases
    ) throws(InputError) {
        self.limit = limit
        if GzipInflater.recognizes(magic) {
            makeInflater = { () throws(InputError) in try GzipInflater(source: source, libraries: libraries) }
        } else if ZstdInflater.recognizes(magic) {
            makeInflater = { () throws(InputError) in try ZstdInflater(source: source) }
        } else {
            return nil
        }
        inflater = try makeInflater()
        buffer = .allocate(byteCount: InflationStep.mostGivenBack + Self.readCount, alignment: 64)
        UnsafeMutableRawBufferPointer(rebasing: buffer[..<InflationStep.mostGivenBack])
            .initializeMemory(as: UInt8.self, repeating: 0)
    }

    deinit {
        _ = prefetcher?.end()
        buffer.deallocate()
    }

    /// Inflates into `output`; 0 at the end of the last member.
    ///
    /// `read` gives compressed bytes, 0 at their end; `offset` is how many it has given so far.
    func inflate(
        into output: UnsafeMutableRawBufferPointer,
        source: String,
        offset: @autoclosure () -> Int,
        read: (UnsafeMutableRawBufferPointer) throws(InputError) -> Int
    ) throws(InputError) -> Int {
        var written = 0
        while written < output.count {
            if !inflatedAhead.isEmpty, let prefetcher {
                let part = inflatedAhead.prefix(output.count - written)
                UnsafeMutableRawBufferPointer(rebasing: output[written...])
                    .copyMemory(from: UnsafeRawBufferPointer(rebasing: prefetcher.output[part]))
                inflatedAhead.removeFirst(part.count)
                written += part.count
                continue
            }
            if pending.isEmpty, !inputIsOver {
                dropAhead()
                try refill(read)
                // In a stream of one member there is nothing to look for.
                if inflatesAhead, hasEndedMember { try inflateAhead() }
            }
            if isBetweenMembers {
                while let first = pending.first, buffer[first] == 0 { pending.removeFirst() }
                if pending.isEmpty {
                    if inputIsOver { break }
                    continue
                }
                if takeAhead() { continue }
                inflater.beginMember()
                isBetweenMembers = false
            }
            let step = inflater.step(
                UnsafeRawBufferPointer(rebasing: buffer[pending]),
                into: UnsafeMutableRawBufferPointer(rebasing: output[written...])
            )
            pending = pending.lowerBound + step.consumed..<pending.upperBound
            written += step.written
            taken += step.consumed
            given += step.written
            if limit.isExceeded(by: given, from: taken) {
                throw InputError(.ratio, source: source, offset: offset() - pending.count, reason: limit.reason)
            }
            isBetweenMembers = step.outcome == .ended
            if isBetweenMembers { hasEndedMember = true }
            if case .damaged(let reason) = step.outcome {
                throw InputError(inflater.code, source: source, offset: offset() - pending.count, reason: reason)
            }
            if step.isIdle, inputIsOver {
                let reason = "the \(inflater.name) stream ends inside a \(inflater.memberName)"
                throw InputError(inflater.code, source: source, offset: offset(), reason: reason)
            }
        }
        return written
    }

    /// Has what looks like members in the latter part of what is at hand inflated by a task.
    private func inflateAhead() throws(InputError) {
        guard pending.count >= 2 * MemberPrefetcher.leastInput else { return }
        // Best is a half each; where none begins there, more than a half is better than nothing.
        for part in [pending.count / 2..<pending.count, pending.count / 8..<pending.count / 2] {
            let start = pending.lowerBound + part.lowerBound
            let bytes = UnsafeRawBufferPointer(rebasing: buffer[start..<pending.lowerBound + part.upperBound])
            guard let first = inflater.firstBeginning(in: bytes),
                pending.upperBound - (start + first) >= MemberPrefetcher.leastInput
            else { continue }
            let prefetcher =
                if let prefetcher { prefetcher } else { MemberPrefetcher(try makeInflater()) }
            self.prefetcher = prefetcher
            prefetchStart = start + first
            return prefetcher.begin(UnsafeRawBufferPointer(rebasing: buffer[start + first..<pending.upperBound]))
        }
    }

    /// Takes the output of the prefetcher, if it is that of the member that begins at ``pending``.
    private func takeAhead() -> Bool {
        guard let prefetcher, let start = prefetchStart, start <= pending.lowerBound else { return false }
        prefetchStart = nil
        guard let result = prefetcher.end(), start == pending.lowerBound, result.written > 0 else { return false }
        // Where the limit might be met on the way, the stream goes there itself and sees where.
        guard !limit.isExceeded(by: given + result.written, from: taken) else { return false }
        swap(&inflater, &prefetcher.inflater)
        isBetweenMembers = result.isBetweenMembers
        pending = start + result.consumed..<pending.upperBound
        taken += result.consumed
        given += result.written
        inflatedAhead = 0..<result.written
        return true
    }

    /// Gives up the work of the prefetcher, when the stream is past its start.
    private func dropAhead() {
        guard prefetchStart != nil else { return }
        prefetchStart = nil
        _ = prefetcher?.end()
    }

    /// Reads further compressed bytes, once all before them are used up.
    private func refill(_ read: (UnsafeMutableRawBufferPointer) throws(InputError) -> Int) throws(InputError) {
        let room = InflationStep.mostGivenBack
        let last = UnsafeRawBufferPointer(rebasing: buffer[pending.lowerBound - room..<pending.lowerBound])
        UnsafeMutableRawBufferPointer(rebasing: buffer[..<room]).copyMemory(from: last)
        let count = try read(UnsafeMutableRawBufferPointer(rebasing: buffer[room...]))
        pending = room..<room + count
        inputIsOver = count == 0
    }
}

/// One compression, a member at a time.
protocol Inflater: AnyObject {
    /// The kinds of errors of the stream.
    var code: InputError.Code { get }
    /// The compression as people call it.
    var name: String { get }
    /// What a stream of it consists of.
    var memberName: String { get }

    /// Whether a source that begins with these bytes, of which there are four at most, is compressed so.
    static func recognizes(_ magic: [UInt8]) -> Bool

    /// Where a member may begin in the middle of a stream; it need not.
    func firstBeginning(in bytes: UnsafeRawBufferPointer) -> Int?

    /// Makes ready for a further member.
    func beginMember()

    /// Inflates as much of `input` as fits `output`.
    func step(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> InflationStep
}

/// What one call of an inflater came to.
struct InflationStep {
    enum Outcome: Equatable {
        case unfinished
        /// The member is complete.
        case ended
        /// One clause for a person.
        case damaged(String)
    }

    /// How many bytes an inflater may give back.
    static let mostGivenBack = 8

    /// Negative where bytes of earlier steps are given back.
    var consumed: Int
    var written: Int
    var outcome: Outcome

    /// Whether nothing moved, since more input is needed.
    var isIdle: Bool { consumed == 0 && written == 0 && outcome == .unfinished }
}
