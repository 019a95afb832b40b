/// An array that grows without moving what it holds: a list of segments of one size.
///
/// Doubling would hold everything twice for a moment, which is what decides how much memory a run needs.
struct SegmentedArray<Element: BitwiseCopyable>: ~Copyable {
    private static var segmentBits: Int { 14 }
    private static var segmentSize: Int { 1 << segmentBits }

    private var segments: [UnsafeMutablePointer<Element>] = []
    private(set) var count = 0

    init() {}

    deinit {
        for segment in segments { segment.deallocate() }
    }

    mutating func append(_ element: Element) {
        if count == segments.count << Self.segmentBits { segments.append(.allocate(capacity: Self.segmentSize)) }
        (segments[count >> Self.segmentBits] + (count & (Self.segmentSize - 1))).initialize(to: element)
        count += 1
    }

    /// Where an element is, for who wants it near before it is asked for.
    func address(of index: Int) -> UnsafeRawPointer {
        precondition(index < count)
        return UnsafeRawPointer(segments[index >> Self.segmentBits] + (index & (Self.segmentSize - 1)))
    }

    subscript(_ index: Int) -> Element {
        get {
            precondition(index < count)
            return segments[index >> Self.segmentBits][index & (Self.segmentSize - 1)]
        }
        _modify {
            precondition(index < count)
            yield &segments[index >> Self.segmentBits][index & (Self.segmentSize - 1)]
        }
    }
}

// It owns its memory alone and has no shared state.
extension SegmentedArray: @unchecked Sendable {}
