/// Writes structs in Thrift's compact protocol (thrift-compact-protocol.md, "Struct", "List and Set").
///
///     dddd tttt              field: id less the previous id (1…15), type
///     0000 tttt  zigzag id   field with any id
///     00000000               end of a struct
///     ssss tttt              list of up to 14 elements; 1111 tttt varint size beyond
struct ThriftWriter {
    enum Kind: UInt8 {
        case yes = 1
        case no = 2
        case byte = 3
        case int16 = 4
        case int32 = 5
        case int64 = 6
        case binary = 8
        case list = 9
        case structure = 12
    }

    private(set) var bytes: [UInt8] = []
    private var lastField: Int16 = 0

    private mutating func header(_ field: Int16, _ kind: Kind) {
        let delta = field - lastField
        if (1...15).contains(delta) {
            bytes.append(UInt8(delta) << 4 | kind.rawValue)
        } else {
            bytes.append(kind.rawValue)
            zigzag(Int64(field))
        }
        lastField = field
    }

    private mutating func varint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    private mutating func zigzag(_ value: Int64) {
        varint(UInt64(bitPattern: value << 1 ^ value >> 63))
    }

    mutating func write(_ field: Int16, _ value: Int16) {
        header(field, .int16)
        zigzag(Int64(value))
    }

    mutating func write(_ field: Int16, _ value: Int32) {
        header(field, .int32)
        zigzag(Int64(value))
    }

    mutating func write(_ field: Int16, _ value: Int64) {
        header(field, .int64)
        zigzag(value)
    }

    mutating func write(_ field: Int16, _ value: [UInt8]) {
        header(field, .binary)
        varint(UInt64(value.count))
        bytes += value
    }

    /// A struct whose fields `body` writes.
    mutating func write(_ field: Int16, _ body: (inout ThriftWriter) -> Void) {
        header(field, .structure)
        structure(body)
    }

    private mutating func structure(_ body: (inout ThriftWriter) -> Void) {
        let outer = lastField
        lastField = 0
        body(&self)
        bytes.append(0)
        lastField = outer
    }

    /// A list of structs, each written by `body`.
    mutating func write<Element>(
        _ field: Int16,
        _ elements: [Element],
        _ body: (inout ThriftWriter, Element) -> Void
    ) {
        listHeader(field, .structure, elements.count)
        for element in elements { structure { body(&$0, element) } }
    }

    mutating func write(_ field: Int16, _ values: [Int32]) {
        listHeader(field, .int32, values.count)
        for value in values { zigzag(Int64(value)) }
    }

    mutating func write(_ field: Int16, _ values: [Int64]) {
        listHeader(field, .int64, values.count)
        for value in values { zigzag(value) }
    }

    /// In a list a boolean is a byte of its own.
    mutating func write(_ field: Int16, _ values: [Bool]) {
        listHeader(field, .yes, values.count)
        for value in values { bytes.append(value ? 1 : 2) }
    }

    mutating func write(_ field: Int16, _ values: [[UInt8]]) {
        listHeader(field, .binary, values.count)
        for value in values {
            varint(UInt64(value.count))
            bytes += value
        }
    }

    private mutating func listHeader(_ field: Int16, _ kind: Kind, _ count: Int) {
        header(field, .list)
        if count < 15 {
            bytes.append(UInt8(count) << 4 | kind.rawValue)
        } else {
            bytes.append(0xF0 | kind.rawValue)
            varint(UInt64(count))
        }
    }

    /// The bytes of one struct on its own.
    static func bytes(of body: (inout ThriftWriter) -> Void) -> [UInt8] {
        var writer = ThriftWriter()
        writer.structure(body)
        return writer.bytes
    }
}

extension ThriftWriter: ThriftCoder {
    typealias Failure = Never

    mutating func int32(_ id: Int16, _ value: inout Int32?) {
        if let value { write(id, value) }
    }

    mutating func enumeration<Value: RawRepresentable<Int32>>(_ id: Int16, _ value: inout Value?, _ name: String?) {
        if let value { write(id, value.rawValue) }
    }

    mutating func count(_ id: Int16, _ value: inout Int?, isWide: Bool) {
        guard let value else { return }
        if isWide { write(id, Int64(value)) } else { write(id, Int32(value)) }
    }

    mutating func byte(_ id: Int16, _ value: inout UInt8) {
        header(id, .byte)
        bytes.append(value)
    }

    mutating func bool(_ id: Int16, _ value: inout Bool?) {
        if let value { header(id, value ? .yes : .no) }
    }

    mutating func binary(_ id: Int16, _ value: inout [UInt8]?) {
        if let value { write(id, value) }
    }

    mutating func texts(_ id: Int16, _ values: inout [String]) {
        write(id, values.map { Array($0.utf8) })
    }

    mutating func structure<Struct: ThriftStruct>(_ id: Int16, _ value: inout Struct?) {
        guard var value else { return }
        write(id) { writer in value.code(&writer) }
    }

    mutating func list<Struct: ThriftStruct>(_ id: Int16, _ values: inout [Struct]) {
        write(id, values) { writer, value in
            var value = value
            value.code(&writer)
        }
    }

    mutating func presence(_ id: Int16, _ value: inout Bool) {
        if value { write(id) { _ in } }
    }

    mutating func remaining(_ id: inout Int16?) {}

    mutating func write(_ body: (inout ThriftWriter) -> Void) { body(&self) }
}
