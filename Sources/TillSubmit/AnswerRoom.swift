import TillThreads

/// The room for long answers, which all requests of a run share: one of them at a time is longer than a share.
///
/// A request keeps the room from where its answer exceeds the share until the answer is written or put aside, so that
/// memory does not grow with the number of requests at once.
public final class AnswerRoom: Sendable {
    /// Bytes of an answer that need no room.
    public let share: Int
    private let room = Semaphore()

    /// Makes a room for a number of requests at once.
    public init(requests: Int) {
        share = min(Self.longestShare, Self.bytes / (Self.heldByRequest * max(1, requests)))
        room.signal()
    }

    /// Bytes of all shares.
    private static let bytes = 64 << 20
    private static let longestShare = 1 << 20
    /// Answers of a request that are held at once: one that arrives, its copies, and others that wait to be written.
    private static let heldByRequest = 8

    func enter() { room.wait() }
    func leave() { room.signal() }
}
