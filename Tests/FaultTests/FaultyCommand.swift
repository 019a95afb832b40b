/// A command that is run with failing calls, and what it reads and replaces.
struct FaultyCommand: Sendable, CustomStringConvertible {
    let name: String
    /// As typed; `OUT` is a folder of its own.
    let words: String
    /// Commands that fill the folder before.
    var before: [String] = []
    /// A file that standard input is, in the folder or in the project.
    var input: String?
    /// Functions that the file system does not have.
    var without: Set<String> = []
    /// Runs with failing calls in the suite.
    var mostRuns = 5

    var description: String { name }

    private static let verify = "Samples/verify --prices Samples/prices.csv"

    static let all: [FaultyCommand] =
        converting + reporting + joining + [
            FaultyCommand(name: "inspect", words: "inspect Samples/legacy/receipt.plist -o OUT/receipt.json"),
            FaultyCommand(name: "inspect-stdout", words: "inspect Samples/pkcs7 -t json"),
            FaultyCommand(name: "schema", words: "schema"),
            FaultyCommand(name: "codes", words: "codes 21007 -t json"),
            FaultyCommand(
                name: "verify",
                words: "verify Samples/jws --anchor Samples/test-roots.pem --report-only -o OUT/verdicts.ndjson"
            ),
            FaultyCommand(name: "help", words: "report --help"),
            FaultyCommand(
                name: "reconcile",
                words: "reconcile --apple Samples/apple/sales \(verify) --month 2026-03 -o OUT/reconciled.json"
            ),
            FaultyCommand(name: "prices", words: "prices check Samples/prices.csv"),
        ]

    private static let converting = [
        FaultyCommand(name: "convert-new", words: "convert Samples/verify -o OUT/new/rows/"),
        FaultyCommand(
            name: "convert-replace",
            words: "convert Samples/verify -o OUT/rows/ --replace --partition-by purchase_month --manifest OUT/m.json",
            before: ["convert Samples/events -o OUT/rows/"]
        ),
        FaultyCommand(
            name: "convert-append",
            words: "convert Samples/verify -o OUT/rows/ --append",
            before: ["convert Samples/events -o OUT/rows/ --append"]
        ),
        FaultyCommand(
            name: "convert-file",
            words: "convert Samples/broken Samples/verify -o OUT/rows.ndjson --rejects OUT/rejects.ndjson --jobs 1",
            before: ["convert Samples/legacy -o OUT/rows.ndjson"]
        ),
        FaultyCommand(name: "convert-stdout", words: "convert Samples/verify --jobs 1"),
        FaultyCommand(name: "convert-parquet", words: "convert Samples/jws --table transactions -o OUT/t.parquet"),
        FaultyCommand(name: "convert-csv", words: "convert Samples/jws --table transactions -o OUT/t.csv"),
        FaultyCommand(
            name: "convert-range",
            words: "convert Samples/events/events.ndjson --range 1000-90000 --part -o OUT/part.ndjson"
        ),
    ]

    private static let reporting: [FaultyCommand] =
        ["txt", "md", "html", "xlsx", "csv", "json", "ndjson"].map { ending in
            FaultyCommand(
                name: "report-\(ending)",
                words: "report revenue \(verify) -o OUT/report.\(ending) --manifest OUT/m.json",
                before: ["report revenue Samples/legacy -o OUT/report.\(ending)"]
            )
        }
        + ["table", "json", "xlsx"].map { format in
            FaultyCommand(name: "report-stdout-\(format)", words: "report all \(verify) -t \(format)")
        } + [
            FaultyCommand(
                name: "report-named-files",
                words: "report revenue \(verify) -o OUT/report.json --rejects OUT/rejects.ndjson",
                before: ["report revenue Samples/legacy -o OUT/report.json"],
                without: ["openUnnamed"]
            ),
            FaultyCommand(
                name: "report-flags",
                words:
                    "report revenue Samples/jws --prices Samples/prices.csv --fx Samples/finance/rates.csv --base-currency EUR --tz Europe/Berlin "
                    + "--trust require --anchor Samples/test-roots.pem -o OUT/report.json"
            ),
            FaultyCommand(
                name: "report-rows",
                words: "report revenue OUT/rows --prices Samples/prices.csv -t json",
                before: ["convert Samples/verify -o OUT/rows"]
            ),
            FaultyCommand(
                name: "report-rows-stdin",
                words: "report revenue - --prices Samples/prices.csv -t json",
                before: ["convert Samples/verify --table transactions -o OUT/t.parquet"],
                input: "OUT/t.parquet"
            ),
            FaultyCommand(
                name: "report-watch",
                words: "report failures - --watch -t json",
                input: "Samples/events/events.ndjson"
            ),
            FaultyCommand(
                name: "report-since",
                words: "report failures Samples/events --since 7d -t json"
            ),
            FaultyCommand(
                name: "report-memory",
                words: "report all OUT/many.ndjson --memory 1M -o OUT/report.json",
                mostRuns: 2
            ),
        ]

    private static let joining = [
        FaultyCommand(
            name: "partial",
            words: "report all Samples/verify --partial -o OUT/one.tillpart",
            before: ["report all Samples/events --partial -o OUT/one.tillpart"]
        ),
        FaultyCommand(
            name: "partial-closed",
            words: "report revenue Samples/verify --partial --closed -o OUT/one.tillpart"
        ),
        FaultyCommand(
            name: "merge",
            words: "merge OUT/parts --prices Samples/prices.csv -o OUT/report.json",
            before: [
                "report all Samples/verify --partial -o OUT/parts/1.tillpart",
                "report all Samples/events --partial -o OUT/parts/2.tillpart",
            ]
        ),
        FaultyCommand(
            name: "merge-divide",
            words: "merge OUT/parts --partial --divide transactions:3 -o OUT/shares",
            before: ["report all Samples/verify --partial -o OUT/parts/1.tillpart"]
        ),
        FaultyCommand(
            name: "merge-stdout",
            words: "merge OUT/1.tillpart OUT/2.tillpart -t csv",
            before: [
                "report revenue Samples/verify --partial -o OUT/1.tillpart",
                "report revenue Samples/legacy --partial -o OUT/2.tillpart",
            ]
        ),
    ]
}
