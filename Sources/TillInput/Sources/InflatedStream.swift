import TillCore

/// Reads a compressed source of any number of members (gzip, RFC 1952) or frames (zstd, RFC 8878).
///
///     [ member ][ member ] … [ zeros ]
///
/// A stream that ends inside a member is an error, because a report on a part of the input would look complete (quirk
/// 82). Zero bytes and white space between members and after the last one are skipped, because tapes and block devices
/// pad files with zeros, and collectors of logs end each member with a line feed.
///
/// A stream may read its members from the output of another stream: collectors compress what is compressed already.
///
/// With ``inflatesAhead``, a second task inflates members further on in the buffer (``MemberPrefetcher``). The bytes,
/// the errors and their offsets are the same.
final class InflatedStream {
    /// The stream that gives the compressed bytes; `nil` where the source itself does.
    private let outer: InflatedStream?
    private var inflater: any Inflater
    /// Compressed bytes, after room for the last bytes of the previous read, because a step may give bytes back.
    ///
    ///     [ given back ×8 ][ read … ]
    private let buffer: UnsafeMutableRawBufferPointer
    /// The unread part of `buffer`.
    private var pending = InflationStep.mostGivenBack..<InflationStep.mostGivenBack
    /// Bytes of one read.
    private static let readCount = 1 << 20
    private var inputIsOver = false
    private var isBetweenMembers = false
    /// Whether any member has ended.
    private var hasEndedMember = false
    private let limit: InflationLimit
    /// Compressed bytes that were used, and bytes of output.
    private var (taken, given) = (0, 0)
    /// The first bytes of the output, until ``inflate(into:source:offset:read:)`` has returned them.
    private var head: [UInt8] = []

    /// Compressed bytes of the source that were used, through all layers.
    private var storedBytesTaken: Int { outer?.storedBytesTaken ?? taken }
    /// The number of streams from the source to this one.
    var depth: Int { 1 + (outer?.depth ?? 0) }

    /// Whether another task may inflate further members of the buffer.
    var inflatesAhead = false
    private let makeInflater: () throws(Finding) -> any Inflater
    private var prefetcher: MemberPrefetcher?
    /// Where the input of the prefetcher begins in `buffer`; `nil` where it is idle.
    private var prefetchStart: Int?
    /// The part of the prefetcher's output that has not been returned yet.
    private var inflatedAhead = 0..<0

    /// `gzip` or `zstd`; `gzip in zstd` where the source is compressed twice.
    var name: String { outer.map { "\(inflater.name) in \($0.name)" } ?? inflater.name }

    /// Makes a stream for the compression that the first bytes of a source tell; `nil` where they tell none.
    ///
    /// - Throws: ``Finding`` where the library cannot be set up.
    init?(
        magic: [UInt8],
        source: String,
        limit: InflationLimit,
        libraries: [DeflateLibrary] = DeflateLibrary.allCases,
        outer: InflatedStream? = nil
    ) throws(Finding) {
        (self.limit, self.outer) = (limit, outer)
        if GzipInflater.recognizes(magic) {
            makeInflater = { () throws(Finding) in try GzipInflater(source: source, libraries: libraries) }
        } else if ZstdInflater.recognizes(magic) {
            makeInflater = { () throws(Finding) in try ZstdInflater(source: source) }
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

    /// Inflates until `output` is full or the stream ends.
    ///
    /// - Parameters:
    ///   - offset: the number of compressed bytes that `read` has returned so far.
    ///   - read: reads compressed bytes and returns their number, 0 at the end.
    /// - Returns: the number of bytes; less than `output.count` only at the end.
    /// - Throws: ``Finding`` for a damaged stream, one that ends inside a member, and one past the
    ///   ``InflationLimit``.
    func inflate(
        into output: UnsafeMutableRawBufferPointer,
        source: String,
        offset: @autoclosure () -> Int,
        read: (UnsafeMutableRawBufferPointer) throws(Finding) -> Int
    ) throws(Finding) -> Int {
        var written = min(head.count, output.count)
        output.copyBytes(from: head[..<written])
        head.removeFirst(written)
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
                try refill(source: source, offset: offset(), read)
                // Most streams have one member only. For them the search would be wasted.
                if inflatesAhead, hasEndedMember { try inflateAhead() }
            }
            if isBetweenMembers {
                while let first = pending.first, Self.isPadding(buffer[first]) { pending.removeFirst() }
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
            // Bytes that an outer stream has inflated have no offset in the source.
            let place = outer == nil ? offset() - pending.count : offset()
            if limit.isExceeded(by: given, from: storedBytesTaken) {
                throw Finding(.ratio, source: source, offset: place, reason: limit.reason)
            }
            isBetweenMembers = step.outcome == .ended
            if isBetweenMembers { hasEndedMember = true }
            if case .damaged(let reason) = step.outcome {
                throw Finding(inflater.code, source: source, offset: place, reason: reason)
            }
            if step.isIdle, inputIsOver {
                let reason = "the \(inflater.name) stream ends inside a \(inflater.memberName)"
                throw Finding(inflater.code, source: source, offset: offset(), reason: reason)
            }
        }
        return written
    }

    /// The first bytes of the output, `count` of them if it has so many; ``inflate(into:source:offset:read:)`` returns
    /// them again. Nothing may have been inflated before.
    func peek(
        _ count: Int,
        source: String,
        offset: @autoclosure () -> Int,
        read: (UnsafeMutableRawBufferPointer) throws(Finding) -> Int
    ) throws(Finding) -> [UInt8] {
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
        defer { bytes.deallocate() }
        let got = try inflate(into: bytes, source: source, offset: offset(), read: read)
        head = Array(bytes[..<got])
        return head
    }

    /// Drops the first of the bytes that ``peek(_:source:offset:read:)`` has returned.
    func dropFirst(_ count: Int) { head.removeFirst(count) }

    /// Whether a byte may be between members; no member begins with it.
    private static func isPadding(_ byte: UInt8) -> Bool { [0x00, 0x09, 0x0A, 0x0D, 0x20].contains(byte) }

    /// Starts the prefetcher where a member seems to begin in the later part of the buffer.
    private func inflateAhead() throws(Finding) {
        guard pending.count >= 2 * MemberPrefetcher.leastInput else { return }
        // An even split is best, so the second half is searched first.
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

    /// Takes the output of the prefetcher if it began at the member at ``pending``.
    private func takeAhead() -> Bool {
        guard let prefetcher, let start = prefetchStart, start <= pending.lowerBound else { return false }
        prefetchStart = nil
        guard let result = prefetcher.end(), start == pending.lowerBound, result.written > 0 else { return false }
        // If the limit lies within this output, the stream inflates it itself, to report the exact offset.
        guard !limit.isExceeded(by: given + result.written, from: storedBytesTaken) else { return false }
        swap(&inflater, &prefetcher.inflater)
        isBetweenMembers = result.isBetweenMembers
        pending = start + result.consumed..<pending.upperBound
        taken += result.consumed
        given += result.written
        inflatedAhead = 0..<result.written
        return true
    }

    /// Discards the output of the prefetcher, because its input is about to be overwritten.
    private func dropAhead() {
        guard prefetchStart != nil else { return }
        prefetchStart = nil
        _ = prefetcher?.end()
    }

    /// Reads further compressed bytes after all earlier ones have been used.
    private func refill(
        source: String,
        offset: @autoclosure () -> Int,
        _ read: (UnsafeMutableRawBufferPointer) throws(Finding) -> Int
    ) throws(Finding) {
        let room = InflationStep.mostGivenBack
        let last = UnsafeRawBufferPointer(rebasing: buffer[pending.lowerBound - room..<pending.lowerBound])
        UnsafeMutableRawBufferPointer(rebasing: buffer[..<room]).copyMemory(from: last)
        let free = UnsafeMutableRawBufferPointer(rebasing: buffer[room...])
        let count =
            if let outer {
                try outer.inflate(into: free, source: source, offset: offset(), read: read)
            } else {
                try read(free)
            }
        pending = room..<room + count
        inputIsOver = count == 0
    }
}

/// Inflates one compression, member by member.
protocol Inflater: AnyObject {
    /// The code of errors of the stream.
    var code: InputDefect { get }
    /// `gzip` or `zstd`.
    var name: String { get }
    /// The word for a part of the stream, `member` or `frame`.
    var memberName: String { get }

    /// Whether a source that begins with these bytes, at most four, has this compression.
    static func recognizes(_ magic: [UInt8]) -> Bool

    /// The first index at which a member seems to begin. The bytes may belong to the data of another member.
    func firstBeginning(in bytes: UnsafeRawBufferPointer) -> Int?

    /// Prepares for another member.
    func beginMember()

    /// Inflates as much of `input` as fits `output`.
    func step(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> InflationStep
}

/// The result of one call of an inflater.
struct InflationStep {
    enum Outcome: Equatable {
        case unfinished
        /// The member is complete.
        case ended
        /// One clause for a person.
        case damaged(String)
    }

    /// The most bytes that an inflater may give back.
    static let mostGivenBack = 8

    /// Bytes of input that were used; negative where bytes of earlier steps are given back.
    var consumed: Int
    var written: Int
    var outcome: Outcome

    /// Whether the step used and wrote nothing, because it needs more input.
    var isIdle: Bool { consumed == 0 && written == 0 && outcome == .unfinished }
}
