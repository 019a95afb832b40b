public import CKernels

/// Values by integer keys: ids, packed codes, fingerprints of texts.
///
///     keys   [ · | 90 | · | 17 | 33 | · | · | · ]     by hash; 0 is an empty slot
///     values [ · |  2 | · |  1 |  5 | · | · | · ]
///
/// Open addressing, at most three quarters full. Looking up a key usually reads one slot. With `Dictionary`, whose
/// hashing withstands chosen keys of any type, hashing cost more than reading the event. The multiplier of each step is
/// drawn for each map, so that input cannot aim its keys at one slot. Takes 1.3 to 2.7 times the size of its members.
public struct IntegerMap<Key: FixedWidthInteger & Sendable, Value: Sendable>: Sendable {
    @usableFromInline var keys: [Key] = []
    @usableFromInline var values: [Value] = []
    /// The value of the key 0, which has no slot.
    @usableFromInline var valueOfZero: Value?
    @usableFromInline let multiplier = UInt64.random(in: .min ... .max) | 1
    /// Keys other than 0.
    @usableFromInline var used = 0

    /// Makes an empty map, which takes memory with the first key other than 0.
    @inlinable
    public init() {}

    /// Keys with a value, the key 0 included.
    @inlinable
    public var count: Int { used + (valueOfZero == nil ? 0 : 1) }

    /// Whether no key has a value.
    @inlinable
    public var isEmpty: Bool { count == 0 }

    /// The number of slots, empty ones included.
    @inlinable
    public var capacity: Int { keys.count }

    /// The value of a key; `nil` if it has none.
    @inlinable
    public subscript(_ key: Key) -> Value? {
        guard key != 0 else { return valueOfZero }
        guard !keys.isEmpty else { return nil }
        let slot = slot(of: key)
        return keys[slot] == key ? values[slot] : nil
    }

    /// The value of a key, which is entered with `initial` if it is new.
    @inlinable
    public subscript(_ key: Key, entering initial: @autoclosure () -> Value) -> Value {
        mutating get { update(key, entering: initial()) { $0 } }
    }

    /// Changes the value of a key, which is entered with `initial` if it is new. Returns the result of `body`.
    // Not by an accessor that yields the value: called from where it is not inlined, one allocates its frame for each
    // key.
    @inlinable
    @inline(__always)
    public mutating func update<Result>(
        _ key: Key,
        entering initial: @autoclosure () -> Value,
        _ body: (inout Value) -> Result
    ) -> Result {
        guard key != 0 else {
            var value = valueOfZero.take() ?? initial()
            defer { valueOfZero = value }
            return body(&value)
        }
        return body(&values[enter(key, initial)])
    }

    /// Changes the values of many keys one after the other, as ``update(_:entering:_:)`` does. The slot of each key is
    /// prefetched some keys ahead.
    @inlinable
    @inline(__always)
    public mutating func update<Element>(
        of elements: [Element],
        key: (Element) -> Key,
        entering initial: (Element) -> Value,
        changing body: (inout Value, Element) -> Void
    ) {
        let prefetchDistance = 8
        for index in elements.indices {
            let ahead = index &+ prefetchDistance
            if ahead < elements.count { prefetch(key(elements[ahead])) }
            let element = elements[index]
            update(key(element), entering: initial(element)) { body(&$0, element) }
        }
    }

    /// Prefetches the slot of a key. Without it, a look-up in a map that is larger than the caches waits for memory.
    @inlinable
    public func prefetch(_ key: Key) {
        guard !keys.isEmpty else { return }
        let slot = firstSlot(of: key)
        keys.withUnsafeBufferPointer { if let base = $0.baseAddress { till_prefetch(base + slot) } }
        guard MemoryLayout<Value>.size > 0 else { return }
        values.withUnsafeBufferPointer { if let base = $0.baseAddress { till_prefetch(base + slot) } }
    }

    /// Passes all keys and their values to `body`, in no particular order.
    @inlinable
    public func visit(_ body: (Key, Value) -> Void) {
        if let valueOfZero { body(0, valueOfZero) }
        for slot in keys.indices where keys[slot] != 0 { body(keys[slot], values[slot]) }
    }

    /// The number of keys with a value of each class.
    ///
    /// - Parameters:
    ///   - classes: the number of classes.
    ///   - classOf: the number of the class of a value, from 0 to below `classes`. It must have no side effects: it is also
    ///     called for empty slots.
    @inlinable
    public func counts(ofClasses classes: Int, _ classOf: (Value) -> Int) -> [Int] {
        // Empty slots are counted too, as one more class. Skipping them takes a branch that is mispredicted for about
        // every third slot.
        var counts = Array(repeating: 0, count: classes + 1)
        for slot in keys.indices {
            let number = classOf(values[slot])
            counts[keys[slot] == 0 ? classes : number] += 1
        }
        if let valueOfZero { counts[classOf(valueOfZero)] += 1 }
        return counts.dropLast()
    }

    /// All keys, in no particular order.
    public func makeKeyIterator() -> AnyIterator<Key> {
        var index = valueOfZero == nil ? 0 : -1
        return AnyIterator {
            if index < 0 {
                index = 0
                return 0
            }
            while index < keys.count {
                index += 1
                if keys[index - 1] != 0 { return keys[index - 1] }
            }
            return nil
        }
    }

    /// The slot of a key other than 0, which is entered if it is new.
    @inlinable
    @inline(__always)
    mutating func enter(_ key: Key, _ initial: () -> Value) -> Int {
        if used &* 4 >= keys.count &* 3 { grow(filler: initial()) }
        let slot = slot(of: key)
        if keys[slot] == 0 {
            keys[slot] = key
            values[slot] = initial()
            used &+= 1
        }
        return slot
    }

    /// The slot of the key, or the empty slot for it.
    @inlinable
    @inline(__always)
    func slot(of key: Key) -> Int {
        let mask = keys.count &- 1
        var slot = firstSlot(of: key)
        while keys[slot] != 0, keys[slot] != key { slot = (slot &+ 1) & mask }
        return slot
    }

    /// The first slot of the search for a key.
    @inlinable
    @inline(__always)
    func firstSlot(of key: Key) -> Int {
        var folded = UInt64(truncatingIfNeeded: key)
        if Key.bitWidth > 64 {
            let high = UInt64(truncatingIfNeeded: key >> 64).multipliedFullWidth(by: multiplier)
            folded ^= high.high ^ high.low
        }
        let product = folded.multipliedFullWidth(by: multiplier)
        return Int(truncatingIfNeeded: product.high ^ product.low) & (keys.count &- 1)
    }

    @inlinable
    @inline(never)
    mutating func grow(filler: Value) {
        let (oldKeys, oldValues) = (keys, values)
        keys = Array(repeating: 0, count: max(64, oldKeys.count * 2))
        values = Array(repeating: filler, count: keys.count)
        for old in oldKeys.indices where oldKeys[old] != 0 {
            let slot = slot(of: oldKeys[old])
            (keys[slot], values[slot]) = (oldKeys[old], oldValues[old])
        }
    }
}

extension IntegerMap where Value == Int {
    /// Adds to the count of a key, which begins at 0.
    @inlinable
    public mutating func add(_ amount: Int, to key: Key) {
        update(key, entering: 0) { $0 += amount }
    }
}
