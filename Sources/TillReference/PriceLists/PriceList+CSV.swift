public import TillCore
public import TillPricing

extension PriceList {
    /// The largest file that is read, 256 MiB.
    public static let maximumByteCount = 256 << 20
    /// The most rows that are read.
    public static let maximumRowCount = 1_000_000

    /// Reads a list, or throws all of its defects.
    ///
    /// - Parameters:
    ///   - name: the file as errors call it.
    ///   - defaultTerritory: the territory of sales with an unknown storefront.
    ///   - zone: the time zone in which days begin.
    public init(
        csv: [UInt8],
        name: String,
        defaultTerritory: Territory? = nil,
        zone: TimeZoneRules = .utc
    ) throws(FileFindings) {
        let reader = PriceListReader(csv, zone: zone)
        try self.init(reader.rows, name: name, problems: reader.problems, defaultTerritory: defaultTerritory)
    }
}
