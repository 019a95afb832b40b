public import CKernels
import Synchronization
public import TillColumns

/// The digest of the text of a transaction that need not be read again once a ledger has its row.
@frozen
public struct SeenDigest: Sendable {
    /// The digest of the text, under the key of the cache (``SeenDigestCache/Lookup/digests``).
    public let digest: TextDigest
    /// The place of the transaction id in the text, in a form that only its reader knows; 0 if the reader does not
    /// need it.
    public let place: UInt16
    /// A digest of the environment and the app of the document, which are cells of the row too.
    public let context: UInt64

    /// Takes digests under the key of the cache to which they will be added.
    public init(_ digest: TextDigest, place: UInt16, context: UInt64) {
        self.digest = digest
        self.place = place
        self.context = context
    }
}

/// The digests of the texts of transactions whose rows a ledger has. The same text in a document of the same app and
/// environment adds nothing to a ledger that joins copies.
///
///     slots  [ · ][ digest | check, place ][ · ][ … ]      by the first half of the digest; the check is of the second half and the context
///
/// Any thread may look digests up while the owner of the cache adds some: the second word of a slot is written before
/// its first. A slot has 16 bytes. Between a half and three quarters of the slots are in use once there are some
/// thousands.
public final class SeenDigestCache: @unchecked Sendable {
    private let key: DigestKey
    private let slots: UnsafeMutablePointer<Slot>
    private let slotCount: Int
    /// Odd; drawn at random with the key of the digests.
    private let multiplier: UInt64
    // Used by the owner only.
    private var count = 0

    fileprivate struct Slot: ~Copyable {
        let digest = Atomic<UInt64>(0)
        let value = Atomic<UInt64>(0)
    }

    /// The contents of a slot.
    @frozen
    public struct Found: Sendable {
        /// The place of the transaction id in the text, as ``SeenDigest/place`` had it.
        public let place: UInt16
        @usableFromInline let check: UInt64

        @usableFromInline
        init(_ value: UInt64) {
            place = UInt16(truncatingIfNeeded: value)
            check = value & ~0xFFFF
        }
    }

    /// Makes an empty table; `nil` if the system has no random bytes.
    public convenience init?() {
        guard let key = DigestKey() else { return nil }
        self.init(key, slotCount: 4096, multiplier: UInt64.random(in: .min ... .max) | 1)
    }

    private init(_ key: DigestKey, slotCount: Int, multiplier: UInt64) {
        self.key = key
        self.multiplier = multiplier
        self.slotCount = slotCount
        slots = .allocate(capacity: slotCount)
        for slot in 0..<slotCount { (slots + slot).initialize(to: Slot()) }
    }

    deinit {
        slots.deinitialize(count: slotCount)
        slots.deallocate()
    }

    /// The most slots that a table may have: 16 MiB.
    private static let mostSlots = 1 << 20
    /// The most digests that a table may hold.
    public static let mostDigests = mostSlots / 4 * 3

    /// The table for further digests: this one if it has room, else a copy with one and a half times the slots, or an
    /// empty table if that is too large.
    public func withRoom(for more: Int) -> SeenDigestCache {
        guard (count + more) * 4 > self.slotCount * 3 else { return self }
        var slotCount = self.slotCount
        while (count + more) * 4 > slotCount * 3 { slotCount += slotCount / 2 }
        guard slotCount <= Self.mostSlots else {
            return SeenDigestCache(key, slotCount: Self.mostSlots, multiplier: multiplier)
        }
        let larger = SeenDigestCache(key, slotCount: slotCount, multiplier: multiplier)
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

    /// Adds digests, as many as there is room for.
    public func add(_ digests: [SeenDigest]) {
        for seen in digests where seen.digest.first != 0 {
            guard count * 4 < slotCount * 3 else { return }
            enter(seen.digest.first, lookup.check(seen.digest, in: seen.context) | UInt64(seen.place))
        }
    }

    /// A view for looking digests up; valid as long as the table exists.
    ///
    /// It holds no reference: many threads would retain and release the table, and each time its cache line would move
    /// from one processor to another.
    public var lookup: Lookup {
        Lookup(digests: key.pointer, slots: slots, slotCount: slotCount, multiplier: multiplier)
    }

    /// A view of a table for looking digests up, from any thread.
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

        /// Prefetches the slot that ``find(_:)`` will read.
        public func prefetch(_ digest: TextDigest) { till_prefetch_read(slots + firstSlot(digest.first)) }

        /// The slot of a digest; `nil` if it has not been added.
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

        /// Whether the slot has this digest in this context.
        public func confirms(_ found: Found, _ digest: TextDigest, in context: UInt64) -> Bool {
            found.check == check(digest, in: context)
        }
    }
}
