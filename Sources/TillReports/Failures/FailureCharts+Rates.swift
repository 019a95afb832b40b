import TillCore
import TillLedger
import TillPricing
import TillReportModel

extension FailureCharts {
    /// The kinds of attempts of which some failed, with attempts in two hours or more, and with something usual.
    private var drawnRates: [HourlyRates] {
        table.found.rates.filter { rates in
            let known = rates.hours.compactMap(\.rate)
            return known.count > 1 && known.contains { $0.failures > 0 } && rates.hours.contains { $0.usual != nil }
        }
    }

    /// Whether ``rates`` has any.
    var hasRates: Bool { !drawnRates.isEmpty }

    /// The failure rate of the last hours up to now, with what is usual: of the first kind of attempt that failed, as a
    /// rule purchases, and of each other kind with an incident in that time.
    var rates: [Chart] {
        drawnRates.enumerated().compactMap { place, rates in
            let chart = chart(of: rates)
            return place == 0 || !chart.marks.isEmpty ? chart : nil
        }
    }

    private func chart(of rates: HourlyRates) -> Chart {
        let hours = rates.hours
        func series(_ title: String, _ rate: (HourlyRates.Hour) -> Rate?) -> Chart.Series {
            Chart.Series(
                title: title,
                values: hours.map { hour in rate(hour).map { .ratio($0.failures, of: $0.attempts) } ?? .absent }
            )
        }
        var chart = Chart(
            title: "Failure rate of \(Self.words[rates.family] ?? rates.family), last \(hours.count) hours",
            kind: .lines,
            categoryTitle: categoryTitle(of: .hour),
            valueTitle: "Failed attempts, %",
            categories: hours.map { .instant(Timestamp(startOfHour: $0.hour)) },
            series: [
                series("Failure rate", \.rate), series("Lowest usual rate") { $0.usual?.lowest },
                series("Highest usual rate") { $0.usual?.highest },
            ],
            marks: marks(of: rates),
            notes: [Self.usualNote]
        )
        chart.band = "Usual rate"
        Self.limitMarks(of: &chart)
        return chart
    }

    private static let words = [
        "purchase": "purchases", "restore": "restores", "verify": "verifications on the device",
        "products": "product requests", "verifyReceipt": "verifyReceipt",
    ]

    private static let usualNote =
        "The usual rate is the lowest to the highest rate of the same hour on the \(HourlyRates.days) days before, "
        + "hours of incidents left out. It needs \(HourlyRates.fewestDays) of these days"

    /// The incidents of these hours, each at the hour of its beginning; at the first hour with a rate if it began before.
    private func marks(of rates: HourlyRates) -> [Chart.Mark] {
        guard let first = rates.hours.first?.hour else { return [] }
        return table.found.incidents.compactMap { incident -> Chart.Mark? in
            let isInTime = incident.state < .ended || incident.hours.upperBound >= first
            guard incident.family == rates.family, isInTime, let key = incident.codes.first?.key,
                let column = rates.hours.firstIndex(where: { $0.hour >= incident.since.hour && $0.rate != nil })
            else { return nil }
            return Chart.Mark(category: column, series: 0, text: text(of: incident, key))
        }
    }
}
