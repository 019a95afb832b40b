/// An ISO 4217 alphabetic currency code, three letters `A`–`Z`, packed into one word.
///
/// Codes that ISO 4217 does not list are kept, so that a new currency of the App Store survives; they count as having
/// two decimals, as most do. What people write into price lists must be listed (``isListed``).
public struct CurrencyCode: Hashable, Sendable, Comparable {
    /// The three ASCII letters, first letter in the highest of the low 24 bits; ordering by it is ordering by text.
    public let packed: UInt32

    /// Reads a code; `nil` unless `text` is exactly three letters `A`–`Z`.
    public init?(_ text: some StringProtocol) {
        guard let packed = Self.pack(text.utf8) else { return nil }
        self.packed = packed
    }

    /// Reads a code from bytes; `nil` unless they are exactly three letters `A`–`Z`.
    public init?(bytes: RawSpan) {
        // Without an array of letters: this is asked for every sale.
        guard let packed = bytes.withUnsafeBytes({ Self.pack($0) }) else { return nil }
        self.packed = packed
    }

    /// The code that ``packed`` was of.
    public init(packed: UInt32) {
        self.packed = packed
    }

    private static func pack(_ letters: some Sequence<UInt8>) -> UInt32? {
        var packed: UInt32 = 0
        var count = 0
        for letter in letters {
            guard (0x41...0x5A).contains(letter), count < 3 else { return nil }
            packed = packed << 8 | UInt32(letter)
            count += 1
        }
        return count == 3 ? packed : nil
    }

    public static func < (left: Self, right: Self) -> Bool { left.packed < right.packed }

    /// Digits after the decimal point in ISO 4217 (its "minor unit"), 0…4.
    ///
    /// ISO, not CLDR: CLDR shows RSD, HUF or TWD without decimals, yet amounts in them have two.
    public var minorUnitDigits: Int {
        // A search among so few is quicker than a hash, and every amount of a report asks.
        let place = Self.exponents.partitioningIndex { $0.packed >= packed }
        return place < Self.exponents.count && Self.exponents[place].packed == packed ? Self.exponents[place].digits : 2
    }

    /// The currencies that have other than two digits, in order.
    private static let exponents: [(packed: UInt32, digits: Int)] = {
        let codes: [(digits: Int, codes: String)] = [
            (0, "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF"),
            (3, "BHD IQD JOD KWD LYD OMR TND"),
            (4, "CLF UYW"),
        ]
        let exponents = codes.flatMap { digits, list in
            list.split(separator: " ").compactMap { code in pack(code.utf8).map { (packed: $0, digits: digits) } }
        }
        return exponents.sorted { $0.packed < $1.packed }
    }()
}

extension CurrencyCode {
    /// Whether ISO 4217 lists the code as money, or has listed it since the App Store opened in 2008 or before the
    /// euro.
    public var isListed: Bool { Self.listedCodes.contains(packed) }

    /// All codes that are listed, in the order of their letters.
    public static var listed: [CurrencyCode] { listedCodes.sorted().map(CurrencyCode.init(packed:)) }

    /// The active codes of ISO 4217 (list one, without metals, funds of the IMF and test codes), then those that were
    /// withdrawn since 2008 (list three), and those that gave way to the euro earlier.
    private static let listedCodes: Set<UInt32> = {
        let active = """
            AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BOV BRL BSD BTN \
            BWP BYN BZD CAD CDF CHE CHF CHW CLF CLP CNY COP COU CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN \
            ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD \
            JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT \
            MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG \
            QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT \
            TND TOP TRY TTD TWD TZS UAH UGX USD USN UYI UYU UYW UZS VED VES VND VUV WST XAF XCD XCG XOF \
            XPF YER ZAR ZMW ZWG
            """
        let withdrawn = "BYR CUC EEK GHC HRK LTL LVL MRO SKK SLL STD VEB VEF ZMK ZWD ZWL ZWR"
        let beforeEuro = "ATS BEF CYP DEM ESP FIM FRF GRD IEP ITL LUF MTL NLG PTE SIT"
        return Set("\(active) \(withdrawn) \(beforeEuro)".split(separator: " ").compactMap { pack($0.utf8) })
    }()
}

extension CurrencyCode: CustomStringConvertible {
    public var description: String {
        String(decoding: [UInt8(packed >> 16 & 0xFF), UInt8(packed >> 8 & 0xFF), UInt8(packed & 0xFF)], as: UTF8.self)
    }
}
