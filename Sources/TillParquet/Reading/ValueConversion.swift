import TillColumns
import TillCore

/// The conversion of a file's values to the words of one of our columns, always exact.
enum ValueConversion {
    case text
    case identifier
    /// Numbers as they are, within bounds; `isUnsigned` ones of 32 bits or of 64.
    case number(ClosedRange<Int64>, isUnsigned: Bool)
    /// Instants in units, with the number of units per millisecond.
    case instant(perMillisecond: Int64)
    /// Nanoseconds of a day and a Julian day, as Impala and older Sparks write.
    case julianInstant

    /// The conversion from a column of a file to one of ours; `nil` if there is none.
    init?(from element: SchemaElement, to type: ColumnType) {
        guard let physical = element.type else { return nil }
        let logical = element.effectiveLogicalType
        switch (type, physical) {
        case (.text, .byteArray): self = .text
        case (.identifier, .byteArray): self = .identifier
        // Ids that another program stored as numbers. Our identifiers are numbers too, if possible.
        case (.identifier, .int64): self = .number(0...Int64.max, isUnsigned: logical.isUnsigned)
        case (.bool, .boolean): self = .number(0...1, isUnsigned: false)
        case (.int32, .int32), (.int32, .int64):
            self = .number(Int64(Int32.min)...Int64(Int32.max), isUnsigned: logical.isUnsigned)
        case (.int64, .int32), (.int64, .int64):
            self = .number(Int64.min...Int64.max, isUnsigned: logical.isUnsigned)
        case (.instant, .int64):
            guard case .timestamp(let unit, _) = logical else { return nil }
            switch unit {
            case .milliseconds: self = .instant(perMillisecond: 1)
            case .microseconds: self = .instant(perMillisecond: 1000)
            case .nanoseconds: self = .instant(perMillisecond: 1_000_000)
            }
        case (.instant, .int96): self = .julianInstant
        default: return nil
        }
        if case .number = self {
            switch logical {
            case .none, .integer: break
            default: return nil
            }
        }
        if physical == .byteArray {
            switch logical {
            case .none, .string: break
            default: return nil
            }
        }
    }

    /// Turns `count` raw values into words, in place.
    func convert(_ values: UnsafeMutablePointer<Int64>, count: Int, isNarrow: Bool) throws(Finding) {
        switch self {
        case .text, .identifier, .julianInstant: break
        case .number(let range, let isUnsigned):
            if isUnsigned, isNarrow {
                for index in 0..<count { values[index] = Int64(UInt32(truncatingIfNeeded: values[index])) }
            }
            let bounds = isUnsigned && !isNarrow ? range.clamped(to: 0...Int64.max) : range
            guard bounds.lowerBound > .min || bounds.upperBound < .max else { return }
            for index in 0..<count where !bounds.contains(values[index]) {
                throw Finding("parquet.range", "\(values[index]) does not fit the column")
            }
        case .instant(let unit):
            guard unit > 1 else { return }
            for index in 0..<count {
                let (quotient, rest) = values[index].quotientAndRemainder(dividingBy: unit)
                guard rest == 0 else { throw Self.inexact(values[index], unit) }
                values[index] = quotient
            }
        }
    }

    private static func inexact(_ value: Int64, _ unit: Int64) -> Finding {
        let name = unit == 1000 ? "µs" : "ns"
        return Finding("parquet.inexact-instant", "\(value) \(name) is not a whole number of milliseconds")
    }

    /// The milliseconds since 1970 of an INT96: eight bytes of nanoseconds, four of Julian day.
    static func milliseconds(julian bytes: UnsafeRawBufferPointer) throws(Finding) -> Int64 {
        let nanoseconds = bytes.loadUnaligned(as: Int64.self).littleEndian
        let day = Int64(bytes.loadUnaligned(fromByteOffset: 8, as: Int32.self).littleEndian)
        guard nanoseconds % 1_000_000 == 0 else { throw inexact(nanoseconds, 1_000_000) }
        // 2,440,588 is the Julian day of 1970-01-01; 32 bits of days cannot overflow 64 of milliseconds.
        return (day - 2_440_588) * 86_400_000 + nanoseconds / 1_000_000
    }
}

extension LogicalType {
    fileprivate var isUnsigned: Bool { if case .integer(_, let isSigned) = self { !isSigned } else { false } }
}

extension SchemaElement {
    /// The meaning of values, from the logical type or, in older files, the converted type.
    var effectiveLogicalType: LogicalType {
        guard logicalType == .none, let convertedType else { return logicalType }
        switch convertedType {
        // UTF8, ENUM, JSON
        case 0, 4, 19: return .string
        case 9: return .timestamp(.milliseconds, isAdjustedToUTC: true)
        case 10: return .timestamp(.microseconds, isAdjustedToUTC: true)
        case 11...14: return .integer(bits: 8 << Int(convertedType - 11), isSigned: false)
        case 15...18: return .integer(bits: 8 << Int(convertedType - 15), isSigned: true)
        default: return .other("converted type \(convertedType)")
        }
    }

    /// Whether the column has no value in any row.
    var isOfNulls: Bool { logicalType == .other("NULL") }
}
