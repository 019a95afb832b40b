import TillTestSupport

/// An element of ASN.1 in a tree that can be changed and written anew, with all lengths.
struct DERNode {
    var tag: UInt8
    /// The content of an element that holds no others.
    var content: [UInt8]
    var children: [DERNode]
    /// Octets of the length in the long form; `nil` for the fewest, 0 for the indefinite form.
    var lengthWidth: Int?

    /// The elements that fill `bytes`; `nil` where they do not.
    static func parse(_ bytes: ArraySlice<UInt8>, depth: Int = 0) -> [DERNode]? {
        var rest = bytes
        guard let nodes = parse(&rest, depth: depth, isIndefinite: false), rest.isEmpty else { return nil }
        return nodes
    }

    /// Elements to the end of the bytes, or to the end-of-contents octets, which are taken.
    private static func parse(_ rest: inout ArraySlice<UInt8>, depth: Int, isIndefinite: Bool) -> [DERNode]? {
        guard depth < 24 else { return nil }
        var nodes: [DERNode] = []
        while let tag = rest.first {
            guard rest.count >= 2 else { return nil }
            rest = rest.dropFirst()
            let first = rest.removeFirst()
            if isIndefinite, tag == 0, first == 0 { return nodes }
            if first == 0x80 {
                guard let children = parse(&rest, depth: depth + 1, isIndefinite: true) else { return nil }
                nodes.append(DERNode(tag: tag, content: [], children: children, lengthWidth: 0))
                continue
            }
            guard let content = content(&rest, first) else { return nil }
            // An OCTET STRING may hold elements too, as attributes of receipts do.
            let holds = tag & 0x20 != 0 || tag == 0x04
            let children = holds && content.count > 1 ? parse(content, depth: depth + 1) : nil
            nodes.append(DERNode(tag: tag, content: Array(content), children: children ?? []))
        }
        return isIndefinite ? nil : nodes
    }

    /// The content of an element whose length begins with an octet.
    private static func content(_ rest: inout ArraySlice<UInt8>, _ first: UInt8) -> ArraySlice<UInt8>? {
        var length = Int(first)
        if first > 0x80 {
            let width = Int(first & 0x7F)
            guard width <= 4, rest.count >= width else { return nil }
            length = rest.prefix(width).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(width)
        }
        guard length <= rest.count else { return nil }
        defer { rest = rest.dropFirst(length) }
        return rest.prefix(length)
    }

    var bytes: [UInt8] {
        let inner = children.isEmpty ? content : children.flatMap(\.bytes)
        return lengthWidth == 0 ? DER.indefinite(tag, inner) : DER.element(tag, inner, lengthWidth: lengthWidth)
    }

    /// Elements in the tree, with itself.
    var count: Int { children.reduce(1) { $0 + $1.count } }

    /// Changes the list of elements that holds the element `number`, counted through the tree.
    static func visit(_ nodes: inout [DERNode], _ number: inout Int, _ body: (inout [DERNode], Int) -> Void) {
        for index in nodes.indices {
            guard number >= 0 else { return }
            if number == 0 {
                number = -1
                return body(&nodes, index)
            }
            number -= 1
            visit(&nodes[index].children, &number, body)
        }
    }
}

extension StructuredMutator {
    mutating func changeDER(_ bytes: [UInt8], depth: Int) -> [UInt8] {
        guard var nodes = DERNode.parse(bytes[...]), !nodes.isEmpty else { return random.mutation(of: bytes) }
        var number = random.below(nodes.reduce(0) { $0 + $1.count })
        var copy = self
        let choice = random.below(10)
        DERNode.visit(&nodes, &number) { list, index in
            switch choice {
            case 0: list.insert(list[index], at: index)
            case 1: list.remove(at: index)
            case 2: list.swapAt(index, copy.random.below(list.count))
            case 3: list[index].lengthWidth = copy.random.pick([0, 1, 2, 4, 8])
            case 4:
                list[index].tag = copy.random.pick([0x02, 0x04, 0x0C, 0x16, 0x24, 0x30, 0x31, 0x05, 0xA0, 0x1F, 0x00])
            case 5: list[index] = DERNode(tag: 0x30, content: [], children: [list[index]])
            case 6 where list[index].tag == 0x04:
                // The same octets in fragments, as BER may have them.
                let whole = list[index].children.isEmpty ? list[index].content : list[index].children.flatMap(\.bytes)
                let cut = copy.random.below(whole.count + 1)
                let parts = [whole[..<cut], whole[cut...]].map { DERNode(tag: 0x04, content: Array($0), children: []) }
                list[index] = DERNode(tag: 0x24, content: [], children: parts, lengthWidth: 0)
            case 7: list[index].content = Array(copy.random.pick(Tokens.values).utf8)
            case 8 where list[index].tag == 0x02: list[index].content = copy.random.pick(Self.integers)
            default:
                if list[index].children.isEmpty, !list[index].content.isEmpty {
                    list[index].content = copy.change(list[index].content, depth: depth + 1)
                }
            }
        }
        random = copy.random
        return nodes.flatMap(\.bytes)
    }

    private static let integers: [[UInt8]] = [
        [], [0], [0x7F], [0xFF], [0x80], [0x00, 0x80], [0x06, 0xA5], [0x06, 0xA7], Array(repeating: 0xFF, count: 8),
        [0x7F] + Array(repeating: 0xFF, count: 7), [0x80] + Array(repeating: 0, count: 7),
        Array(repeating: 0x01, count: 9),
    ]
}
