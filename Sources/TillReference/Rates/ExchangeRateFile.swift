public import TillCore
public import TillPricing

/// Files of exchange rates: those of the European Central Bank, and two plain tables.
///
///     <gesmes:Envelope …><Cube><Cube time="2026-03-02"><Cube currency="USD" rate="1.0812"/>…    ECB, XML
///     Date,USD,JPY,…,                                                                           ECB, CSV; N/A is none
///     date,currency,per_eur                                                                     units for one euro
///     date,base,quote,rate,source                                                               quote for one base
///
/// The form of a file is detected from its content. Rates are decimals above 0, and are kept exactly.
public enum ExchangeRateFile {
    /// The largest file that is read, 256 MiB.
    public static let maximumByteCount = 256 << 20

    /// Adds the rates of a file; throws all defects of the file.
    public static func read(
        _ bytes: [UInt8],
        name: String,
        into rates: inout ExchangeRates
    ) throws(FileFindings) {
        guard bytes.count <= maximumByteCount else {
            throw FileFindings(name, [.init("fx.too-large", "a file of rates has at most \(maximumByteCount) bytes")])
        }
        guard !bytes.starts(with: "PK".utf8) else {
            throw FileFindings(name, [.init("fx.zip", "it is a zip archive; unpack it first")])
        }
        rates.begin(source: name.split(separator: "/").last.map(String.init) ?? name)
        let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        let first = bytes[start...].first { !" \t\r\n".utf8.contains($0) }
        if first == UInt8(ascii: "<") {
            try EuropeanCentralBankXML.read(bytes, name: name, into: &rates)
        } else {
            try ExchangeRateTable.read(bytes, name: name, into: &rates)
        }
    }
}
