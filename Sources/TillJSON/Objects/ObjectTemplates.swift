public import CKernels

/// The templates of one kind of object, and the members that the last one to fit has found.
@usableFromInline
struct ObjectTemplates: Sendable {
    static let limit = 16
    /// The credit for objects that fit no template: one that fits adds 1, and one that does not costs 4, because
    /// reading it again takes about four times the time that a fitting object saves.
    private static let mostCredit = 256
    private static let costOfMiss = 4
    /// Objects that are read without templates when the credit is used up.
    private static let rest = 4096

    /// By number of the key plus one.
    private let isRead: [Bool]
    private var shapes: [ObjectShape] = []
    /// By number of the shape.
    private var templates: [ObjectTemplate] = []
    /// The number of first literals in common of the templates `n` and `m`, at `n × limit + m`.
    private var shared = Array(repeating: 0, count: limit * limit)
    /// By number of a template: the one that fitted the object after it, last time.
    private var followers: [Int] = []
    private var latest = 0
    /// By number of a template: how many objects had been read when it fitted last.
    private var uses: [Int] = []
    private(set) var clock = 0
    private var credit = ObjectTemplates.mostCredit
    private var resting = 0

    @usableFromInline private(set) var found: [till_member]
    private var noted: [ObjectShape.Member] = []
    private var start = 0
    /// The number of the key whose value comes next, for ``note(_:)``.
    @usableFromInline var number = 0

    init(reading isRead: [Bool]) {
        self.isRead = isRead
        // The kernel writes values that are not read too, behind the last one that is.
        found = Array(repeating: till_member(), count: ObjectShape.mostMembers + 1)
    }

    /// Compares the object at the cursor with the templates; where one fits, gives the number of members found and
    /// whether they are all of them. Otherwise the cursor stays.
    ///
    /// Most templates of one kind begin alike. If one stops fitting, the templates with the same literals up to there
    /// continue.
    @usableFromInline
    @_lifetime(cursor: copy cursor)
    mutating func fit(_ cursor: inout JSONCursor) -> (count: Int, isWhole: Bool)? {
        guard !templates.isEmpty, resting == 0, cursor.depth < JSONCursor.depthLimit else { return nil }
        let (start, sawNewline) = (cursor.position, cursor.sawNewline)
        var walk = ObjectTemplate.begin(at: start)
        let guess = followers[latest]
        var tried = guess
        if templates[guess].fit(&cursor, from: start, into: &found, &walk) {
            return accept(guess, &cursor, walk)
        }
        for number in templates.indices
        where number != guess && shared[tried &* Self.limit &+ number] >= walk.literal {
            tried = number
            if templates[number].fit(&cursor, from: start, into: &found, &walk) {
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
        let isWhole = templates[number].isWhole
        if !isWhole { cursor.depth += 1 }
        followers[latest] = number
        latest = number
        clock &+= 1
        uses[number] = clock
        credit = min(credit + 1, Self.mostCredit)
        return (walk.count, isWhole)
    }

    /// Begins an object that fits no template; gives whether its members are to be noted.
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

    /// Makes a template of the noted members, or widens the template of the same shape.
    ///
    /// - Parameter isWhole: whether the object ends at the cursor; otherwise the cursor is on a member that is an
    ///   object or array.
    @usableFromInline
    mutating func learn(in cursor: borrowing JSONCursor, isWhole: Bool) {
        let end = cursor.position + (isWhole ? 0 : 1)
        guard
            var shape = ObjectShape(of: cursor.values, from: start, members: noted, to: end, isWhole: isWhole)
        else { return }
        // A value that varies in one shape is free in all shapes that are alike up to it, so that they share their
        // literals.
        var changed: [Int] = []
        for number in shapes.indices {
            _ = shape.widen(by: shapes[number])
            guard shapes[number].widen(by: shape) else { continue }
            templates[number] = ObjectTemplate(shapes[number], isRead: isRead)
            changed.append(number)
        }
        if !shapes.contains(where: { $0.isAlike(shape) }) { changed.append(insert(shape)) }
        for number in changed {
            for other in templates.indices {
                let count = templates[number].sharedLiterals(with: templates[other])
                shared[number * Self.limit + other] = count
                shared[other * Self.limit + number] = count
            }
        }
    }

    /// Adds a shape, at the limit in place of the least recently used one. Returns its number.
    private mutating func insert(_ shape: ObjectShape) -> Int {
        let template = ObjectTemplate(shape, isRead: isRead)
        if shapes.count == Self.limit, let oldest = uses.indices.min(by: { uses[$0] < uses[$1] }) {
            (shapes[oldest], templates[oldest], uses[oldest]) = (shape, template, clock)
            return oldest
        }
        shapes.append(shape)
        templates.append(template)
        followers.append(shapes.count - 1)
        uses.append(clock)
        return shapes.count - 1
    }
}
