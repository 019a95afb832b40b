import Foundation
import Testing
import TillCore
import TillReference
import TillTestSupport

@testable import TillPricing

@Suite("Time zones")
struct TimeZoneRulesTests {
    private static let folder = "/usr/share/zoneinfo"

    static func rules(_ name: String) throws -> TimeZoneRules {
        try TimeZoneRules(name: name, tzif: Array(Data(contentsOf: URL(filePath: "\(folder)/\(name)"))))
    }

    /// The last second before each change of 2011, 2026 and 2060, the first after it, a day of 1975 and one of 2199,
    /// with the offset that Python's zoneinfo gives.
    static let offsets: [(String, [(Int64, Int)])] = [
        (
            "America/Los_Angeles",
            [
                (170_812_800, -25200), (1_300_010_399, -28800), (1_300_010_400, -25200), (1_320_569_999, -25200),
                (1_320_570_000, -28800), (1_772_963_999, -28800), (1_772_964_000, -25200), (1_793_523_599, -25200),
                (1_793_523_600, -28800), (2_846_483_999, -28800), (2_846_484_000, -25200), (2_867_043_599, -25200),
                (2_867_043_600, -28800), (7_242_220_800, -25200),
            ]
        ),
        (
            "Europe/Berlin",
            [
                (170_812_800, 3600), (1_301_187_599, 3600), (1_301_187_600, 7200), (1_319_936_399, 7200),
                (1_319_936_400, 3600),
                (1_774_745_999, 3600), (1_774_746_000, 7200), (1_792_889_999, 7200), (1_792_890_000, 3600),
                (2_847_661_199, 3600),
                (2_847_661_200, 7200), (2_866_409_999, 7200), (2_866_410_000, 3600), (7_242_220_800, 7200),
            ]
        ),
        (
            "Asia/Kolkata",
            [
                (170_812_800, 19800), (7_242_220_800, 19800),
            ]
        ),
        (
            "Australia/Lord_Howe",
            [
                (170_812_800, 36000), (1_301_756_399, 39600), (1_301_756_400, 37800), (1_317_482_999, 37800),
                (1_317_483_000, 39600), (1_775_314_799, 39600), (1_775_314_800, 37800), (1_791_041_399, 37800),
                (1_791_041_400, 39600), (2_848_229_999, 39600), (2_848_230_000, 37800), (2_863_956_599, 37800),
                (2_863_956_600, 39600), (7_242_220_800, 37800),
            ]
        ),
        (
            "America/Sao_Paulo",
            [
                (170_812_800, -10800), (1_298_167_199, -7200), (1_298_167_200, -10800), (1_318_733_999, -10800),
                (1_318_734_000, -7200), (7_242_220_800, -10800),
            ]
        ),
        (
            "Africa/Cairo",
            [
                (170_812_800, 10800), (1_776_981_599, 7200), (1_776_981_600, 10800), (1_793_307_599, 10800),
                (1_793_307_600, 7200), (2_850_501_599, 7200), (2_850_501_600, 10800), (2_866_222_799, 10800),
                (2_866_222_800, 7200), (7_242_220_800, 10800),
            ]
        ),
        (
            "Asia/Kathmandu",
            [
                (170_812_800, 19800), (7_242_220_800, 20700),
            ]
        ),
        (
            "Europe/Dublin",
            [
                (170_812_800, 3600), (1_301_187_599, 0), (1_301_187_600, 3600), (1_319_936_399, 3600),
                (1_319_936_400, 0),
                (1_774_745_999, 0), (1_774_746_000, 3600), (1_792_889_999, 3600), (1_792_890_000, 0),
                (2_847_661_199, 0),
                (2_847_661_200, 3600), (2_866_409_999, 3600), (2_866_410_000, 0), (7_242_220_800, 3600),
            ]
        ),
        (
            "America/St_Johns",
            [
                (170_812_800, -9000), (1_299_987_059, -12600), (1_299_987_060, -9000), (1_320_553_799, -9000),
                (1_320_553_800, -12600), (1_772_947_799, -12600), (1_772_947_800, -9000), (1_793_507_399, -9000),
                (1_793_507_400, -12600), (2_846_467_799, -12600), (2_846_467_800, -9000), (2_867_027_399, -9000),
                (2_867_027_400, -12600), (7_242_220_800, -9000),
            ]
        ),
        (
            "Pacific/Apia",
            [
                (170_812_800, -39600), (1_301_752_799, -36000), (1_301_752_800, -39600), (1_316_872_799, -39600),
                (1_316_872_800, -36000), (1_325_239_199, -36000), (1_325_239_200, 50400), (7_242_220_800, 46800),
            ]
        ),
        (
            "Africa/Casablanca",
            [
                (170_812_800, 0), (1_301_788_799, 0), (1_301_788_800, 3600), (1_312_066_799, 3600), (1_312_066_800, 0),
                (1_771_120_799, 3600), (1_771_120_800, 0), (1_774_144_799, 0), (1_774_144_800, 3600),
                (2_842_826_399, 3600),
                (2_842_826_400, 0), (2_845_850_399, 0), (2_845_850_400, 3600), (7_242_220_800, 3600),
            ]
        ),
        (
            "Asia/Tokyo",
            [
                (170_812_800, 32400), (7_242_220_800, 32400),
            ]
        ),
        (
            "Pacific/Chatham",
            [
                (170_812_800, 45900), (1_301_752_799, 49500), (1_301_752_800, 45900), (1_316_872_799, 45900),
                (1_316_872_800, 49500), (1_775_311_199, 49500), (1_775_311_200, 45900), (1_790_431_199, 45900),
                (1_790_431_200, 49500), (2_848_226_399, 49500), (2_848_226_400, 45900), (2_863_346_399, 45900),
                (2_863_346_400, 49500), (7_242_220_800, 45900),
            ]
        ),
        (
            "Asia/Gaza",
            [
                (170_812_800, 10800), (1_301_608_859, 7200), (1_301_608_860, 10800), (1_312_145_999, 10800),
                (1_312_146_000, 7200), (1_774_655_999, 7200), (1_774_656_000, 10800), (1_792_796_399, 10800),
                (1_792_796_400, 7200), (2_847_571_199, 7200), (2_847_571_200, 10800), (2_866_316_399, 10800),
                (2_866_316_400, 7200), (7_242_220_800, 10800),
            ]
        ),
        (
            "America/Santiago",
            [
                (170_812_800, -14400), (1_304_823_599, -10800), (1_304_823_600, -14400), (1_313_899_199, -14400),
                (1_313_899_200, -10800), (1_775_357_999, -10800), (1_775_358_000, -14400), (1_788_667_199, -14400),
                (1_788_667_200, -10800), (2_848_273_199, -10800), (2_848_273_200, -14400), (2_861_582_399, -14400),
                (2_861_582_400, -10800), (7_242_220_800, -14400),
            ]
        ),
        (
            "Antarctica/Troll",
            [
                (170_812_800, 0), (1_301_187_599, 0), (1_301_187_600, 7200), (1_319_936_399, 7200), (1_319_936_400, 0),
                (1_774_745_999, 0), (1_774_746_000, 7200), (1_792_889_999, 7200), (1_792_890_000, 0),
                (2_847_661_199, 0),
                (2_847_661_200, 7200), (2_866_409_999, 7200), (2_866_410_000, 0), (7_242_220_800, 7200),
            ]
        ),
    ]

    @Test(
        "Offsets are those of the database, on both sides of every change",
        .needsTimeZones,
        arguments: offsets
    )
    func tellsOffset(_ name: String, _ facts: [(Int64, Int)]) throws {
        let rules = try Self.rules(name)
        for (second, offset) in facts {
            #expect(rules.offset(at: second) == offset, "\(name) at \(Timestamp(milliseconds: second * 1000))")
        }
    }

    static let starts = [
        ("America/Los_Angeles", "2026-03-08", "2026-03-08T08:00:00Z"),
        ("America/Los_Angeles", "2026-03-09", "2026-03-09T07:00:00Z"),
        ("Europe/Berlin", "2026-10-25", "2026-10-24T22:00:00Z"),
        ("Europe/Berlin", "2026-10-26", "2026-10-25T23:00:00Z"),
        ("Asia/Kolkata", "2026-01-01", "2025-12-31T18:30:00Z"),
        // Clocks went from 00:00 to 01:00.
        ("America/Sao_Paulo", "2018-11-04", "2018-11-04T03:00:00Z"),
        ("Africa/Cairo", "2026-04-24", "2026-04-23T22:00:00Z"),
        // Samoa left out 30 December 2011 and began the 31st at once.
        ("Pacific/Apia", "2011-12-30", "2011-12-30T10:00:00Z"),
        ("Pacific/Apia", "2011-12-31", "2011-12-30T10:00:00Z"),
    ]

    @Test("A day begins at midnight, or where the clocks go on after it", .needsTimeZones, arguments: starts)
    func beginsDay(_ name: String, _ day: String, _ expected: String) throws {
        let number = Int(Timestamp(day).milliseconds / Timestamp.millisecondsPerDay)
        #expect(try Self.rules(name).startOfDay(number) == Timestamp(expected))
    }

    /// A file of version 2: no transitions, one offset of an hour, and a rule.
    private static func file(rule: String = "<+01>-1", version: UInt8 = 0x32) -> [UInt8] {
        func header(_ types: UInt8, _ chars: UInt8) -> [UInt8] {
            Array("TZif".utf8) + [version] + Array(repeating: 0, count: 15)
                + [UInt8](repeating: 0, count: 16) + [0, 0, 0, types, 0, 0, 0, chars]
        }
        let data: [UInt8] = [0, 0, 0x0E, 0x10, 0, 0] + Array("+01\0".utf8)
        return header(1, 4) + data + header(1, 4) + data + Array("\n\(rule)\n".utf8)
    }

    @Test("A small file is read")
    func readsFile() throws {
        #expect(try TimeZoneRules(name: "a", tzif: Self.file()).offset(at: 0) == 3600)
        let rules = try TimeZoneRules(name: "a", tzif: Self.file(rule: "CET-1CEST,M3.5.0,M10.5.0/3"))
        #expect(rules.offset(at: 1_774_745_999) == 3600)
        #expect(rules.offset(at: 1_774_746_000) == 7200)
    }

    static let rules: [(String, Bool)] = [
        ("UTC0", true), ("EST5EDT,M3.2.0,M11.1.0", true), ("<-03>3", true), ("IST-1GMT0,M10.5.0,M3.5.0/1", true),
        ("A,1", false), ("EST", false), ("EST5EDT", false), ("EST5EDT,M13.1.0,M1.1.0", false),
        ("EST5EDT,M3.2.0", false), ("EST99", false), ("EST5EDT,J60,J300/2", true), ("EST5EDT,0,365", true),
        ("EST5EDT,M3.2.0,M11.1.0,", false), ("<+01-1", false), ("EST5EDT,M3.2.0/-168,M11.1.0", false), ("", true),
    ]

    @Test("Rules are those of POSIX and RFC 8536, or an error", arguments: rules)
    func readsRule(_ rule: String, _ isSound: Bool) {
        #expect(((try? TimeZoneRules(name: "a", tzif: Self.file(rule: rule))) != nil) == isSound)
    }

    @Test("A file cut anywhere is an error, as is one whose counts are too large")
    func refusesBroken() throws {
        let file = Self.file()
        for count in 0..<file.count {
            #expect(throws: Finding.self) { try TimeZoneRules(name: "a", tzif: Array(file[..<count])) }
        }
        for index in 20..<44 {
            var broken = file
            broken[index] = 0xFF
            #expect(throws: Finding.self) { try TimeZoneRules(name: "a", tzif: broken) }
        }
    }

    @Test("Names that lead out of the database are none")
    func judgesNames() {
        for name in ["Europe/Berlin", "Etc/GMT+5", "America/Argentina/Buenos_Aires", "EST5EDT"] {
            #expect(TimeZoneRules.isName(name))
        }
        for name in ["", "/etc/passwd", "..", "../x", "Europe/../x", "Europe//Berlin", "Europe/", ".", "a b", "a\0"] {
            #expect(!TimeZoneRules.isName(name))
        }
    }
}
