public import TillCore
public import TillPricing

/// A file with the names of a journal's accounts.
///
///     account,name
///     receivable,Assets:Receivable:Apple
///     revenue,Income:App Store
///
/// Accounts that it does not name keep their usual names. Separators and quotes are those of a price list.
public enum AccountFile {
    /// The largest file that is read, 1 MiB.
    public static let maximumByteCount = 1 << 20

    /// The longest name of an account, in characters.
    public static let longestName = 200

    /// Reads the names; throws all defects of the file.
    public static func read(_ bytes: [UInt8], name: String) throws(FileFindings) -> JournalAccounts {
        var records = SeparatedValues(bytes)
        let header = records.next()
        let columns = header?.defect == nil ? header?.cells.map { $0.lowercased() } ?? [] : []
        guard let key = columns.firstIndex(of: "account"), let title = columns.firstIndex(of: "name") else {
            throw FileFindings(name, [.init("accounts.header", at: 1, "its columns are not account,name")])
        }
        var accounts = JournalAccounts()
        var lines: [JournalAccounts.Account: Int] = [:]
        var problems: [Finding] = []
        while let record = records.next(), problems.count < mostProblems {
            func cell(_ index: Int) -> String { index < record.cells.count ? record.cells[index] : "" }
            func report(_ code: String, _ message: String) {
                problems.append(.init(code, at: record.line, message))
            }
            guard record.defect == nil else {
                report("accounts.text", "a quote is not closed or is inside a cell, or the text is not UTF-8")
                continue
            }
            guard let account = JournalAccounts.Account(rawValue: cell(key)) else {
                let known = JournalAccounts.Account.allCases.map(\.rawValue)
                report("accounts.unknown", NearestWord.unknown("account", String(cell(key).prefix(40)), among: known))
                continue
            }
            if let problem = self.problem(of: cell(title)) {
                report("accounts.name", "\(Finding.excerpt(cell(title))) \(problem)")
            } else if let line = lines[account] {
                report("accounts.twice", "\(account.rawValue) has a name in line \(line) already")
            }
            lines[account] = record.line
            accounts[account] = cell(title)
        }
        guard problems.isEmpty else { throw FileFindings(name, problems) }
        return accounts
    }

    /// The largest number of reported problems of one file.
    private static let mostProblems = 100

    /// The reason why a plain-text journal cannot contain the name; `nil` if it can.
    ///
    /// Two blanks or a tab end the name of an account, a bracket at its beginning makes a posting that need not
    /// balance, and `;` begins a comment.
    private static func problem(of name: String) -> String? {
        if name.isEmpty { return "is not the name of an account" }
        if name.count > longestName { return "is longer than \(longestName) characters" }
        if name.first == " " || name.last == " " || name.contains("  ") {
            return "has a blank at an end, or two in a row"
        }
        if name.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
            return "has a control character"
        }
        if "([;*!#%|".contains(name.first ?? " ") || name.contains(";") {
            return "has a character with another meaning in a journal: one of ([;*!#%| at its start, or ;"
        }
        return nil
    }
}
