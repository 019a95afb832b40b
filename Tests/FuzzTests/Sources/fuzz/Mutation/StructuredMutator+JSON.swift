import TillTestSupport

/// Where the values of a JSON text are, found without judging it: a text that is broken has values too.
private struct JSONPlaces {
    /// Members of objects, from the key to the end of the value, and elements of arrays.
    var members: [Range<Int>] = []
    var values: [Range<Int>] = []
    var keys: [Range<Int>] = []

    init(_ bytes: [UInt8]) {
        /// Where the containers began that are open, and where their current member began.
        var open: [(start: Int, member: Int?)] = []
        var index = 0
        func close(at end: Int) {
            guard let top = open.last, let member = top.member else { return }
            if member < end { members.append(member..<end) }
            open[open.count - 1].member = nil
        }
        func add(_ value: Range<Int>) {
            values.append(value)
            if let top = open.last, top.member == nil { open[open.count - 1].member = value.lowerBound }
        }
        while index < bytes.count {
            switch bytes[index] {
            case 0x7B, 0x5B:
                if let top = open.last, top.member == nil { open[open.count - 1].member = index }
                open.append((index, nil))
                index += 1
            case 0x7D, 0x5D:
                close(at: index)
                index += 1
                if let top = open.popLast() { values.append(top.start..<index) }
            case 0x2C:
                close(at: index)
                index += 1
            case 0x22:
                let start = index
                index += 1
                while index < bytes.count, bytes[index] != 0x22 { index += bytes[index] == 0x5C ? 2 : 1 }
                index = min(index + 1, bytes.count)
                let isKey = bytes[index...].first { $0 != 0x20 && $0 != 0x0A } == 0x3A
                if isKey {
                    keys.append(start..<index)
                    if let top = open.last, top.member == nil { open[open.count - 1].member = start }
                } else {
                    add(start..<index)
                }
            case 0x3A, 0x20, 0x0A, 0x0D, 0x09: index += 1
            default:
                let start = index
                while index < bytes.count, !",:]}[{\" \n\r\t".utf8.contains(bytes[index]) { index += 1 }
                if index == start { index += 1 } else { add(start..<index) }
            }
        }
        close(at: bytes.count)
    }
}

extension StructuredMutator {
    mutating func changeJSON(_ bytes: [UInt8], depth: Int) -> [UInt8] {
        let places = JSONPlaces(bytes)
        guard !places.values.isEmpty else { return random.mutation(of: bytes) }
        let value = random.pick(places.values)
        var result = bytes
        switch random.below(16) {
        case 0...2: result.replaceSubrange(value, with: changedValue(Array(bytes[value]), depth: depth))
        case 3: result.replaceSubrange(value, with: Array(random.pick(Tokens.literals).utf8))
        case 4: result.replaceSubrange(value, with: bytes[random.pick(places.values)])
        case 5: result.replaceSubrange(value, with: nested(Array(bytes[value])))
        case 6: result.replaceSubrange(value, with: requoted(Array(bytes[value])))
        case 7:
            if !places.keys.isEmpty {
                result.replaceSubrange(random.pick(places.keys), with: Array("\"\(random.pick(Tokens.words))\"".utf8))
            }
        case 8...12: return changeMembers(of: bytes, places)
        case 13:
            result.insert(contentsOf: Array(random.pick([" ", "\n", "\t\r\n  ", "\n\n"]).utf8), at: value.lowerBound)
        case 14: return bytes + Array(random.pick(["\n", "", ",", " ", "\r\n", "]", "\u{0}"]).utf8) + bytes
        default: return random.mutation(of: bytes)
        }
        return result
    }

    /// Members and elements are repeated, left out, exchanged or added.
    private mutating func changeMembers(of bytes: [UInt8], _ places: JSONPlaces) -> [UInt8] {
        guard !places.members.isEmpty else { return random.mutation(of: bytes) }
        let member = random.pick(places.members)
        let other = random.pick(places.members)
        var result = bytes
        switch random.below(5) {
        case 0: result.insert(contentsOf: [0x2C] + bytes[member], at: member.upperBound)
        case 1:
            let hasComma = member.upperBound < bytes.count && bytes[member.upperBound] == 0x2C
            result.removeSubrange(member.lowerBound..<member.upperBound + (hasComma ? 1 : 0))
        case 2: result.insert(contentsOf: [0x2C] + bytes[other], at: member.upperBound)
        case 3:
            guard member.upperBound <= other.lowerBound else { return random.mutation(of: bytes) }
            result.replaceSubrange(other, with: bytes[member])
            result.replaceSubrange(member, with: bytes[other])
        default:
            let text = "\"\(random.pick(Tokens.words))\":\(random.pick(Tokens.literals)),"
            result.insert(contentsOf: Array(text.utf8), at: member.lowerBound)
        }
        return result
    }

    /// A value of the same kind: a number at a limit, a string with other text.
    private mutating func changedValue(_ value: [UInt8], depth: Int) -> [UInt8] {
        guard value.first == 0x22, value.count > 2 else {
            return value.first.map { (0x30...0x39).contains($0) || $0 == 0x2D } == true
                ? Array(random.pick(Tokens.numbers).utf8) : changeText(value, depth: depth)
        }
        let text = Array(value[1..<value.count - 1])
        let plain = PlainJSON.text(ofString: text) ?? text
        switch random.below(6) {
        case 0: return Array("\"\(random.pick(Tokens.values))\"".utf8)
        case 1: return PlainJSON.string(plain, escaping: { $0 % 3 == 0 })
        default: return PlainJSON.string(change(plain.isEmpty ? [0x30] : plain, depth: depth + 1))
        }
    }

    private mutating func nested(_ value: [UInt8]) -> [UInt8] {
        let count = random.pick([1, 2, 7, 31, 33, 127, 129])
        return random.once(in: 2)
            ? Array(repeating: 0x5B, count: count) + value + Array(repeating: 0x5D, count: count)
            : Array("{\"a\":".utf8) + value + [0x7D]
    }

    /// A number as a string, a string as what it holds, any value as JSON in a string.
    private mutating func requoted(_ value: [UInt8]) -> [UInt8] {
        if value.first == 0x22, value.count >= 2, random.once(in: 2) {
            return PlainJSON.text(ofString: Array(value[1..<value.count - 1])) ?? value
        }
        return random.once(in: 3) ? [0x22] + encode(value) + [0x22] : PlainJSON.string(value)
    }
}
