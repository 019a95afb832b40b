import Testing
import TillCore

@Suite("Dates")
struct TimestampTests {
    static let readable: [(String, Int64)] = [
        ("1970-01-01T00:00:00Z", 0),
        ("2020-07-14T19:36:40Z", 1_594_755_400_000),
        ("2020-07-14 19:36:40 Etc/GMT", 1_594_755_400_000),
        ("2020-07-14T19:36:40.1259Z", 1_594_755_400_125),
        ("2020-07-22T18:33:15+0100", 1_595_439_195_000),
        ("2020-07-22T18:33:15-01:00", 1_595_446_395_000),
        ("2020-07-22 17:33:15 +0000", 1_595_439_195_000),
        ("2020-07-22 18:33:15.25 +01:00", 1_595_439_195_250),
        ("2020-07-22 19:33:15 GMT+2", 1_595_439_195_000),
        ("2020-07-22 23:03:15.5 GMT+5:30", 1_595_439_195_500),
        ("2020-07-22 10:33:15 UTC-0700", 1_595_439_195_000),
        ("2020-07-22 10:33:15 UTC-07:00", 1_595_439_195_000),
        ("2020-07-22 19:33:15+02", 1_595_439_195_000),
        ("0001-01-01T00:00:00Z", -62_135_596_800_000),
        ("4001-01-01T00:00:00Z", 64_092_211_200_000),
        ("2024-02-29T23:59:60Z", 1_709_251_200_000),
        // Arabic with a mark of direction, Persian, Devanagari, Burmese and full-width digits.
        ("\u{200F}٢٠٢٠-٠٧-١٤T٢٢:٣٦:٤٠+٠٣:٠٠", 1_594_755_400_000), ("۲۰۲۰-۰۷-۱۴T19:36:40Z", 1_594_755_400_000),
        ("२०२०-०७-१४ १९:३६:४०.१२५ Etc/GMT", 1_594_755_400_125), ("၂၀၂၀-၀၇-၁၄T၁၉:၃၆:၄၀Z", 1_594_755_400_000),
        ("２０２０-０７-１４T１９:３６:４０Z", 1_594_755_400_000),
    ]

    @Test("Apple's forms and RFC 3339 are read to the millisecond", arguments: readable)
    func reads(_ text: String, _ milliseconds: Int64) {
        #expect(Timestamp.parse(Array(text.utf8).span.bytes)?.milliseconds == milliseconds)
    }

    @Test(
        "Anything else is not a date",
        arguments: [
            "", "2020", "2020-07-14", "2020-13-14T19:36:40Z", "2023-02-29T00:00:00Z", "2020-07-14T24:00:00Z",
            "2020-07-14 12:36:40 America/Los_Angeles", "2020-07-14T19:36:40", "2020-07-14T19:36:40.Z",
            "2020-07-14T19:36:40Z ", "2020-07-14T19:36:40+1", "2020-07-14 19:36:40 0000", "2020-07-14 19:36:40 Z",
            "2020-07-14 19:36:40 +02", "2020-07-14 19:36:40 GMT+", "2020-07-14 19:36:40 GMT+2:3",
            "2020-07-14 19:36:40 GMT2", "2020-07-14 19:36:40 GMT+24", "2020-07-14 19:36:40 Etc/GMT+2",
            "2020-07-14 19:36:40 GMT+020", "2020-07-14 19:36:40  +0000", "x020-07-14T19:36:40Z",
            "²020-07-14T19:36:40Z", "Ⅱ020-07-14T19:36:40Z", "٢٠٢٠-٠٧-١٤",
        ]
    )
    func refuses(_ text: String) {
        #expect(Timestamp.parse(Array(text.utf8).span.bytes) == nil)
    }

    @Test("A day survives the way to a day number and back over five centuries")
    func roundTrip() {
        for days in stride(from: -80_000, through: 140_000, by: 1) {
            #expect(CivilDate(daysSinceEpoch: days).daysSinceEpoch == days)
        }
    }

    @Test("A date that is read is the calendar's, and no day is read that a month does not have")
    func readsTheCalendar() {
        func padded(_ value: Int, _ width: Int) -> String {
            String(repeating: "0", count: width - String(value).count) + String(value)
        }
        let years = Array(1895...2105) + stride(from: 0, through: 9900, by: 100).flatMap { [$0, $0 + 1, $0 + 99] }
        for year in years {
            for month in 0...13 {
                for day in [0, 1, 28, 29, 30, 31, 32] {
                    let text = "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))T01:02:03Z"
                    let date = CivilDate(year: year, month: month, day: day)
                    let seconds = date.isValid ? date.daysSinceEpoch * 86_400 + 3723 : nil
                    let read = Timestamp.parse(Array(text.utf8).span.bytes)?.milliseconds
                    if read != seconds.map({ Int64($0) * 1000 }) { Issue.record("\(text)") }
                }
            }
        }
    }

    @Test("Instants are written in RFC 3339")
    func writes() {
        let instant = Timestamp(milliseconds: 1_594_755_400_007)
        #expect(instant.description == "2020-07-14T19:36:40.007Z")
        #expect(instant.startOfHour.description == "2020-07-14T19:00:00Z")
        #expect(instant.startOfHour.text(alwaysWithMilliseconds: true) == "2020-07-14T19:00:00.000Z")
        #expect(Timestamp(milliseconds: -1).description == "1969-12-31T23:59:59.999Z")
    }
}
