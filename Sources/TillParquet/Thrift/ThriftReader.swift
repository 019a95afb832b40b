import TillCore

/// Reads structs in Thrift's compact protocol (thrift-compact-protocol.md).
///
/// Every length is checked against the bytes that are left before memory is allocated, and structs nest at most
/// ``depthLimit`` deep.
struct ThriftReader {
    /// Parquet's own structs are at most 6 deep.
    static let depthLimit = 24

    enum Kind: UInt8 {
        case stop = 0
        case yes, no, byte, int16, int32, int64, double, binary, list, set, map, structure, uuid
    }

    private let bytes: [UInt8]
    private(set) var position: Int
    private var depth = 0
    /// The field whose value is next; `nil` once the value has been read.
    private var field: Field?

    init(_ bytes: [UInt8], at position: Int = 0) {
        self.bytes = bytes
        self.position = position
    }

    private func broken(_ reason: String) -> Finding { Finding("parquet.thrift", at: position, reason) }

    private mutating func next() throws(Finding) -> UInt8 {
        guard position < bytes.count else { throw broken("a struct ends early") }
        defer { position += 1 }
        return bytes[position]
    }

    private mutating func varint() throws(Finding) -> UInt64 {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            let byte = try next()
            guard shift < 63 || byte < 2 else { break }
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
        }
        throw broken("a number of more than 64 bits")
    }

    private mutating func zigzag() throws(Finding) -> Int64 {
        let value = try varint()
        return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
    }

    private mutating func kind(_ raw: UInt8) throws(Finding) -> Kind {
        guard let kind = Kind(rawValue: raw) else { throw broken("there is no type \(raw)") }
        return kind
    }

    /// A field of the struct that is being read.
    struct Field {
        var id: Int16
        var kind: Kind
    }

    /// Reads a struct.
    mutating func structure<Struct: ThriftStruct>(into value: inout Struct) throws(Finding) {
        var ids = ThriftIDs()
        try fields { reader, field throws(Finding) in
            ids.insert(field.id)
            reader.field = field
            try value.code(&reader)
            defer { reader.field = nil }
            return reader.field == nil
        }
        try value.check(ids, at: position)
    }

    /// Reads the fields of a struct; `body` returns `false` if it does not read the value of a field.
    private mutating func fields(
        _ body: (inout ThriftReader, Field) throws(Finding) -> Bool
    ) throws(Finding) {
        depth += 1
        guard depth <= Self.depthLimit else { throw broken("structs nest deeper than \(Self.depthLimit)") }
        var last: Int16 = 0
        while true {
            let header = try next()
            let kind = try kind(header & 0x0F)
            if kind == .stop { break }
            if header >> 4 == 0 {
                let id = try zigzag()
                guard let id = Int16(exactly: id) else { throw broken("a field id of more than 16 bits") }
                last = id
            } else {
                let (id, isOver) = last.addingReportingOverflow(Int16(header >> 4))
                guard !isOver else { throw broken("a field id of more than 16 bits") }
                last = id
            }
            let field = Field(id: last, kind: kind)
            if try !body(&self, field) { try skip(kind) }
        }
        depth -= 1
    }

    private func expect(_ field: Field, _ kind: Kind) throws(Finding) {
        guard field.kind == kind else { throw broken("field \(field.id) is of type \(field.kind), not \(kind)") }
    }

    private mutating func int32(_ field: Field) throws(Finding) -> Int32 {
        try expect(field, .int32)
        let value = try zigzag()
        guard let value = Int32(exactly: value) else { throw broken("field \(field.id) has more than 32 bits") }
        return value
    }

    private mutating func text() throws(Finding) -> [UInt8] {
        let length = try varint()
        guard length <= UInt64(bytes.count - position) else { throw broken("a text of \(length) bytes ends early") }
        defer { position += Int(length) }
        return Array(bytes[position..<position + Int(length)])
    }

    private mutating func listHeader(_ field: Field, _ expected: Kind) throws(Finding) -> Int {
        try expect(field, .list)
        let (kind, count) = try listHeader()
        guard kind == expected || count == 0 else { throw broken("a list of \(kind), not of \(expected)") }
        return count
    }

    private mutating func listHeader() throws(Finding) -> (kind: Kind, count: Int) {
        let header = try next()
        let kind = try kind(header & 0x0F)
        let count = header >> 4 == 15 ? try varint() : UInt64(header >> 4)
        // The smallest element takes a byte.
        guard count <= UInt64(bytes.count - position) else { throw broken("a list of \(count) elements ends early") }
        return (kind, Int(count))
    }

    private mutating func advance(_ count: Int) throws(Finding) {
        guard count <= bytes.count - position else { throw broken("a struct ends early") }
        position += count
    }

    /// Skips a value.
    private mutating func skip(_ kind: Kind) throws(Finding) {
        switch kind {
        case .stop, .yes, .no: break
        case .byte: try advance(1)
        case .int16, .int32, .int64: _ = try varint()
        case .double: try advance(8)
        case .uuid: try advance(16)
        case .binary: _ = try text()
        case .list, .set:
            let (kind, count) = try listHeader()
            try nested { reader throws(Finding) in
                for _ in 0..<count { try reader.skipElement(kind) }
            }
        case .map:
            let count = try varint()
            guard count > 0 else { break }
            guard count <= UInt64(bytes.count - position) else { throw broken("a map ends early") }
            let kinds = try next()
            let (key, value) = (try self.kind(kinds >> 4), try self.kind(kinds & 0x0F))
            try nested { reader throws(Finding) in
                for _ in 0..<count {
                    try reader.skipElement(key)
                    try reader.skipElement(value)
                }
            }
        case .structure: try fields { _, _ throws(Finding) in false }
        }
    }

    private mutating func nested(
        _ body: (inout ThriftReader) throws(Finding) -> Void
    ) throws(Finding) {
        depth += 1
        guard depth <= Self.depthLimit else { throw broken("values nest deeper than \(Self.depthLimit)") }
        try body(&self)
        depth -= 1
    }

    /// In a list a boolean takes a byte, in a struct none.
    private mutating func skipElement(_ kind: Kind) throws(Finding) {
        switch kind {
        case .yes, .no: try advance(1)
        case .stop: throw broken("a list of nothing")
        default: try skip(kind)
        }
    }
}

extension ThriftReader: ThriftCoder {
    typealias Failure = Finding

    /// The current field, if it has this id. Its value must then be read.
    private mutating func take(_ id: Int16) -> Field? {
        guard field?.id == id else { return nil }
        return field.take()
    }

    mutating func int32(_ id: Int16, _ value: inout Int32?) throws(Finding) {
        if let field = take(id) { value = try int32(field) }
    }

    mutating func enumeration<Value: RawRepresentable<Int32>>(
        _ id: Int16,
        _ value: inout Value?,
        _ name: String?
    ) throws(Finding) {
        guard let field = take(id) else { return }
        let start = position
        let number = try int32(field)
        value = Value(rawValue: number)
        guard let name, value == nil else { return }
        throw Finding("parquet.schema", at: start, "there is no \(name) \(number)")
    }

    /// A size or count, which must not be negative.
    mutating func count(_ id: Int16, _ value: inout Int?, isWide: Bool) throws(Finding) {
        guard let field = take(id) else { return }
        let number = field.kind == .int64 ? try zigzag() : Int64(try int32(field))
        guard number >= 0 else { throw broken("field \(id) is \(number), less than 0") }
        value = Int(number)
    }

    mutating func byte(_ id: Int16, _ value: inout UInt8) throws(Finding) {
        guard let field = take(id) else { return }
        try expect(field, .byte)
        value = try next()
    }

    mutating func bool(_ id: Int16, _ value: inout Bool?) throws(Finding) {
        guard let field = take(id) else { return }
        guard field.kind == .yes || field.kind == .no else { throw broken("field \(id) is not a boolean") }
        value = field.kind == .yes
    }

    mutating func binary(_ id: Int16, _ value: inout [UInt8]?) throws(Finding) {
        guard let field = take(id) else { return }
        try expect(field, .binary)
        value = try text()
    }

    mutating func texts(_ id: Int16, _ values: inout [String]) throws(Finding) {
        guard let field = take(id) else { return }
        values = []
        for _ in 0..<(try listHeader(field, .binary)) { values.append(String(input: try text())) }
    }

    mutating func structure<Struct: ThriftStruct>(_ id: Int16, _ value: inout Struct?) throws(Finding) {
        guard let field = take(id) else { return }
        try expect(field, .structure)
        var found = Struct()
        try structure(into: &found)
        value = found
    }

    mutating func list<Struct: ThriftStruct>(_ id: Int16, _ values: inout [Struct]) throws(Finding) {
        guard let field = take(id) else { return }
        values = []
        for _ in 0..<(try listHeader(field, .structure)) {
            var value = Struct()
            try structure(into: &value)
            values.append(value)
        }
    }

    mutating func presence(_ id: Int16, _ value: inout Bool) {
        if field?.id == id { value = true }
    }

    mutating func remaining(_ id: inout Int16?) {
        if let field { id = field.id }
    }

    mutating func write(_ body: (inout ThriftWriter) -> Void) {}
}
