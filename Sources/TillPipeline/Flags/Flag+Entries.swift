public import TillCore
import TillInput
import TillLedger
import TillParquet
import TillPricing
import TillReceipts
import TillRender
import TillReports
import TillStorage
import TillSubmit

extension Flag {
    /// The declaration of the flag.
    ///
    /// - Parameter command: the command whose help, values and usual value are meant, where commands differ.
    public func entry(for command: Command) -> FlagEntry {
        switch self {
        // MARK: Period
        case .period:
            .period(.text, valueName: "period") {
                "Only this month, quarter, half or year, such as 2026-03, 2026-Q1, 2026-H1, 2026, or 2026-01..2026-03; "
                    + "in --tz."
            }
        case .month:
            .period(.text, valueName: "month") {
                "The same as --period."
            }
        case .yearBegins:
            .period(.number(1...12), valueName: "month") {
                "The month with which years, halves and quarters of --period begin, such as 07 for July: FY2026 is then "
                    + "the year that ends in 2026 (default: 01)."
            }
        case .fiscal:
            .period(.text, valueName: "period") {
                "Only this month, quarter or year of Apple's fiscal calendar: FY26-06, FY26-Q2, FY26."
            }
        case .fiscalMonth:
            .period(.text, valueName: "name") {
                "Only this fiscal month, by the name that Apple's reports give it: 'March 2026'."
            }
        case .since:
            .period(.text, valueName: "time") {
                "From this day on, such as 2026-03-01, or from an RFC 3339 instant on; or the last hours, days or "
                    + "weeks of the data, such as 24h, 7d, 2w."
            }
        case .until:
            .period(.text, valueName: "time") {
                "To the end of this day, such as 2026-03-31, or to just before an RFC 3339 instant."
            }
        case .complete:
            FlagEntry([.report, .merge], .period, .text, valueName: "day", .settles) {
                "The input has everything to the end of this day, such as 2026-03-31. Without it, a period is complete once "
                    + "the data reach a later day; until then it is 'to date'."
            }
        case .calendar:
            FlagEntry([.report, .merge, .convert], .period, .choice(CalendarKind.self), .settles) {
                "The calendar of periods: gregorian, apple-fiscal (5-4-4 weeks), iso-week."
            }
        case .tz:
            FlagEntry(
                [.report, .merge, .convert, .reconcile, .pricesCheck],
                command == .pricesCheck ? .general : .period,
                .text,
                valueName: "zone",
                usual: command == .pricesCheck ? "UTC" : nil,
                .settles
            ) {
                command == .pricesCheck
                    ? "The time zone in which days of the list begin."
                    : command == .reconcile
                        ? "The time zone in which days begin (default: \(ReconcileRun.usualTimeZone), as in Apple's reports)."
                        : "The time zone in which days begin and by which instants are shown, such as Europe/Berlin "
                            + "(default: UTC, with --fiscal Pacific time); formats for programs keep UTC."
            }

        // MARK: Money
        case .prices:
            .money(of: Command.comparing, .text, valueName: "file", [.namesFile, .refusesRepetition]) {
                "The price list, CSV with product_id, currency, price and more, or a .storekit file with its prices."
            }
        case .defaultTerritory:
            .money(of: Command.comparing, .text, valueName: "country") {
                "The territory of sales without a storefront, for the price list: an ISO 3166-1 code."
            }
        case .catalogue:
            .money(of: Command.comparing, .text, valueName: "file", [.namesFile, .isRepeatable]) {
                "Types, periods and groups of products: a .storekit file or Transporter's metadata.xml; repeatable."
            }
        case .refundsBy:
            .money(of: Command.comparing, .choice(LedgerRules.RefundDating.self), valueName: "which") {
                "Book refunds in the month of the 'refund' (default) or of the 'purchase'."
            }
        case .fx:
            .money(.text, valueName: "file", [.namesFile, .isRepeatable]) {
                "Exchange rates: the ECB's XML or CSV, or CSV of date,currency,per_eur or date,base,quote,rate; "
                    + "repeatable."
            }
        case .baseCurrency:
            .money(.text, valueName: "currency") {
                "Also show amounts in this currency, such as EUR; needs --fx."
            }
        case .fxDate:
            .money(.choice(Conversion.DateRule.self), valueName: "day") {
                "The day of the exchange rate: purchase-date (default), month-average, month-end."
            }
        case .fxGap:
            .money(.choice(Conversion.GapRule.self), valueName: "day") {
                "The rate for a day that has none: the previous one (default), the next one, or fail."
            }
        case .fxMaxGap:
            .money(.number(0...366), valueName: "days") {
                "Days to the previous or next rate at most (default: \(Conversion.usualLongestGap))."
            }
        case .fxPeg:
            .money(.none) {
                "Take AED, SAR and QAR at the rates to which they are pegged to the US dollar."
            }
        case .fxAny:
            .money(.none) {
                "Accept rates that look inverted: twenty times away from the day before or from what is usual."
            }
        case .rounding:
            .money(.choice(Rounding.self)) {
                "How converted and estimated amounts are rounded: half-even (default), half-up."
            }
        case .tax:
            .money(.text, valueName: "none|file", .namesFile, proposing: [Settings.noTax]) {
                "The tax in prices, where the price list has none: a CSV file with territory, from, until, product or type, "
                    + "rate, such as 0.19; or none, if no price has tax in it."
            }
        case .commission:
            .money(.text, valueName: "share|file", [.namesFile, .mayBeNumber]) {
                "Apple's share, such as 0.30, to estimate proceeds, or a CSV file of shares with from, until, product "
                    + "or type, storefront, rate; a price list's own column comes first."
            }
        case .accounts:
            .money(.text, valueName: "file", .namesFile) {
                "Names of the accounts of 'report journal': CSV of account,name with "
                    + JournalAccounts.Account.allCases.map(\.rawValue).joined(separator: ", ") + "."
            }
        case .secondYearRate:
            .money(
                .form("a share from 0 to 1, such as 0.15") { Settings.shareMillionths($0) != nil },
                valueName: "share"
            ) {
                "Apple's share after a year of paid service in a group of subscriptions, such as 0.15: an estimate; "
                    + "needs --commission or a price list with commissions."
            }

        // MARK: Rows
        case .by:
            FlagEntry(
                Command.comparing,
                .rows,
                .form("names separated by commas") { !$0.split(separator: ",").isEmpty },
                valueName: "keys",
                proposals: GroupKey.allCases.map(\.rawValue),
                .settles
            ) {
                command == .reconcile
                    ? "Rows by storefront too: 'storefront'."
                    : "Keys that group the rows, separated by commas: "
                        + GroupKey.allCases.map(\.rawValue).joined(separator: ", ") + "."
            }
        case .compare:
            FlagEntry(
                Command.settling,
                .rows,
                .text,
                valueName: "month|year|file",
                proposals: ["month", "year"],
                [.settles, .namesFile]
            ) {
                "Compare revenue with the 'month' or 'year' before, or with an earlier report in JSON."
            }
        case .closed:
            FlagEntry(Command.settling, .rows, .text, valueName: "file", [.settles, .namesFile]) {
                "List changes in closed months since a revenue report, with their causes: the report in JSON, "
                    + "its manifest or a partial of it."
            }
        case .mrrWeekly:
            FlagEntry(
                Command.settling,
                .general,
                .form("a number from 1 to 5, such as 4.345") { Settings.weeksPerMonthMillionths($0) != nil },
                valueName: "weeks",
                .settles
            ) {
                "Weeks of a month for MRR: 4 (default), or 4.345, the mean of a month."
            }

        // MARK: Of a few commands
        case .apple:
            FlagEntry([.reconcile], .general, .text, valueName: "file", [.namesFile, .isRepeatable]) {
                "Apple's reports: a file or a folder; repeatable."
            }
        case .tolerance:
            FlagEntry(
                [.reconcile],
                .general,
                .form("a number such as 0.05 or 0.5%") { ReconciliationTolerance($0) != nil },
                valueName: "number"
            ) {
                "The largest allowed difference in a row: a number, for units and for money, or a percentage of "
                    + "Apple's figure such as 0.5% (default: 0)."
            }
        case .payout:
            FlagEntry(
                [.reconcile],
                .general,
                .form("the name of a file") { !$0.isEmpty && $0 != "-" },
                valueName: "file",
                .namesFile
            ) {
                "Write Apple's commission rates to this file, by product, storefront and month, for --commission."
            }
        case .against:
            FlagEntry([.pricesCheck], .general, .text, valueName: "file", [.namesFile, .isRepeatable]) {
                "Receipts, responses or rows whose sales are compared with the first price list; repeatable."
            }
        case .report:
            FlagEntry(
                [.merge],
                .general,
                .word(ReportRegistry.names),
                valueName: "name",
                excludes: [.init(.partial, "a partial holds all that its parts hold")]
            ) {
                "The report to show, if the partials are of 'all'."
            }
        case .environment:
            FlagEntry(
                [.report, .reconcile, .convert],
                .general,
                .list(EnvironmentFilter.all),
                valueName: "names",
                usual: command == .convert ? nil : EnvironmentFilter.booked.words.joined(separator: ",")
            ) {
                "Only these environments, separated by commas: \(EnvironmentFilter.all.joined(separator: ", "))."
            }
        case .explain:
            FlagEntry(
                [.report, .reconcile],
                .general,
                .text,
                valueName: "key=value,…",
                excludes: [.init(.partial, "a partial has no documents")]
            ) {
                command == .reconcile
                    ? "List our transactions that make up a difference: month=2026-03,product_id=pro,currency=USD."
                    : "List the transactions and documents that a figure of revenue or deferred is made of, or the "
                        + "failures that a figure of failures counts. Keys for revenue and deferred: "
                        + "\(Selection.Key.all.map(\.name).joined(separator: ", ")). "
                        + "Keys for failures: \(FailureSelection.keyNames.joined(separator: ", "))."
            }
        case .raw:
            FlagEntry(
                [.report],
                .general,
                .none,
                needs: [.init(.explain, "which lists failures")]
            ) {
                "Show the raw document of each failure that --explain lists, with its secrets masked as in --rejects."
            }
        case .watch:
            FlagEntry(
                [.report],
                .general,
                .none,
                excludes: [
                    .init(.partial), .init(.explain),
                    .init(.converted),
                ]
            ) {
                "Redraw the report while input arrives; Ctrl-C or the end of input prints the final report. "
                    + "For 'tail -f events.ndjson | tillroll report failures --watch'. If standard output is not a "
                    + "terminal, only the final report is written."
            }
        case .converted:
            FlagEntry([.report], .general, .text, valueName: "manifest", .namesFile) {
                "The manifest of the 'tillroll convert' that wrote the rows in the inputs. The report then shows "
                    + "the counts of documents in this manifest."
            }
        case .document:
            FlagEntry([.inspect], .general, .number(1...Int.max), valueName: "number") {
                "Show only the document with this number, counted from 1 in each input (default: all)."
            }
        case .showPrivate:
            FlagEntry([.inspect], .general, .none) {
                "Show secrets and device identifiers: passwords, device ids, opaque values."
            }
        case .full:
            FlagEntry([.inspect], .general, .none) {
                "Do not shorten long values."
            }
        case .reportOnly:
            FlagEntry([.verify], .general, .none) {
                "End with status 0, not 3, if documents are untrusted or unsigned."
            }
        case .endpoint:
            FlagEntry([.submit], .general, .text, valueName: "url") {
                "The address to which receipts are sent: \(Endpoint.production.url), or a server with the same "
                    + "protocol."
            }
        case .sandboxEndpoint:
            FlagEntry([.submit], .general, .text, valueName: "url") {
                "The endpoint for receipts with status 21007 (default: Apple's sandbox if --endpoint is "
                    + "Apple's, else none)."
            }
        case .passwordFile:
            FlagEntry([.submit], .general, .text, valueName: "file", .namesFile) {
                "A file with the shared secret, which subscription receipts need; '-' is standard input. The "
                    + "secret is in no output."
            }
        case .excludeOldTransactions:
            FlagEntry([.submit], .general, .none) {
                "Ask only for the latest renewal of each subscription. The answers then lack the earlier ones."
            }
        case .retries:
            FlagEntry([.submit], .general, .number(0...20), valueName: "number", usual: String(Verifier.usualRetries)) {
                "How often a request is sent again after a temporary failure."
            }
        case .timeout:
            FlagEntry(
                [.submit],
                .general,
                .number(1...3600),
                valueName: "seconds",
                usual: String(SubmitRun.usualTimeout / 1000)
            ) {
                "The longest time for a request and its answer."
            }

        case .resume:
            FlagEntry([.submit], .general, .none, needs: [.init(.output)]) {
                "Continue a run that did not end: receipts whose answers are in FILE.part, for -o FILE, are not sent "
                    + "again. The inputs must be the same files; they are read twice."
            }

        // MARK: Output
        case .format:
            FlagEntry(
                [.report, .reconcile, .merge, .inspect, .verify, .convert, .codes, .schema],
                command.outputGroup,
                .word(Self.outputFormats(of: command)),
                short: "t",
                excludes: [.partial]
            ) {
                Self.formatHelp(of: command)
            }
        case .output:
            FlagEntry(
                Command.allCases.filter { $0 != .pricesCheck },
                command.outputGroup,
                .text,
                valueName: "file",
                short: "o",
                .namesFile
            ) {
                command == .convert
                    ? "A folder, or a file that ends in .parquet, .ndjson or .csv; '-' is standard output."
                    : command == .submit
                        ? "Write to a file, readable by its owner only; '-' is standard output."
                        : "Write to a file; '-' is standard output."
            }
        case .table:
            FlagEntry(
                [.report, .merge, .reconcile, .convert],
                command.outputGroup,
                command == .convert ? .word(TableName.allCases.map(\.rawValue)) : .text,
                excludes: [.partial]
            ) {
                command == .convert
                    ? "Write only this table: \(TableName.allCases.map(\.rawValue).joined(separator: ", "))."
                    : "Write only the table with this name in the JSON, such as totals or restores.events."
            }
        case .partitionBy:
            FlagEntry([.convert], .general, .list(PartitionKey.allCases.map(\.rawValue)), valueName: "keys") {
                "Write one folder for each value (Hive layout). Keys of transactions: "
                    + "\(Self.partitionKeys(of: .transactions)); of events: \(Self.partitionKeys(of: .events)). "
                    + "Separate several keys with commas."
            }
        case .replace:
            FlagEntry([.convert], .general, .none, excludes: [.init(.append)]) {
                "Replace the rows in the folder."
            }
        case .append:
            FlagEntry([.convert], .general, .none) {
                "Add to the rows in the folder. An input that the folder has is not read again, and of one that has "
                    + "grown only the new documents are added."
            }
        case .compression:
            FlagEntry(
                [.convert],
                .general,
                .word(ParquetCodec.written.map(\.name)),
                valueName: "codec",
                usual: ParquetCodec.zstd.name
            ) {
                "The compression of Parquet: \(ParquetCodec.written.map(\.name).joined(separator: ", "))."
            }
        case .safe:
            FlagEntry([.convert], .general, .onOff) {
                "In CSV, put ' before a text that a spreadsheet would run as a formula, and spell out control "
                    + "characters (default: on a terminal)."
            }
        case .detail:
            FlagEntry(Command.comparing, .output, .none) {
                "Show all rows in text, Markdown and HTML, and all of 'report all', which is else one page; json, ndjson, csv and "
                    + "workbooks always have them."
            }
        case .partial:
            FlagEntry(Command.settling, .output, .none) {
                "Write a partial, for 'tillroll merge', instead of the report."
            }
        case .closedPartial:
            FlagEntry(
                Command.settling,
                .general,
                .none,
                command == .merge ? .isHidden : [],
                needs: [.init(.partial)]
            ) {
                "Write only sums; needs --partial. The input must hold all documents of its chains, accounts, "
                    + "line items, attempts and requests."
                    + (command == .merge
                        ? ""
                        : " '--partial --closed' is the same; closed months (--closed FILE) are for 'tillroll merge'.")
            }
        case .asOf:
            FlagEntry(
                Command.settling,
                .general,
                .form("an instant, such as 2026-03-31T23:59:59Z") { Self.instants($0) != nil },
                valueName: "instant",
                command == .merge ? .isHidden : [],
                needs: [.init(.closedPartial)]
            ) {
                "The time of the newest record of the whole input, for a closed partial: the 'as_of' of 'report "
                    + "subscriptions'. FIRST/NEWEST gives the time of the first purchase too."
            }
        case .alert:
            FlagEntry(Command.settling, .output, .text, valueName: "alert", .isRepeatable, excludes: [.partial]) {
                "Exit with status 3, after the report, if an incident is ongoing ('ongoing'), or a figure of failures is "
                    + "past a limit ('rate>5%'). Choose \(Alert.metricList). A figure can count the last hours before "
                    + "now: 'rate>5%@1h', 'succeeded<1@3h'. Repeatable."
            }
        case .alertJSON:
            FlagEntry(
                Command.settling,
                .output,
                .text,
                valueName: "file",
                .namesFile,
                needs: [.init(.alert, "which says what raises an alert")]
            ) {
                "Write the incidents that raise an alert to this file, a line of JSON each; 'id' is the same in every run, so "
                    + "a pager can use it as the key of deduplication."
            }
        case .now:
            FlagEntry(
                Command.settling,
                .output,
                .form("an instant before 2100, such as 2026-03-31T12:00:00Z, or 'clock'") {
                    ReportSettling.Now($0) != nil
                },
                valueName: "instant",
                excludes: [.partial]
            ) {
                "The instant up to which incidents are looked for; 'clock' is the clock of this machine (default: the end of "
                    + "the data). With it, a log that has stopped is an incident."
            }
        case .examples:
            FlagEntry(
                Command.settling,
                .output,
                .number(0...FailuresReport.mostExamples),
                valueName: "number",
                excludes: [.partial]
            ) {
                "The number of example records of each failure, up to \(FailuresReport.mostExamples) (default: "
                    + "3 in formats for people, none in json, ndjson and csv)."
            }
        case .manifest:
            FlagEntry([.report, .merge, .convert], command.outputGroup, .text, valueName: "file", .namesFile) {
                "Write the inputs, the rules, the outputs and the outcome of the run to this file, as JSON with SHA-256 "
                    + "sums; also if the run fails."
            }
        case .metrics:
            FlagEntry([.report, .merge, .convert], command.outputGroup, .text, valueName: "file", .namesFile) {
                "Write status, duration, counts and the time of the newest record to this file, as Prometheus text for "
                    + "node_exporter; also if the run fails."
            }
        case .noPager:
            FlagEntry(Command.comparing, .output, .none) {
                "On a terminal, show a long report at once and not page by page (PAGER, else less)."
            }
        case .width:
            FlagEntry(
                Command.comparing,
                .output,
                .form(TableWidth.form) { TableWidth($0) != nil },
                valueName: "number|auto|none",
                usual: "auto",
                proposals: ["auto", "none"]
            ) {
                "The width of tables in characters; 'auto' is the width of the terminal, 'none' shows all columns "
                    + "whole."
            }

        // MARK: Parts of a run
        case .range:
            FlagEntry(
                [.report, .convert],
                .general,
                .form("two byte offsets, such as 0-67108864") { ByteRange($0) != nil },
                valueName: "begin-end",
                command == .report ? .isHidden : [],
                needs: command == .report ? [.partOfReport] : []
            ) {
                "Read only the documents that begin in this range of bytes of an uncompressed file, such as "
                    + "0-67108864. Documents and lines are counted from there. Standard input must begin there too "
                    + "('tail -c +BEGIN FILE')."
            }
        case .source:
            FlagEntry([.report, .convert], .general, .text, valueName: "name", command == .report ? .isHidden : []) {
                "The source name of the only input, in rows and rejects."
            }
        case .part:
            FlagEntry(
                [.report, .convert],
                .general,
                command == .report ? .text : .none,
                valueName: "file",
                command == .report ? [.isHidden, .namesFile] : [],
                needs: command == .report ? [.partOfReport] : []
            ) {
                command == .report
                    ? "With --partial: the inputs are a part of a larger run. Write the partial even if no document "
                        + "could be read, and write the manifest of this part to this file, without SHA-256 sums. With "
                        + "--since 7d, write only this manifest; its period begins as if the part were the whole input."
                    : "The inputs are a part of a larger run: write the rows even if no document could be read."
            }
        case .divide:
            FlagEntry(
                [.merge],
                .general,
                .form(PartialDivision.form) { PartialDivision($0) != nil },
                valueName: "key:count",
                .isHidden,
                needs: [.init(.partial)]
            ) {
                "With --partial: divide the partial into this number of shares, written one after the other in "
                    + "the output. A share is a partial. No transaction, chain or, in a closed partial, account is in "
                    + "two shares."
            }
        case .share:
            FlagEntry(
                [.merge],
                .general,
                .number(0...PartialDivision.limit - 1),
                valueName: "number",
                .isHidden,
                needs: [.init(.closedPartial)]
            ) {
                "With --divide accounts: the number of this share of the chains, from 0."
            }
        case .before:
            FlagEntry(
                [.merge],
                .general,
                .form("documents:lines for each partial") { PlacesBefore.list($0) != nil },
                valueName: "documents:lines,…",
                .isHidden
            ) {
                "The documents and lines of the source before each partial, such as 0:0,5000:5001."
            }

        // MARK: Reading
        case .from:
            .reading(.word(Self.inputFormats), valueName: "format") {
                "Read every document as this format: \(Self.inputFormats.joined(separator: ", "))."
            }
        case .column:
            .reading(.text, valueName: "name") {
                "The column of delimited text that holds the documents (default: receipt and similar names)."
            }
        case .jobs:
            .reading(.number(1...ReadOptions.mostJobs), valueName: "number") {
                "Chunks read at once (default: the number of processors)."
            }
        case .memory:
            FlagEntry(
                Command.reading + [.merge],
                .reading,
                .form("a size of at least 1M, such as 256M or 4G") { text in
                    ByteSize(text).map { $0.bytes >= MemoryAllowance.smallest } ?? false
                },
                valueName: "size",
                Command.keeping.contains(command) ? [] : .isHidden
            ) {
                "Memory for the data of a report, such as 256M; more data goes to temporary files in TMPDIR "
                    + "(default: half of the memory that machine, container and ulimit allow; at least 1M)."
            }
        case .rejects:
            .reading(.text, valueName: "file", .namesFile) {
                "Write documents that cannot be read to this file, as NDJSON, readable by its owner only."
            }
        case .rejectsRaw:
            .reading(.word(["keep", "none"]), valueName: "keep|none", usual: "keep") {
                "Whether --rejects contains the raw documents: 'keep' or 'none'."
            }
        case .maxRejects:
            .reading(
                .form("a number or a percentage, such as 10 or 0.5%") { RejectAllowance($0) != nil },
                valueName: "number"
            ) {
                "The largest number or percentage of rejects in a successful run; with more, the exit status is "
                    + "65."
            }
        case .strict:
            .reading(.none) {
                "Allow no reject, as --max-rejects 0 does, and no input without documents."
            }
        case .maxDocument:
            .reading(.form("a size such as 512K, 64M or 1G") { ByteSize($0) != nil }, valueName: "size", usual: "64M") {
                "The longest document, such as 512K or 64M; a longer one is rejected."
            }
        case .maxRatio:
            .reading(.number(1...Int.max), valueName: "number", usual: String(InflationLimit.usualRatio)) {
                "The largest ratio of inflated to compressed size, after the first GiB."
            }
        case .trust:
            .reading(
                .choice(SignatureOptions.Mode.self),
                valueName: "check|require|off",
                usual: SignatureOptions.Mode.check.rawValue
            ) {
                "How signatures are checked: 'check' flags invalid signatures, and no report books their documents; 'require' "
                    + "also rejects all other documents of transactions or renewals that are not trusted; 'off' checks "
                    + "nothing."
            }
        case .anchor:
            .reading(.text, valueName: "file", [.namesFile, .isRepeatable]) {
                "Trust the certificates in this file (PEM or DER) as roots, in addition to Apple's; repeatable."
            }
        case .bundleID:
            .reading(.text, valueName: "id", .isRepeatable) {
                "Omit documents of apps other than this one; repeatable. Documents without a bundle id are kept."
            }
        case .deviceID:
            .reading(.text, valueName: "id") {
                "The device that app receipts must belong to: its identifier for vendor (a UUID), or the network "
                    + "address of a Mac."
            }
        case .progress:
            .reading(
                .choice(Showing.self),
                valueName: "when",
                usual: Showing.auto.rawValue,
                command == .inspect ? .isHidden : []
            ) {
                "Show progress on stderr: auto (on a terminal), always, never."
            }
        case .color:
            FlagEntry(
                Command.reading + [.merge, .codes],
                Command.reading.contains(command) ? .reading : .general,
                .choice(Showing.self),
                valueName: "when",
                usual: Showing.auto.rawValue,
                [.report, .reconcile, .inspect, .merge, .codes].contains(command) ? [] : .isHidden
            ) {
                "Use colour: auto (on a terminal, unless NO_COLOR is set), always, never."
            }
        case .distinct:
            FlagEntry(
                [.report, .convert],
                .reading,
                .none,
                excludes: [
                    .init(.partial, "which records another part has is not known to one part"),
                    .init(.part, "which records another part has is not known to one part"),
                ]
            ) {
                "Count each identical record once: for logs whose shipper delivers at least once. Takes some 16 bytes "
                    + "for each record."
            }
        case .quiet:
            .reading(.none) {
                "Print nothing about rejects on stderr."
            }
        case .chunkSize:
            // For tests: the size of chunks must not change any result.
            .reading(.number(1...Int.max), usual: String(ReadOptions.usualChunkSize), .isHidden) {
                ""
            }
        }
    }
}

// MARK: - Words

extension Flag {
    private static let inputFormats =
        ReceiptFormatRegistry.all.map { $0.name } + [CSVOptions.name, ReadOptions.textName, StoredRowOptions.name]

    private static func partitionKeys(of table: TableName) -> String {
        PartitionKey.allCases.filter { $0.table == table }.map(\.rawValue).joined(separator: ", ")
    }

    private static func outputFormats(of command: Command) -> [String] {
        switch command {
        case .convert: ConvertRun.Format.allCases.map(\.rawValue)
        case .inspect: InspectionRendererRegistry.all.map { $0.name }
        case .schema: SchemaText.Format.allCases.map(\.rawValue)
        case .verify: VerifyRun.Format.allCases.map(\.rawValue)
        default: RendererRegistry.all.map { $0.name }
        }
    }

    private static func formatHelp(of command: Command) -> String {
        switch command {
        case .convert: "The output format: parquet, ndjson, csv (default: by -o, else ndjson)."
        case .inspect: "The output format (default: by -o, else text)."
        case .schema:
            "text, json, or the SQL of duckdb or spark (default: by -o, else text); jsonschema, for 'event' only."
        case .verify: "The output format: table or ndjson (default: by -o, else table)."
        default: "The output format (default: by -o, else table)."
        }
    }

    /// The instants of `--as-of`: the newest, or the first and the newest with a slash between them.
    public static func instants(_ text: String) -> (first: Timestamp?, newest: Timestamp)? {
        let instants = text.split(separator: "/", omittingEmptySubsequences: false)
            .map { Timestamp.parse(Array($0.utf8).span.bytes) }
        guard instants.count <= 2, !instants.contains(nil), let newest = instants.last ?? nil else { return nil }
        return (instants.count == 2 ? instants[0] : nil, newest)
    }
}
