import TillCore
import TillReportModel

/// Reports made by hand, small enough to check by eye.
enum SampleDocuments {
    static let empty = ReportDocument(name: "empty", title: "Nothing", sections: [])

    /// A report of reports with every kind of cell and content, and with text that means harm.
    static let all = ReportDocument(
        name: "all",
        title: "All reports",
        sections: [input, settings(refundsBy: "refund")],
        notes: ["Rows of untrusted documents are not booked."],
        children: [revenue, failures]
    )

    static let hostile = "=1+1\u{1B}[2J\u{202E}\"\u{2028}"

    /// One record with one cell.
    static func single(_ cell: Cell) -> ReportDocument {
        let section = Section(
            name: "facts",
            title: "Facts",
            columns: [Column("fact", "Fact")],
            content: .record([cell])
        )
        return ReportDocument(name: "single", title: "Single", sections: [section])
    }

    static func money(_ millionths: Int128, _ currency: String) -> Cell {
        CurrencyCode(currency).map { .money(Money(millionths: millionths, currency: $0)) } ?? .absent
    }

    private static let input = Section(
        name: "input",
        title: "Input",
        columns: [Column("documents", "Documents"), Column("accepted", "Accepted"), Column("rejected", "Rejected")],
        content: .record([.count(1_234_567), .count(1_234_560), .count(7)]),
        role: .input
    )

    private static func settings(refundsBy: String) -> Section {
        Section(
            name: "settings",
            title: "Settings",
            columns: [
                Column("calendar", "Calendar"), Column("refunds_by", "Refunds by"),
                Column("environment", "Environment"),
                Column("since", "Since"),
            ],
            content: .record([.text("gregorian"), .text(refundsBy), .list(["production", "unknown"]), .absent]),
            role: .settings
        )
    }

    private static let revenue = ReportDocument(
        name: "revenue",
        title: "Revenue",
        sections: [
            input,
            settings(refundsBy: "refund"),
            Section(
                name: "revenue",
                title: "By month and product",
                columns: [
                    Column("month", "Month"), Column("product_id", "Product"), Column("currency", "Currency"),
                    Column("units", "Units"), Column("gross", "Gross"), Column("refund_rate", "Refund rate"),
                ],
                content: .table([
                    [
                        .text("2026-03"), .text("com.example.app.subscription.yearly"), .text("USD"), .count(1_234),
                        money(1_234_567_890_000, "USD"), .ratio(1, of: 3),
                    ],
                    [
                        .text("2026-03"), .text("プレミアム, 月額"), .text("JPY"), .count(2), money(1_960_000_000, "JPY"),
                        .ratio(0, of: 2),
                    ],
                    [.text("2026-04"), .text(hostile), .absent, .count(5), .absent, .ratio(0, of: 0)],
                ])
            ),
            Section(
                name: "totals",
                title: "Totals",
                columns: [Column("currency", "Currency"), Column("gross", "Gross"), Column("net", "Net")],
                content: .table([
                    [.text("JPY"), money(1_960_000_000, "JPY"), money(1_960_000_000, "JPY")],
                    [.text("USD"), money(1_234_567_890_000, "USD"), money(-300_000, "USD")],
                ])
            ),
        ],
        notes: ["Five units have no known price; they are counted in units and are no part of an amount."]
    )

    private static let failures = ReportDocument(
        name: "failures",
        title: "Failures",
        sections: [
            input,
            settings(refundsBy: "purchase"),
            Section(
                name: "rates",
                title: "Rates",
                columns: [Column("attempts", "Attempts"), Column("failure_rate", "Failure rate")],
                content: .record([.count(12_000), .ratio(2, of: 3)])
            ),
            Section(
                name: "spikes",
                title: "Spikes",
                columns: [
                    Column("hour", "Hour"), Column("code", "Code"), Column("count", "Count"), Column("z", "z"),
                    Column("versions", "Versions"),
                ],
                content: .table([
                    [
                        .instant(Timestamp(milliseconds: 1_772_446_500_000)), .code(21003), .count(42_000),
                        .decimal(millionths: 4_125_000), .list(["1.2", "2.0"]),
                    ]
                ])
            ),
            Section(name: "series", title: "By hour", columns: [Column("hour", "Hour")], content: .table([])),
        ]
    )
}
