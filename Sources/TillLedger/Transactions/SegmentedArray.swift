/// An array that grows without moving its elements: a list of segments of one size.
///
/// An array that doubles its size holds all elements twice for a moment, and this peak would determine the memory of a
/// run.
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

    /// The address of an element, for prefetching.
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
