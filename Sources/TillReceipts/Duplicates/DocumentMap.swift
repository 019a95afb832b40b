/// A map from integers to values, for one document at a time.
///
/// Open addressing, at most half full. An entry is valid only if it has the number of the current document, so
/// beginning a new one costs nothing. The multiplier is drawn for each map, so that input cannot aim its keys at one
/// slot.
struct DocumentMap<Value: Sendable>: Sendable {
    private struct Entry: Sendable {
        var document: UInt64 = 0
        var key: UInt64 = 0
        var value: Value
    }

    private let multiplier = UInt64.random(in: .min ... .max) | 1
    private let nothing: Value
    private var entries: [Entry]
    private var document: UInt64 = 0
    private(set) var count = 0

    /// - Parameter nothing: the value of unused entries; it is never read.
    init(nothing: Value) {
        self.nothing = nothing
        entries = Array(repeating: Entry(value: nothing), count: 64)
    }

    mutating func beginDocument() {
        document += 1
        count = 0
    }

    /// The value of a key; `nil` if it has none.
    subscript(_ key: UInt64) -> Value? {
        let slot = slot(of: key)
        return entries[slot].document == document ? entries[slot].value : nil
    }

    /// Gives a key its value.
    mutating func set(_ key: UInt64, _ value: Value) {
        if count * 2 >= entries.count { grow() }
        let slot = slot(of: key)
        if entries[slot].document != document { count += 1 }
        entries[slot] = Entry(document: document, key: key, value: value)
    }

    private func slot(of key: UInt64) -> Int {
        let mask = entries.count - 1
        let product = key.multipliedFullWidth(by: multiplier)
        var slot = Int(truncatingIfNeeded: product.high ^ product.low) & mask
        while entries[slot].document == document, entries[slot].key != key { slot = (slot + 1) & mask }
        return slot
    }

    private mutating func grow() {
        let old = entries
        entries = Array(repeating: Entry(value: nothing), count: old.count * 2)
        for entry in old where entry.document == document { entries[slot(of: entry.key)] = entry }
    }
}
