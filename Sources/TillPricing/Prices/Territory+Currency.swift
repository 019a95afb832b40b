public import TillCore

extension Territory {
    /// The currency in which the App Store of a territory sells: its own where Apple offers one, else US dollars.
    public var currency: CurrencyCode? {
        CurrencyCode(Self.ownCurrencies[description] ?? (Self.euroTerritories.contains(description) ? "EUR" : "USD"))
    }

    /// The judgement of a price's currency.
    package enum StoreCurrency {
        /// The store sells in it, or did.
        case usual
        /// Not a currency of any other store, and not known as one of this store.
        case doubtful
        /// The currency of other stores: the row is wrong.
        case foreign
    }

    /// Whether a price in `currency` can be one of this territory's store, today or earlier.
    ///
    /// Stores changed their currency, mostly from US dollars or euros to their own, so prices in the old currency are
    /// right. A price in yen in Germany is wrong. Nothing is known about territories that are not in the table: some
    /// use a neighbour's currency.
    package func judge(_ currency: CurrencyCode) -> StoreCurrency {
        let code = currency.description
        let isCommon = code == "USD" || code == "EUR"
        if let own = Self.ownCurrencies[description] {
            if code == own { return .usual }
            if isCommon { return Self.sinceTheBeginning.contains(description) ? .doubtful : .usual }
        } else if Self.euroTerritories.contains(description) {
            if code == "EUR" || Self.before[description] == code { return .usual }
            if isCommon { return .doubtful }
        } else {
            return .usual
        }
        return Self.others.contains(code) ? .foreign : .doubtful
    }

    private static let others = Set(ownCurrencies.values)

    private static let ownCurrencies: [String: String] = pairs(
        """
        ARE:AED AUS:AUD BRA:BRL CAN:CAD CHE:CHF LIE:CHF CHL:CLP CHN:CNY COL:COP CZE:CZK DNK:DKK EGY:EGP GBR:GBP HKG:HKD
        HUN:HUF IDN:IDR ISR:ILS IND:INR JPN:JPY KOR:KRW KAZ:KZT MEX:MXN MYS:MYR NGA:NGN NOR:NOK NZL:NZD PER:PEN PHL:PHP
        PAK:PKR POL:PLN QAT:QAR ROU:RON RUS:RUB SAU:SAR SWE:SEK SGP:SGD THA:THB TUR:TRY TWN:TWD TZA:TZS USA:USD VNM:VND
        ZAF:ZAR
        """
    )

    /// Stores that never sold in anything but their own currency.
    private static let sinceTheBeginning: Set<String> = ["AUS", "CAN", "CHE", "GBR", "JPN", "NZL", "USA"]

    private static let euroTerritories: Set<String> = [
        "AUT", "BEL", "BGR", "CYP", "DEU", "ESP", "EST", "FIN", "FRA", "GRC", "HRV", "IRL", "ITA", "LTU", "LUX", "LVA",
        "MLT", "NLD", "PRT", "SVK", "SVN",
    ]

    private static let before = ["BGR": "BGN", "HRV": "HRK"]

    private static func pairs(_ text: String) -> [String: String] {
        let pairs = text.split(whereSeparator: { $0 == " " || $0 == "\n" }).map { $0.split(separator: ":") }
        return Dictionary(uniqueKeysWithValues: pairs.map { (String($0[0]), String($0[1])) })
    }
}
