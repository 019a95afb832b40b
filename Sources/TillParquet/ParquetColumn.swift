public import TillColumns

/// A column of a table in a Parquet file; every column is optional.
public struct ParquetColumn: Sendable {
    /// The name in the schema of the file, by which readers find the column.
    public var name: String
    /// The type of the cells, which decides Parquet's physical and logical type.
    public var type: ColumnType

    /// Makes a column; its position in a file is that in the list for the ``ParquetWriter``.
    public init(name: String, type: ColumnType) {
        self.name = name
        self.type = type
    }

    /// The columns of a table, in their order.
    public static func columns<Column: TableColumn>(of _: Column.Type) -> [ParquetColumn] {
        Column.allCases.map { ParquetColumn(name: $0.name, type: $0.type) }
    }

    var physicalType: PhysicalType {
        switch type {
        case .text, .identifier: .byteArray
        case .int64, .instant: .int64
        case .int32: .int32
        case .bool: .boolean
        }
    }

    /// The schema element (LogicalTypes.md), with the converted type for readers that do not know logical types.
    var schemaElement: SchemaElement {
        var element = SchemaElement(name: name, type: physicalType, repetition: .optional)
        switch type {
        case .text, .identifier: (element.logicalType, element.convertedType) = (.string, 0)
        case .int64: (element.logicalType, element.convertedType) = (.integer(bits: 64, isSigned: true), 18)
        case .int32: (element.logicalType, element.convertedType) = (.integer(bits: 32, isSigned: true), 17)
        case .instant:
            (element.logicalType, element.convertedType) = (.timestamp(.milliseconds, isAdjustedToUTC: true), 9)
        case .bool: break
        }
        return element
    }
}
