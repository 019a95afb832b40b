import Glibc
import TillTestSupport

/// One decoder and what must hold of it for every input.
struct FuzzTarget: Sendable {
    let name: String
    /// Whether inputs are documents with a structure; the others are changed byte by byte.
    var isStructured = true
    /// The inputs that a sweep begins with; none where the target takes too long to be swept.
    var seeds: [[UInt8]] = []
    let check: @Sendable ([UInt8]) -> Void

    /// Set once, before the first input.
    nonisolated(unsafe) static var current: FuzzTarget?

    static let all: [FuzzTarget] =
        DocumentTargets.all + EncodingTargets.all + NumberTargets.all + FinanceTargets.all + StorageTargets.all
        + RunTargets.all
}

/// Ends the process where a rule does not hold; libFuzzer then keeps the input. Release builds keep no text of
/// preconditions.
func require(_ holds: Bool, _ rule: @autoclosure () -> String) {
    guard holds else {
        tell("\nBROKEN RULE: \(rule())\n")
        abort()
    }
}

/// Writes to standard error.
func tell(_ text: String) {
    let bytes = Array(text.utf8)
    _ = write(STDERR_FILENO, bytes, bytes.count)
}

extension [UInt8] {
    init(_ text: String) { self = Array(text.utf8) }

    /// A number that depends on the bytes alone, so that what a check chooses by it is chosen again for the same input.
    var chosen: UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in self { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return hash ^ hash >> 29
    }
}
