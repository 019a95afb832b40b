import TillCore

/// A struct of parquet.thrift. One list of its fields serves reading and writing.
protocol ThriftStruct {
    init()

    /// Passes each field to `coder`, which reads it into the property or writes the property; in ascending order of
    /// ids.
    ///
    /// A reader calls it once for each field that it finds.
    mutating func code<Coder: ThriftCoder>(_ coder: inout Coder) throws(Coder.Failure)

    /// Throws if a required field was not read; the struct ends at `position`.
    func check(_ ids: ThriftIDs, at position: Int) throws(Finding)
}

extension ThriftStruct {
    func check(_ ids: ThriftIDs, at position: Int) throws(Finding) {}

    /// The struct on its own, as it stands in a file.
    var bytes: [UInt8] {
        ThriftWriter.bytes { writer in
            var copy = self
            copy.code(&writer)
        }
    }
}

/// The ids of the fields that a struct has, as far as they are below 64.
struct ThriftIDs {
    private var bits: UInt64 = 0

    mutating func insert(_ id: Int16) { if (0..<64).contains(id) { bits |= 1 << UInt64(id) } }

    func contains(_ id: Int16) -> Bool { bits & 1 << UInt64(id) != 0 }
}

/// Reads or writes the fields of structs.
///
/// A writer omits a property that is `nil`. A reader does not change a property whose field is missing.
protocol ThriftCoder {
    associatedtype Failure: Error

    mutating func int32(_ id: Int16, _ value: inout Int32?) throws(Failure)
    /// A number of an enumeration, called `name` in the error for an unknown number; without a name unknown ones are
    /// `nil`.
    mutating func enumeration<Value: RawRepresentable<Int32>>(
        _ id: Int16,
        _ value: inout Value?,
        _ name: String?
    ) throws(Failure)
    /// A number that is not negative, written with 64 bits or 32, read with either.
    mutating func count(_ id: Int16, _ value: inout Int?, isWide: Bool) throws(Failure)
    mutating func byte(_ id: Int16, _ value: inout UInt8) throws(Failure)
    mutating func bool(_ id: Int16, _ value: inout Bool?) throws(Failure)
    mutating func binary(_ id: Int16, _ value: inout [UInt8]?) throws(Failure)
    mutating func texts(_ id: Int16, _ values: inout [String]) throws(Failure)
    mutating func structure<Struct: ThriftStruct>(_ id: Int16, _ value: inout Struct?) throws(Failure)
    mutating func list<Struct: ThriftStruct>(_ id: Int16, _ values: inout [Struct]) throws(Failure)
    /// Whether a field is present, whatever its value; it is written as an empty struct.
    mutating func presence(_ id: Int16, _ value: inout Bool) throws(Failure)
    /// The id of a field that none of the calls before has read.
    mutating func remaining(_ id: inout Int16?) throws(Failure)
    /// Fields that are only written.
    mutating func write(_ body: (inout ThriftWriter) -> Void) throws(Failure)
}

extension ThriftCoder {
    mutating func int32(_ id: Int16, _ value: inout Int32) throws(Failure) {
        var found: Int32? = value
        try int32(id, &found)
        value = found ?? value
    }

    mutating func enumeration<Value: RawRepresentable<Int32>>(
        _ id: Int16,
        _ value: inout Value,
        _ name: String
    ) throws(Failure) {
        var found: Value? = value
        try enumeration(id, &found, name)
        value = found ?? value
    }

    mutating func count(_ id: Int16, _ value: inout Int, isWide: Bool = true) throws(Failure) {
        var found: Int? = value
        try count(id, &found, isWide: isWide)
        value = found ?? value
    }

    mutating func bool(_ id: Int16, _ value: inout Bool) throws(Failure) {
        var found: Bool? = value
        try bool(id, &found)
        value = found ?? value
    }

    /// Text; bytes that are not UTF-8 are replaced.
    mutating func text(_ id: Int16, _ value: inout String?) throws(Failure) {
        var bytes = value.map { Array($0.utf8) }
        try binary(id, &bytes)
        value = bytes.map { String(input: $0) }
    }

    mutating func text(_ id: Int16, _ value: inout String) throws(Failure) {
        var found: String? = value
        try text(id, &found)
        value = found ?? value
    }
}
