import TillTestSupport

/// Changes documents where their structure is: members of JSON, elements of DER, lines and cells, elements of XML, what
/// base64 and gzip hold. Which structure bytes have is told by the bytes, so one mutator serves all targets, and a
/// document inside another is changed inside.
///
///     {"receipt-data":"MIIT…"}   ›   MIIT…   ›   30 82 …   ›   one attribute twice, all lengths around it anew
struct StructuredMutator {
    /// Documents inside one another that are gone into.
    private static let depthLimit = 6

    var random: SplitMix64

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
    }

    /// `bytes` with one to three changes.
    mutating func mutation(of bytes: [UInt8]) -> [UInt8] {
        var result = bytes
        for _ in 0...random.below(3) { result = change(result, depth: 0) }
        return result
    }

    /// `bytes` with one change.
    mutating func change(_ bytes: [UInt8], depth: Int) -> [UInt8] {
        guard depth < Self.depthLimit, !bytes.isEmpty, !random.once(in: 10) else { return random.mutation(of: bytes) }
        return switch Notation(of: bytes) {
        case .json: changeJSON(bytes, depth: depth)
        case .der: changeDER(bytes, depth: depth)
        case .base64: changeBase64(bytes, depth: depth)
        case .jws: changeJWS(bytes, depth: depth)
        case .gzip: changeGzip(bytes, depth: depth)
        case .markup: changeMarkup(bytes, depth: depth)
        case .lines: changeLines(bytes, depth: depth)
        case .text: changeText(bytes, depth: depth)
        case .binary: changeBinary(bytes)
        }
    }

    // MARK: Layers

    private mutating func changeBase64(_ bytes: [UInt8], depth: Int) -> [UInt8] {
        guard let inner = PlainBase64.decode(bytes), !random.once(in: 6) else { return random.mutation(of: bytes) }
        return encode(change(inner, depth: depth + 1))
    }

    /// Base64 as it occurs: on one line, wrapped, in either alphabet, without padding.
    mutating func encode(_ bytes: [UInt8]) -> [UInt8] {
        var text = PlainBase64.encode(bytes)
        switch random.below(8) {
        case 0:
            let width = random.pick([1, 64, 76])
            text = Array(
                stride(from: 0, to: text.count, by: width).map { text[$0..<min($0 + width, text.count)] }.joined(
                    separator: [0x0A])
            )
        case 1: text = text.map { $0 == 0x2B ? 0x2D : $0 == 0x2F ? 0x5F : $0 }
        case 2: while text.last == 0x3D { text.removeLast() }
        default: break
        }
        return text
    }

    /// A JWS has its header, payload or signature changed; each is base64url.
    private mutating func changeJWS(_ bytes: [UInt8], depth: Int) -> [UInt8] {
        var segments = bytes.split(separator: 0x2E, omittingEmptySubsequences: false).map(Array.init)
        let index = random.below(segments.count)
        switch random.below(8) {
        case 0: segments.insert(segments[index], at: index)
        case 1: segments.remove(at: index)
        case 2: segments.swapAt(index, random.below(segments.count))
        default:
            guard let inner = PlainBase64.decode(segments[index]) else { return random.mutation(of: bytes) }
            segments[index] = PlainBase64.encode(change(inner, depth: depth + 1))
                .filter { $0 != 0x3D }.map { $0 == 0x2B ? 0x2D : $0 == 0x2F ? 0x5F : $0 }
        }
        return Array(segments.joined(separator: [0x2E]))
    }

    private mutating func changeGzip(_ bytes: [UInt8], depth: Int) -> [UInt8] {
        guard random.once(in: 2), let inner = PlainGzip.inflate(bytes, limit: 1 << 16) else {
            return changeBinary(bytes)
        }
        let text = random.once(in: 4) ? inner : change(inner, depth: depth + 1)
        let member = Gzip.member(text)
        switch random.below(6) {
        case 0: return member + member
        case 1: return member + Array(repeating: 0, count: random.below(600))
        case 2: return Array(member.dropLast(random.below(12)))
        default: return member
        }
    }

    // MARK: Text

    /// Lines are repeated, left out, exchanged, changed, or have a cell changed.
    private mutating func changeLines(_ bytes: [UInt8], depth: Int) -> [UInt8] {
        var lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).map(Array.init)
        let index = random.below(lines.count)
        switch random.below(11) {
        case 0: lines.insert(lines[index], at: random.below(lines.count))
        case 1: lines.remove(at: index)
        case 2: lines.swapAt(index, random.below(lines.count))
        case 3: lines.insert([], at: index)
        case 4: lines[index].append(0x0D)
        case 5, 6, 7: lines[index] = changeCells(lines[index], depth: depth)
        case 8:
            // The line goes on in the next one.
            if index + 1 < lines.count { lines[index] += lines.remove(at: index + 1) }
        default: lines[index] = change(lines[index], depth: depth + 1)
        }
        return Array(lines.joined(separator: [0x0A]))
    }

    private mutating func changeCells(_ line: [UInt8], depth: Int) -> [UInt8] {
        let separator = [0x09, 0x3B, 0x2C].first { line.contains($0) } ?? 0x2C
        var cells = line.split(separator: separator, omittingEmptySubsequences: false).map(Array.init)
        guard cells.count > 1 else { return change(line, depth: depth + 1) }
        let index = random.below(cells.count)
        switch random.below(8) {
        case 0: cells.insert(cells[index], at: index)
        case 1: cells.remove(at: index)
        case 2: cells.swapAt(index, random.below(cells.count))
        case 3: cells[index] = []
        case 4: cells[index] = [0x22] + cells[index].flatMap { $0 == 0x22 ? [0x22, 0x22] : [$0] } + [0x22]
        case 5: cells[index] = Array(random.pick(Tokens.values).utf8)
        default: cells[index] = change(cells[index], depth: depth + 1)
        }
        return Array(cells.joined(separator: [separator]))
    }

    /// Numbers go to limits, words of the formats are put in.
    mutating func changeText(_ bytes: [UInt8], depth: Int) -> [UInt8] {
        guard let digits = run(in: bytes, where: { (0x30...0x39).contains($0) }), random.once(in: 2) else {
            return insertToken(into: bytes)
        }
        var result = bytes
        switch random.below(6) {
        case 0: result.replaceSubrange(digits, with: Array(random.pick(Tokens.numbers).utf8))
        case 1: result.insert(contentsOf: Array(repeating: 0x30, count: 1 + random.below(24)), at: digits.lowerBound)
        case 2: result.insert(contentsOf: bytes[digits], at: digits.upperBound)
        case 3: result[random.below(digits.count) + digits.lowerBound] = 0x30 + UInt8(random.below(10))
        case 4: result.removeSubrange(digits)
        default: result = random.mutation(of: bytes)
        }
        return result
    }

    private mutating func insertToken(into bytes: [UInt8]) -> [UInt8] {
        var result = bytes
        let place = random.below(bytes.count + 1)
        let token = Array((random.once(in: 2) ? random.pick(Tokens.values) : random.pick(Tokens.words)).utf8)
        if random.once(in: 2) {
            result.insert(contentsOf: token, at: place)
        } else {
            result.replaceSubrange(place..<min(place + token.count, bytes.count), with: token)
        }
        return result
    }

    /// A run of bytes of a kind, begun at random.
    private mutating func run(in bytes: [UInt8], where isOfRun: (UInt8) -> Bool) -> Range<Int>? {
        let from = random.below(bytes.count)
        guard let start = bytes[from...].firstIndex(where: isOfRun) ?? bytes.firstIndex(where: isOfRun) else {
            return nil
        }
        return start..<(bytes[start...].firstIndex { !isOfRun($0) } ?? bytes.count)
    }

    /// Elements of XML and HTML are repeated, left out, exchanged, and texts between tags changed.
    private mutating func changeMarkup(_ bytes: [UInt8], depth: Int) -> [UInt8] {
        var pieces: [[UInt8]] = [[]]
        for byte in bytes {
            if byte == 0x3C { pieces.append([]) }
            pieces[pieces.count - 1].append(byte)
            if byte == 0x3E { pieces.append([]) }
        }
        let index = random.below(pieces.count)
        let other = min(index + 1 + random.below(6), pieces.count)
        switch random.below(6) {
        case 0: pieces.insert(contentsOf: pieces[index..<other], at: index)
        case 1: pieces.removeSubrange(index..<other)
        case 2: pieces.swapAt(index, random.below(pieces.count))
        case 3: pieces[index] = changeText(pieces[index] + [0x20], depth: depth)
        case 4: pieces.insert(Array(random.pick(Tokens.markup).utf8), at: index)
        default: pieces[index] = pieces[index].isEmpty ? [0x20] : change(pieces[index], depth: depth + 1)
        }
        return Array(pieces.joined())
    }

    /// Numbers of several bytes go to limits; blocks are moved and repeated.
    private mutating func changeBinary(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.count > 8 else { return random.mutation(of: bytes) }
        var result = bytes
        let place = random.below(bytes.count - 8)
        switch random.below(5) {
        case 0:
            let width = random.pick([1, 2, 4, 8])
            let value = random.pick([0, 1, 0x7F, 0x80, 0xFF, 0x7FFF, 0xFFFF, Int(Int32.max), -1, .max, .min])
            withUnsafeBytes(of: value.littleEndian) {
                result.replaceSubrange(place..<place + width, with: $0.prefix(width))
            }
        case 1:
            // A number of variable length, as thrift and partials write them.
            let value: [UInt8] = random.pick([
                [0x80, 0x00], [0xFF, 0xFF, 0xFF, 0xFF, 0x0F], [0x80, 0x80, 0x80, 0x80, 0x80, 0x01],
            ])
            result.replaceSubrange(place..<place + 1 + random.below(3), with: value)
        case 2:
            let length = 1 + random.below(min(64, bytes.count - place))
            result.insert(contentsOf: bytes[place..<place + length], at: random.below(bytes.count))
        case 3:
            let bit = UInt8(random.below(8))
            result[place] ^= 1 << bit
        default: return random.mutation(of: bytes)
        }
        return result
    }
}

/// Which structure bytes have, as far as a mutator has to know.
private enum Notation {
    case json, der, base64, jws, gzip, markup, lines, text, binary

    init(of bytes: [UInt8]) {
        let first = bytes.first { !" \t\r\n".utf8.contains($0) } ?? 0
        let hasLines = bytes.dropLast().contains(0x0A)
        let isText = bytes.prefix(256).allSatisfy {
            $0 >= 0x20 && $0 < 0x7F || $0 == 9 || $0 == 10 || $0 == 13 || $0 >= 0xC2 && $0 < 0xF5 || $0 & 0xC0 == 0x80
        }
        self =
            switch first {
            case 0x1F where bytes.starts(with: [0x1F, 0x8B]): .gzip
            case 0x7B where hasLines && bytes.split(separator: 0x0A).count { $0.first == 0x7B } > 1: .lines
            case 0x7B, 0x5B, 0x22: .json
            case 0x30...0x31 where !isText, 0xA0...0xA3 where !isText, 0x04 where !isText, 0x24 where !isText: .der
            case 0x3C: .markup
            case 0x65 where bytes.contains(0x2E) && bytes.allSatisfy { $0.isDigitOfBase64 || $0 == 0x2E }: .jws
            case _
            where bytes.count >= 12 && bytes.allSatisfy { $0.isDigitOfBase64 || $0 == 0x0A || $0 == 0x0D || $0 == 0x3D }:
                .base64
            case _ where isText && hasLines: .lines
            default: isText ? .text : .binary
            }
    }
}
