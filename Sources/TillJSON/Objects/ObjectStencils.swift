public import CKernels

/// The stencils of one kind of object, and what the one that fitted last has found.
@usableFromInline
struct ObjectStencils: Sendable {
    static let limit = 16
    /// Objects that may fit no stencil before there are as many that do: reading one again costs about four times what
    /// one that fits saves.
    private static let mostCredit = 256
    private static let costOfMiss = 4
    /// Objects that are read without stencils once the credit is used up.
    private static let rest = 4096

    private let isRead: [Bool]
    private var shapes: [ObjectShape] = []
    /// By number of the shape.
    private var stencils: [ObjectStencil] = []
    /// How many of their first strips stencil `n` and stencil `m` share, at `n × limit + m`.
    private var shared = Array(repeating: 0, count: limit * limit)
    /// By number of a stencil: the one that fitted next, last time.
    private var followers: [Int] = []
    private var latest = 0
    /// By number of a stencil: how many objects had been read when it fitted last.
    private var uses: [Int] = []
    private(set) var clock = 0
    private var credit = ObjectStencils.mostCredit
    private var resting = 0

    @usableFromInline private(set) var found: [till_member]
    private var noted: [ObjectShape.Member] = []
    private var start = 0
    /// The number of the key whose value comes next, for ``note(_:)``.
    @usableFromInline var number = 0

    init(reading isRead: [Bool]) {
        self.isRead = isRead
        // A value for which nobody asks is written behind the last for which somebody does.
        found = Array(repeating: till_member(), count: ObjectShape.mostMembers + 1)
    }

    /// Lays stencils over the object at the cursor; where one fits, how many members were found, and whether they are
    /// all. Else the cursor stays where it is.
    ///
    /// Stencils of one kind mostly begin alike, so where one ends to fit, those go on that share what did.
    @usableFromInline
    @_lifetime(cursor: copy cursor)
    mutating func fit(_ cursor: inout JSONCursor) -> (count: Int, isWhole: Bool)? {
        guard !stencils.isEmpty, resting == 0, cursor.depth < JSONCursor.depthLimit else { return nil }
        let (start, sawNewline) = (cursor.position, cursor.sawNewline)
        var walk = ObjectStencil.begin(at: start)
        let guess = followers[latest]
        var tried = guess
        if stencils[guess].fit(&cursor, from: start, into: &found, &walk) {
            return accept(guess, &cursor, walk)
        }
        for number in stencils.indices
        where number != guess && shared[tried &* Self.limit &+ number] >= walk.strip {
            tried = number
            if stencils[number].fit(&cursor, from: start, into: &found, &walk) {
                return accept(number, &cursor, walk)
            }
        }
        (cursor.position, cursor.sawNewline) = (start, sawNewline)
        credit -= Self.costOfMiss
        if credit <= 0 { resting = Self.rest }
        return nil
    }

    @_lifetime(cursor: copy cursor)
    private mutating func accept(
        _ number: Int,
        _ cursor: inout JSONCursor,
        _ walk: till_walk
    ) -> (count: Int, isWhole: Bool) {
        let isWhole = stencils[number].isWhole
        if !isWhole { cursor.depth += 1 }
        followers[latest] = number
        latest = number
        clock &+= 1
        uses[number] = clock
        credit = min(credit + 1, Self.mostCredit)
        return (walk.count, isWhole)
    }

    /// Begins with an object that fits no stencil; whether its members are to be noted.
    @usableFromInline
    mutating func begin(at start: Int) -> Bool {
        if resting > 0 {
            resting -= 1
            if resting == 0 { credit = Self.mostCredit / 2 }
            return false
        }
        self.start = start
        noted.removeAll(keepingCapacity: true)
        return true
    }

    @usableFromInline
    mutating func note(_ token: JSONToken) {
        noted.append(ObjectShape.Member(number: number, token: token))
    }

    /// Cuts a stencil from the members noted, or widens the one that it is like.
    ///
    /// - Parameter isWhole: whether the object ends at the cursor; else the cursor is on a member that is one itself.
    @usableFromInline
    mutating func learn(in cursor: borrowing JSONCursor, isWhole: Bool) {
        let end = cursor.position + (isWhole ? 0 : 1)
        guard
            var shape = ObjectShape(of: cursor.values, from: start, members: noted, to: end, isWhole: isWhole)
        else { return }
        // What varies in one shape is a gap in all that are alike up to there, so that they share their strips.
        var changed: [Int] = []
        for number in shapes.indices {
            _ = shape.widen(by: shapes[number])
            guard shapes[number].widen(by: shape) else { continue }
            stencils[number] = ObjectStencil(shapes[number], isRead: isRead)
            changed.append(number)
        }
        if !shapes.contains(where: { $0.isAlike(shape) }) { changed.append(insert(shape)) }
        for number in changed {
            for other in stencils.indices {
                let count = stencils[number].sharedStrips(with: stencils[other])
                shared[number * Self.limit + other] = count
                shared[other * Self.limit + number] = count
            }
        }
    }

    /// Adds a shape; where there are as many as there may be, in place of the one that was used least recently. Returns its
    /// number.
    private mutating func insert(_ shape: ObjectShape) -> Int {
        let stencil = ObjectStencil(shape, isRead: isRead)
        if shapes.count == Self.limit, let oldest = uses.indices.min(by: { uses[$0] < uses[$1] }) {
            (shapes[oldest], stencils[oldest], uses[oldest]) = (shape, stencil, clock)
            return oldest
        }
        shapes.append(shape)
        stencils.append(stencil)
        followers.append(shapes.count - 1)
        uses.append(clock)
        return shapes.count - 1
    }
}
