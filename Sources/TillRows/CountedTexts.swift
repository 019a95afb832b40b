public import CKernels
import Synchronization
public import TillColumns

/// A text that told of a transaction, and that will not have to be read again once its row is counted.
@frozen
public struct CountedText: Sendable {
    public let digest: TextDigest
    /// Where in the text the transaction id stands, if that is ever asked.
    public let place: UInt16
    /// What else the row was made of: the document's environment and app.
    public let context: UInt64

    public init(_ digest: TextDigest, place: UInt16, context: UInt64) {
        self.digest = digest
        self.place = place
        self.context = context
    }
}

/// Texts of transactions that are counted: a further copy, told by the same text in a document of the same app and environment, adds
/// nothing to a ledger that joins copies.
///
///     slots  [ · ][ digest | check, place ][ · ][ … ]      by the first half of the digest; the check is of the second half and the context
///
/// Any thread may look texts up while the one that owns the table adds some: a slot's second word is written before its first.
/// 16 bytes a slot, of which between a half and three quarters are taken once there are some thousands.
public final class CountedTexts: @unchecked Sendable {
    /// The key of the digests, of which larger tables have a copy.
    private let key: UnsafeMutablePointer<till_digest_key>
    private let slots: UnsafeMutablePointer<Slot>
    private let slotCount: Int
    /// Odd; drawn for each run, as the key of the digests is.
    private let multiplier: UInt64
    // Only the owner's.
    private var count = 0

    fileprivate struct Slot: ~Copyable {
        let digest = Atomic<UInt64>(0)
        let value = Atomic<UInt64>(0)
    }

    /// What a slot tells of a text.
    @frozen
    public struct Found: Sendable {
        public let place: UInt16
        @usableFromInline let check: UInt64

        @usableFromInline
        init(_ value: UInt64) {
            place = UInt16(truncatingIfNeeded: value)
            check = value & ~0xFFFF
        }
    }

    /// Makes an empty table; `nil` where the system has no random bytes to give.
    public convenience init?() {
        var key = till_digest_key()
        guard till_draw_digest_key(&key) == 0 else { return nil }
        self.init(key, slotCount: 4096, multiplier: UInt64.random(in: .min ... .max) | 1)
    }

    private init(_ key: till_digest_key, slotCount: Int, multiplier: UInt64) {
        self.key = .allocate(capacity: 1)
        self.key.initialize(to: key)
        self.multiplier = multiplier
        self.slotCount = slotCount
        slots = .allocate(capacity: slotCount)
        for slot in 0..<slotCount { (slots + slot).initialize(to: Slot()) }
    }

    deinit {
        slots.deinitialize(count: slotCount)
        slots.deallocate()
        key.deallocate()
    }

    /// The most slots that a table may have: 16 MiB.
    private static let mostSlots = 1 << 20
    /// The most texts that a table may hold.
    public static let mostTexts = mostSlots / 4 * 3

    /// The table to add to from now on: this one as long as there is room, else one of half as much again, and an empty one where
    /// that would be too large.
    public func withRoom(for more: Int) -> CountedTexts {
        guard (count + more) * 4 > self.slotCount * 3 else { return self }
        var slotCount = self.slotCount
        while (count + more) * 4 > slotCount * 3 { slotCount += slotCount / 2 }
        guard slotCount <= Self.mostSlots else {
            return CountedTexts(key.pointee, slotCount: Self.mostSlots, multiplier: multiplier)
        }
        let larger = CountedTexts(key.pointee, slotCount: slotCount, multiplier: multiplier)
        for slot in 0..<self.slotCount {
            let digest = slots[slot].digest.load(ordering: .relaxed)
            if digest != 0 { larger.enter(digest, slots[slot].value.load(ordering: .relaxed)) }
        }
        return larger
    }

    private func enter(_ digest: UInt64, _ value: UInt64) {
        var slot = lookup.firstSlot(digest)
        while true {
            let found = slots[slot].digest.load(ordering: .relaxed)
            if found == 0 || found == digest {
                slots[slot].value.store(value, ordering: .relaxed)
                slots[slot].digest.store(digest, ordering: .releasing)
                count += found == 0 ? 1 : 0
                return
            }
            slot = slot + 1 == slotCount ? 0 : slot + 1
        }
    }

    /// Adds texts, as many as there is room for.
    public func add(_ texts: [CountedText]) {
        for text in texts where text.digest.first != 0 {
            guard count * 4 < slotCount * 3 else { return }
            enter(text.digest.first, lookup.check(text.digest, in: text.context) | UInt64(text.place))
        }
    }

    /// The table as it is looked up; holds as long as the table does.
    ///
    /// A class that many threads look at is retained and released by all of them, and each time its line of the cache goes from one
    /// processor to the other; so what looks up a text holds no reference.
    public var lookup: Lookup {
        Lookup(digests: UnsafePointer(key), slots: slots, slotCount: slotCount, multiplier: multiplier)
    }

    public struct Lookup: @unchecked Sendable {
        /// The key of the digests.
        public let digests: UnsafePointer<till_digest_key>
        fileprivate let slots: UnsafeMutablePointer<Slot>
        fileprivate let slotCount: Int
        fileprivate let multiplier: UInt64

        fileprivate func firstSlot(_ digest: UInt64) -> Int {
            Int((digest &* multiplier).multipliedFullWidth(by: UInt64(slotCount)).high)
        }

        /// 48 bits of the second half of a digest and of the context.
        fileprivate func check(_ digest: TextDigest, in context: UInt64) -> UInt64 {
            ((digest.second ^ context) &* multiplier) & ~0xFFFF
        }

        /// Brings near what ``find(_:)`` will look at.
        public func prefetch(_ digest: TextDigest) { till_prefetch_read(slots + firstSlot(digest.first)) }

        /// What is known of a text, `nil` where it is not counted.
        public func find(_ digest: TextDigest) -> Found? {
            guard digest.first != 0 else { return nil }
            var slot = firstSlot(digest.first)
            while true {
                let found = slots[slot].digest.load(ordering: .acquiring)
                if found == digest.first { return Found(slots[slot].value.load(ordering: .relaxed)) }
                if found == 0 { return nil }
                slot = slot + 1 == slotCount ? 0 : slot + 1
            }
        }

        /// Whether what was found is the text with this digest, counted in this context.
        public func confirms(_ found: Found, _ digest: TextDigest, in context: UInt64) -> Bool {
            found.check == check(digest, in: context)
        }
    }
}
