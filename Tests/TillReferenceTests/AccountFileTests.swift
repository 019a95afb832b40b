import Testing
import TillCore
import TillPricing
import TillTestSupport

@testable import TillReference

@Suite("Files of accounts")
struct AccountFileTests {
    private static func read(_ text: String) throws -> JournalAccounts {
        try AccountFile.read(Array(text.utf8), name: "accounts.csv")
    }

    @Test("Accounts that a file does not name keep their usual names")
    func names() throws {
        let accounts = try Self.read("account;name\nrevenue;Income:App Store\n\"refunds\";\"Income:Refunds\"\n")
        #expect(accounts[.revenue] == "Income:App Store")
        #expect(accounts[.refunds] == "Income:Refunds")
        #expect(accounts[.receivable] == "assets:receivable:apple")
        #expect(try Self.read("name,account\n") == JournalAccounts())
    }

    static let rejected: [(String, [String])] = [
        ("", ["accounts.csv:1: its columns are not account,name [accounts.header]"]),
        ("revenue,Income\n", ["accounts.csv:1: its columns are not account,name [accounts.header]"]),
        (
            "account,name\nrevenu,Income\n",
            [
                "accounts.csv:2: there is no account 'revenu'; choose receivable, revenue, deferred_revenue, refunds, commission, tax; "
                    + "did you mean 'revenue'? [accounts.unknown]"
            ]
        ),
        (
            "account,name\ntax,\ntax,(Tax)\ntax,A  B\ntax,A;B\n",
            [
                "accounts.csv:2: \"\" is not the name of an account [accounts.name]",
                "accounts.csv:3: \"(Tax)\" has a character with another meaning in a journal: one of ([;*!#%| at its start, "
                    + "or ; [accounts.name]",
                "accounts.csv:4: \"A  B\" has a blank at an end, or two in a row [accounts.name]",
                "accounts.csv:5: \"A;B\" has a character with another meaning in a journal: one of ([;*!#%| at its start, "
                    + "or ; [accounts.name]",
            ]
        ),
        (
            "account,name\ntax,A\ntax,B\n",
            ["accounts.csv:3: tax has a name in line 2 already [accounts.twice]"]
        ),
        (
            "account,name\ntax,\"A\nB\"\n",
            ["accounts.csv:2: \"A\\nB\" has a control character [accounts.name]"]
        ),
    ]

    @Test("Everything that is wrong with a file is told with its line", arguments: rejected)
    func rejects(text: String, lines: [String]) throws {
        let error = #expect(throws: FileFindings.self) { try Self.read(text) }
        #expect(error?.lines == lines)
    }
}
