import TillCore
import TillInput
import TillPricing
import TillReference
import TillReports

@testable import TillPipeline

/// Files that finance and Apple hand in, and values of flags.
enum FinanceTargets {
    static let all = [
        FuzzTarget(name: "prices") { bytes in
            sameByLineEnds(bytes) { bytes in
                do throws(FileFindings) {
                    return "\(try PriceList(csv: bytes, name: "prices.csv").rowCount)"
                } catch {
                    require(!error.findings.isEmpty, "an error without a problem")
                    return "\(error.findings)"
                }
            }
        },
        FuzzTarget(name: "rates") { bytes in
            sameByLineEnds(bytes) { bytes in
                var rates = ExchangeRates()
                return outcome { () throws(FileFindings) in
                    try ExchangeRateFile.read(bytes, name: "rates", into: &rates)
                }
            }
        },
        FuzzTarget(name: "catalogue") { bytes in
            var catalogue = Catalogue()
            let first = outcome { () throws(FileFindings) in
                try CatalogueFile.read(bytes, name: "catalogue", into: &catalogue)
            }
            guard first.isEmpty else { return }
            // A file says nothing against itself.
            let again = outcome { () throws(FileFindings) in
                try CatalogueFile.read(bytes, name: "catalogue", into: &catalogue)
            }
            require(again.isEmpty, "a catalogue read twice: \(again)")
        },
        FuzzTarget(name: "commission") { bytes in
            sameByLineEnds(bytes) { bytes in
                outcome { () throws(FileFindings) in
                    _ = try RateScheduleFile.read(bytes, of: .commission, name: "commission")
                }
            }
        },
        FuzzTarget(name: "accounts") { bytes in
            sameByLineEnds(bytes) { bytes in
                outcome { () throws(FileFindings) in _ = try AccountFile.read(bytes, name: "accounts") }
            }
        },
        FuzzTarget(name: "apple", check: checkAppleReport),
        FuzzTarget(name: "timezone", isStructured: false) { bytes in
            guard let rules = try? TimeZoneRules(name: "zone", tzif: bytes) else { return }
            for second: Int64 in [.min / 1000, -2_208_988_800, 0, 1_772_446_500, 4_102_444_800, .max / 1000] {
                let offset = rules.offset(at: second)
                require(abs(offset) <= 7 * 86_400, "an offset of \(offset) seconds")
            }
            _ = rules.startOfDay(20_000)
        },
        FuzzTarget(name: "flags", seeds: flags.map { [UInt8]($0) }, check: checkFlags),
    ]

    private static func outcome(_ body: () throws(FileFindings) -> Void) -> String {
        do throws(FileFindings) {
            try body()
            return ""
        } catch {
            require(!error.findings.isEmpty, "an error without a problem")
            return "\(error.findings)"
        }
    }

    /// CR LF in place of LF changes nothing, unless a quoted cell holds the line end or CR is there already.
    private static func sameByLineEnds(_ bytes: [UInt8], _ read: ([UInt8]) -> String) {
        let answer = read(bytes)
        guard !bytes.contains(0x0D), !bytes.contains(0x22) else { return }
        let other = read(bytes.flatMap { $0 == 0x0A ? [0x0D, 0x0A] : [$0] })
        require(answer == other, "with LF: \(answer)\nwith CR LF: \(other)")
    }

    /// A report in pieces says what it says whole.
    private static func checkAppleReport(_ bytes: [UInt8]) {
        let whole = appleReport(bytes, step: bytes.count + 1)
        let step = 1 + Int(bytes.chosen % 97)
        let pieces = appleReport(bytes, step: step)
        require(whole == pieces, "\(step) bytes at a time: \(pieces)\nwhole: \(whole)")
    }

    private static func appleReport(_ bytes: [UInt8], step: Int) -> String {
        var reader = AppleReportReader(name: "report")
        do throws(FileFindings) {
            var (start, end) = (0, 0)
            repeat {
                end = min(bytes.count, end + step)
                let piece = Array(bytes[start..<end])
                start += try reader.read(piece.span.bytes, isLast: end == bytes.count)
            } while end < bytes.count
            switch try reader.finish() {
            case .sales(let report): return "\(report)"
            case .subscriptions(let report): return "\(report)"
            }
        } catch {
            require(!error.findings.isEmpty, "an error without a problem")
            return "\(error.findings)"
        }
    }

    private static let flags = [
        "month 2026-03", "fiscal FY26-Q2", "fiscal-month March 2026", "since 7d\nuntil 2026-03-31",
        "since 2026-03-02T10:15:00Z\ncalendar iso-week",
        "by month,product\ncompare year", "tz Europe/Berlin\nmonth 2026-03", "commission 0.30\nsecond-year-rate 0.15",
        "rounding half-up\nfx-max-gap 31",
        "alert opened@1h", "alert rate>90%@7d", "range 0-67108864", "size 2GiB", "explain net:month=2026-03",
        "tolerance 0.5%", "mrr-weekly 4.345",
    ]

    /// Lines of a flag and its value: what each takes is taken or refused with a reason.
    private static func checkFlags(_ bytes: [UInt8]) {
        guard let text = String(validating: bytes, as: UTF8.self) else { return }
        var given: [GivenOption] = []
        for line in text.split(separator: "\n").prefix(12) {
            let words = line.split(separator: " ", maxSplits: 1).map(String.init)
            guard let name = words.first else { continue }
            let value = words.count > 1 ? words[1] : ""
            switch name {
            case "alert": _ = try? Alert(value)
            case "range": _ = ByteRange(value)
            case "size": _ = ByteSize(value)
            case "explain":
                _ = try? Selection(value)
                _ = try? FailureSelection(value)
            case "tolerance": _ = ReconciliationTolerance(value)
            default:
                let option = GivenOption(name, value)
                // Files are what other targets read.
                guard let flag = Flag(rawValue: option.name), !option.namesFile else { continue }
                if let defect = flag.defect(of: value, for: .merge) {
                    require(!defect.isEmpty, "a refusal without a reason")
                }
                given.append(option)
            }
        }
        let settings = Settings(given)
        for report in ["revenue", "failures", "deferred", "subscriptions"] {
            do {
                _ = try settings.rules(for: report)
            } catch {
                require(!"\(error)".isEmpty, "a refusal without a reason")
            }
        }
    }
}
