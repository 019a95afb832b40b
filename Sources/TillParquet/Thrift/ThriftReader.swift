/// Reads structs in Thrift's compact protocol (thrift-compact-protocol.md).
///
/// Every length is compared with the bytes that are left before memory is taken for it, and structs nest
/// ``depthLimit`` deep at most.
struct ThriftReader {
    /// The deepest that Parquet's own structs go is 6.
    static let depthLimit = 24

    enum Kind: UInt8 {
        case stop = 0
        case yes, no, byte, int16, int32, int64, double, binary, list, set, map, structure, uuid
    }

    private let bytes: [UInt8]
    private(set) var position: Int
    private var depth = 0

    init(_ bytes: [UInt8], at position: Int = 0) {
        self.bytes = bytes
        self.position = position
    }

    private func broken(_ reason: String) -> ParquetError { ParquetError(.thrift, at: position, reason) }

    private mutating func next() throws(ParquetError) -> UInt8 {
        guard position < bytes.count else { throw broken("a struct ends early") }
        defer { position += 1 }
        return bytes[position]
    }

    private mutating func varint() throws(ParquetError) -> UInt64 {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            let byte = try next()
            guard shift < 63 || byte < 2 else { break }
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
        }
        throw broken("a number of more than 64 bits")
    }

    private mutating func zigzag() throws(ParquetError) -> Int64 {
        let value = try varint()
        return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
    }

    private mutating func kind(_ raw: UInt8) throws(ParquetError) -> Kind {
        guard let kind = Kind(rawValue: raw) else { throw broken("there is no type \(raw)") }
        return kind
    }

    /// A field of the struct being read, until the reader that is handed it has taken its value.
    struct Field {
        var id: Int16
        var kind: Kind
    }

    /// Reads a struct; `body` takes the value of each field that it knows and gives `false` for the others.
    mutating func structure(
        _ body: (inout ThriftReader, Field) throws(ParquetError) -> Bool
    ) throws(ParquetError) {
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

    /// Reads a field that is a struct.
    mutating func nestedStructure(
        _ field: Field,
        _ body: (inout ThriftReader, Field) throws(ParquetError) -> Bool
    ) throws(ParquetError) {
        try expect(field, .structure)
        try structure(body)
    }

    private func expect(_ field: Field, _ kind: Kind) throws(ParquetError) {
        guard field.kind == kind else { throw broken("field \(field.id) is of type \(field.kind), not \(kind)") }
    }

    mutating func int32(_ field: Field) throws(ParquetError) -> Int32 {
        try expect(field, .int32)
        let value = try zigzag()
        guard let value = Int32(exactly: value) else { throw broken("field \(field.id) has more than 32 bits") }
        return value
    }

    mutating func byte(_ field: Field) throws(ParquetError) -> Int {
        try expect(field, .byte)
        return Int(try next())
    }

    mutating func int64(_ field: Field) throws(ParquetError) -> Int64 {
        try expect(field, .int64)
        return try zigzag()
    }

    /// A size or count, which no writer means to be negative.
    mutating func count(_ field: Field) throws(ParquetError) -> Int {
        let value = field.kind == .int64 ? try int64(field) : Int64(try int32(field))
        guard value >= 0 else { throw broken("field \(field.id) is \(value), less than 0") }
        return Int(value)
    }

    func bool(_ field: Field) throws(ParquetError) -> Bool {
        guard field.kind == .yes || field.kind == .no else { throw broken("field \(field.id) is no boolean") }
        return field.kind == .yes
    }

    mutating func binary(_ field: Field) throws(ParquetError) -> [UInt8] {
        try expect(field, .binary)
        return try text()
    }

    private mutating func text() throws(ParquetError) -> [UInt8] {
        let length = try varint()
        guard length <= UInt64(bytes.count - position) else { throw broken("a text of \(length) bytes ends early") }
        defer { position += Int(length) }
        return Array(bytes[position..<position + Int(length)])
    }

    /// Text of the footer; bytes that are not UTF-8 are replaced.
    mutating func string(_ field: Field) throws(ParquetError) -> String {
        String(decoding: try binary(field), as: UTF8.self)
    }

    private mutating func listHeader(_ field: Field, _ expected: Kind) throws(ParquetError) -> Int {
        try expect(field, .list)
        let (kind, count) = try listHeader()
        let isBool = expected == .yes && kind == .no
        guard kind == expected || isBool || count == 0 else { throw broken("a list of \(kind), not of \(expected)") }
        return count
    }

    private mutating func listHeader() throws(ParquetError) -> (kind: Kind, count: Int) {
        let header = try next()
        let kind = try kind(header & 0x0F)
        let count = header >> 4 == 15 ? try varint() : UInt64(header >> 4)
        // The smallest element takes a byte.
        guard count <= UInt64(bytes.count - position) else { throw broken("a list of \(count) elements ends early") }
        return (kind, Int(count))
    }

    mutating func list<Element>(
        _ field: Field,
        _ body: (inout ThriftReader) throws(ParquetError) -> Element
    ) throws(ParquetError) -> [Element] {
        let count = try listHeader(field, .structure)
        var elements: [Element] = []
        for _ in 0..<count { elements.append(try body(&self)) }
        return elements
    }

    mutating func int64s(_ field: Field) throws(ParquetError) -> [Int64] {
        let count = try listHeader(field, .int64)
        var values: [Int64] = []
        for _ in 0..<count { values.append(try zigzag()) }
        return values
    }

    mutating func bools(_ field: Field) throws(ParquetError) -> [Bool] {
        let count = try listHeader(field, .yes)
        var values: [Bool] = []
        for _ in 0..<count { values.append(try next() == 1) }
        return values
    }

    mutating func binaries(_ field: Field) throws(ParquetError) -> [[UInt8]] {
        let count = try listHeader(field, .binary)
        var values: [[UInt8]] = []
        for _ in 0..<count { values.append(try text()) }
        return values
    }

    mutating func strings(_ field: Field) throws(ParquetError) -> [String] {
        try binaries(field).map { String(decoding: $0, as: UTF8.self) }
    }

    private mutating func advance(_ count: Int) throws(ParquetError) {
        guard count <= bytes.count - position else { throw broken("a struct ends early") }
        position += count
    }

    /// Passes over a value.
    private mutating func skip(_ kind: Kind) throws(ParquetError) {
        switch kind {
        case .stop, .yes, .no: break
        case .byte: try advance(1)
        case .int16, .int32, .int64: _ = try varint()
        case .double: try advance(8)
        case .uuid: try advance(16)
        case .binary: _ = try text()
        case .list, .set:
            let (kind, count) = try listHeader()
            try nested { reader throws(ParquetError) in
                for _ in 0..<count { try reader.skipElement(kind) }
            }
        case .map:
            let count = try varint()
            guard count > 0 else { break }
            guard count <= UInt64(bytes.count - position) else { throw broken("a map ends early") }
            let kinds = try next()
            let (key, value) = (try self.kind(kinds >> 4), try self.kind(kinds & 0x0F))
            try nested { reader throws(ParquetError) in
                for _ in 0..<count {
                    try reader.skipElement(key)
                    try reader.skipElement(value)
                }
            }
        case .structure: try structure { _, _ throws(ParquetError) in false }
        }
    }

    private mutating func nested(
        _ body: (inout ThriftReader) throws(ParquetError) -> Void
    ) throws(ParquetError) {
        depth += 1
        guard depth <= Self.depthLimit else { throw broken("values nest deeper than \(Self.depthLimit)") }
        try body(&self)
        depth -= 1
    }

    /// In a list a boolean takes a byte, in a struct none.
    private mutating func skipElement(_ kind: Kind) throws(ParquetError) {
        switch kind {
        case .yes, .no: try advance(1)
        case .stop: throw broken("a list of nothing")
        default: try skip(kind)
        }
    }
}
