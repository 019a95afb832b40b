import TillCore
import TillLedger
import TillPricing
import TillReportModel

extension RevenueReport {
    /// Whether formats for people have tables of months, products and currencies. With `--by`, they have the rows by
    /// these keys instead.
    private var hasOverview: Bool { rules.hasDefaultKeys }

    func findings(
        of rows: Cube,
        _ restatement: Restatement?,
        _ ledger: borrowing SettledLedger
    ) throws(Finding) -> Findings {
        let totals = try book.totals(ledger)
        let conversion = totals.conversion
        var time = CoveredTime()
        if let index = keys.timeIndex {
            for row in rows.groups { time.include(rows.cell(of: row, at: index)) }
        }
        let lateRefunds = lateRefunds.section(ledger, &time)
        let comparison = rules.comparison.map {
            RevenueComparison($0, rows: rows, history: history, firstSale: firstSale, ledger, &time)
        }
        restatement?.include(in: &time)
        let trend = RevenueTrend(
            rows,
            totals,
            previous: earlier(trailing?.previous, ledger),
            yearBefore: earlier(trailing?.yearBefore, ledger)
        )
        let course = course(trend, ledger)
        let compared = hasOverview ? productComparison(of: rows, trend) : nil
        let unpriced = totals.byCurrency.total(RevenueField.unpriced)
        let convertedSections = conversion.map { $0.sections(of: rows) } ?? []
        var balance: DeferredBalance?
        if let deferral { balance = try DeferredBalance(of: deferral, rules, ledger) }
        return Findings(
            RevenueSummary(
                trend: trend,
                balance: balance,
                span: bookings.span,
                nothing: .nothing("No sales and no refunds", rules, data: covered),
                course: course?.values ?? [],
                exceptions: exceptions(trend),
                places: [
                    .unpriced: gaps.products(ledger), .unconverted: conversion?.places,
                    .untaxed: gaps.territories(ledger),
                ]
                .compactMapValues(\.self),
                rules: rules
            )
            .summary(),
            sections: try overview(compared?.section, course, of: rows, trend, ledger)
                + main(rows, totals.byCurrency)
                + convertedSections + [lateRefunds]
                + (comparison?.sections ?? []).map { compared == nil ? $0 : $0.asDetail }
                + (restatement?.sections ?? []),
            notes: notes(unpriced: unpriced) + (conversion?.notes ?? []) + partNotes
                + (comparison?.notes ?? []) + (restatement?.notes ?? []),
            time: time,
            furtherFlags: furtherFlags(trend),
            closing: RevenueClose(
                rows: rows,
                trend: trend,
                rules: rules,
                sections: [lateRefunds] + convertedSections,
                restatement: restatement?.sections ?? []
            )
            .schedules
        )
    }

    private func exceptions(_ trend: RevenueTrend) -> ReportException.Counts {
        [
            .unpriced: gaps.unpricedUnits,
            .unconverted: Int(clamping: trend.totals.unconverted),
            .untaxed: gaps.untaxedBookings,
        ]
    }

    /// A comparison, if there is none, and the transactions behind the largest figure of the last month.
    private func furtherFlags(_ trend: RevenueTrend) -> [String] {
        guard hasOverview, rules.calendar.kind.period == .month, let newest = bookings.span?.upperBound else {
            return []
        }
        let compare = rules.comparison == nil ? ["--compare month"] : []
        let largest = trend.products.flatMap { products in
            products.groups.first { products.currency(of: $0) == trend.currencies.first }
                .flatMap { products.name(of: $0, at: 0) }
        }
        guard let largest, !largest.contains(",") else { return compare }
        let month = rules.calendar.name(of: rules.calendar.code(of: newest, by: .month), by: .month)
        return compare + ["--explain " + ShellWord.word("month=\(month),product_id=\(largest)")]
    }

    /// All rows and their totals.
    private func main(_ rows: Cube, _ totals: Cube) -> [Section] {
        let charts = RevenueCharts(unfinished: keys.timeIndex.flatMap { keys[$0].unit }.flatMap(unfinished))
        let isChartHere = !hasOverview
        return [
            RevenueMeasure.programView(of: rows, rules).section(
                "revenue",
                "By " + keys.titleList,
                role: hasOverview ? .detail : .figures,
                charts: isChartHere ? charts.charts(of: rows) : []
            )
            .called("All rows").totalled(),
            // The table of currencies has the main figures, if there is one.
            RevenueMeasure.programView(of: totals, rules).section(
                "totals",
                "Totals",
                role: hasOverview && totals.sides.count > 1 ? .detail : .figures
            )
            .totalled(),
        ]
    }

    /// From the first sale of the input to its newest transaction.
    private var covered: ClosedRange<Timestamp>? {
        guard let firstSale, let newest, firstSale <= newest else { return nil }
        return firstSale...newest
    }

    private func overview(
        _ comparison: Section?,
        _ course: RevenueCourse?,
        of rows: Cube,
        _ trend: RevenueTrend,
        _ ledger: borrowing SettledLedger
    ) throws(Finding) -> [Section] {
        guard hasOverview else { return [] }
        let countries = try countries?.rows(ledger)
        let unfinished = unfinished(unit: rules.calendar.kind.period)
        let charts = RevenueCharts(order: trend.currencies, unfinished: unfinished)
        let sections = RevenueOverview(trend: trend, rules: rules).sections(
            comparison,
            months: keys.timeIndex.flatMap { index in
                rows.shown(by: keys[index]) { rows.currency(of: $0) != nil }
            },
            countries: countries?.shown(by: .storefront) { countries?.currency(of: $0) != nil },
            unfinished: unfinished,
            charts: charts.charts(of: rows)
        )
        return [course?.section].compactMap(\.self) + sections
    }

    /// The name of the month, week or day that is not complete; `nil` if the newest one is.
    private func unfinished(unit: CalendarUnit) -> String? {
        unfinishedCode(unit).map { rules.calendar.name(of: $0, by: unit) }
    }

    private func unfinishedCode(_ unit: CalendarUnit) -> Int64? {
        guard let asOf = rules.asOf else { return nil }
        let code = rules.calendar.code(ofDay: asOf, by: unit)
        return rules.isComplete(through: rules.calendar.lastDay(of: code, by: unit)) == false ? code : nil
    }

    // MARK: Earlier periods

    /// The net of the period and of those before it, for a chart; `nil` if the period is no single day, week or month.
    private func course(_ trend: RevenueTrend, _ ledger: borrowing SettledLedger) -> RevenueCourse? {
        guard hasOverview, let course = trailing?.course else { return nil }
        var nets: [RevenueCourse.Net] = []
        for earlier in course.periods.dropLast() {
            guard let firstSale, let until = earlier.until, firstSale < until else {
                nets.append(.beforeRecords)
                continue
            }
            guard isReached(earlier) else {
                nets.append(.afterRecords)
                continue
            }
            // With --fx-gap fail, an earlier period that lacks a rate is not known; it does not end the run.
            let totals = try? book(of: earlier)?.totals(ledger)
            nets.append(.shown(totals?.known))
        }
        nets.append(course.periods.last.map(isReached) == false ? .afterRecords : .shown(trend.shown))
        return RevenueCourse(course: course, nets: nets, trend: trend, unfinished: unfinished(unit: course.unit))
    }

    /// Whether the data reach to the first day of a period, or it is not known to which day they reach.
    private func isReached(_ period: Period) -> Bool {
        guard let asOf = rules.asOf, let from = period.from else { return true }
        return rules.calendar.day(of: from) <= asOf
    }

    private func earlier(_ period: Period?, _ ledger: borrowing SettledLedger) -> RevenueTrend.Earlier? {
        guard let period, let book = book(of: period), reaches(period.from), let rows = try? book.rows(ledger),
            let totals = try? book.totals(ledger)
        else { return nil }
        return RevenueTrend.Earlier(name: PeriodWords.name(of: period, in: rules.calendar), rows, totals)
    }

    /// Whether the input reaches back to a period: its first sale is not later than the period's first day.
    private func reaches(_ from: Timestamp?) -> Bool {
        guard let firstSale, let from else { return false }
        return rules.calendar.day(of: firstSale) <= rules.calendar.day(of: from)
    }

    /// The products of the period against those of an earlier one; without a period, of the last month.
    private func productComparison(of rows: Cube, _ trend: RevenueTrend) -> ProductComparison? {
        guard let months = rules.comparison?.months else { return nil }
        if let period = rules.period, let trailing, trailing.previous != nil {
            let (before, earlier) =
                months == 1 ? (trailing.previous, trend.previous) : (trailing.yearBefore, trend.yearBefore)
            func name(_ period: Period?) -> String {
                period.map { PeriodWords.name(of: $0, in: rules.calendar) } ?? "before"
            }
            return ProductComparison(
                (name(period), trend.products),
                against: (name(before), earlier?.products),
                currencies: trend.currencies
            )
        }
        return lastMonthComparison(of: rows, months: months, trend)
    }

    private func lastMonthComparison(
        of rows: Cube,
        months: Int64,
        _ trend: RevenueTrend
    ) -> ProductComparison? {
        // An open month has fewer days than the month before.
        let open = unfinishedCode(.month)
        guard let index = keys.firstIndex(of: .month),
            let last = rows.knownCodes(at: index).filter({ $0 != open }).max()
        else { return nil }
        let earlier = last - months
        /// Whether each booking of a month has a price and, with a base currency, a rate.
        func isWhole(_ month: Int64) -> Bool {
            rows.groups.allSatisfy { group in
                let values = rows[group, rows.sides.count - 1]
                return rows.code(of: group, at: index) != month
                    || rows.currency(of: group) != nil && values[RevenueField.unconverted.rawValue] == 0
            }
        }
        guard isWhole(last) else { return nil }
        let isKnown = isWhole(earlier) && reaches(rules.calendar.start(of: earlier, by: .month))
        func side(_ month: Int64) -> ProductComparison.Side {
            let products = rows.products { rows.code(of: $0, at: index) == month }
            return (PeriodWords.monthName(of: month, in: rules.calendar), products)
        }
        var before = side(earlier)
        if !isKnown { before.products = nil }
        return ProductComparison(side(last), against: before, currencies: trend.currencies)
    }

    // MARK: Notes

    /// About tax, commission and proceeds.
    private var partNotes: [String] {
        guard rules.knowsFees else { return [] }
        var notes = [
            "Tax, commission and proceeds are estimates. The tax is from the price list or --tax, the commission from the price "
                + "list or --commission; Apple's financial report has the amounts that Apple pays. Tax and proceeds are "
                + "rounded once for each unit of a sale. If the tax of one sale is not known, no row and no total with this "
                + "sale has a tax or proceeds."
        ]
        if rules.secondYearRate != nil {
            notes.append(
                "The second year of a subscription is an estimate too: it begins after \(PaidService.firstYear) days "
                    + "of paid service in one group, as far as the input shows them, and a lapse of more than "
                    + "\(PaidService.longestLapse) days begins the count anew."
            )
        }
        return notes
    }

    private func notes(unpriced: Int128) -> [String] {
        let part = rules.calendar.kind.period.rawValue
        let dating =
            switch rules.refundDating {
            case .refund: "Refunds are booked in the \(part) in which they were made; closed \(part)s stay closed."
            case .purchase: "Refunds are booked in the \(part) of their purchase; past \(part)s can change."
            }
        var notes = [dating]
        if ahead > 0, let asOf = rules.asOf {
            notes.append(
                "Bookings after \(PeriodWords.name(ofDay: asOf)), to which the data are known: \(ahead). They are in no figure "
                    + "of this period yet."
            )
        }
        if undated > 0 {
            notes.append("Sales without a date: \(undated). They are in no period and not in this report.")
        }
        if unpriced > 0 {
            notes.append(
                "Units without a known price: \(unpriced). They are in no amount; a price list (--prices) gives them one."
            )
        }
        return notes
    }
}

extension Section {
    /// The section with its rows folded for people.
    fileprivate var asDetail: Section {
        var section = self
        section.role = .detail
        return section
    }
}
