import Testing
import TillColumns
import TillReceipts
import TillRows
import TillTestSupport

/// The forms in which documents write ids.
@Suite("Reading ids")
struct IdentifierReadingTests {
    /// An id as JSON, the cell of the row, and whether it is counted as odd.
    static let forms: [(json: String, cell: String?, isOdd: Bool)] = [
        (#""100""#, "100", false), ("100", "100", false), ("18446744073709551716", "18446744073709551716", false),
        // Blanks
        (#"" 100""#, "100", false), (#""\t100\n""#, "100", false), (#""100\u0000""#, "100", false),
        (#""\u00a0100\u3000""#, "100", false), (#""100\u200b""#, "100", false), (#""\u202a100\u202c""#, "100", false),
        (#""\ufeff 2000004001.0 ""#, "2000004001", false), (#""  ""#, nil, false),
        // Numbers of JSON
        ("100.0", "100", false), ("1e2", "100", false), ("2.000004001E9", "2000004001", false),
        ("2.000000000000000e+15", "2000000000000000", false), ("100.5", "100.5", true), ("-100", "-100", true),
        // Exponents
        (#""1e2""#, nil, true), (#""2.00000E+15""#, nil, true), ("2.00000E+15", nil, true), ("2e15", nil, true),
        (#""2,00000E+15""#, nil, true), (#"" 2E15 ""#, nil, true), (#""+2.0e15""#, nil, true), ("1e400", nil, true),
        ("2.0000040012E-1", nil, true),
        // Other texts
        (#""0100""#, "0100", true), (#""0100.0""#, "0100.0", true), (#""+100""#, "+100", true),
        (#""0x64""#, "0x64", true), (#""100L""#, "100L", true), (#""1 00""#, "1 00", true), (#""1,00""#, "1,00", true),
        (#""12e4567""#, "12e4567", true), (#""e5""#, "e5", true), (#""1e""#, "1e", true),
        // Missing ids
        (#""[FILTERED]""#, nil, false), (#""0000""#, nil, false), ("null", nil, false), (#""""#, nil, false),
    ]

    @Test("An id is its decimal number, is kept as written, or is missing, in every format", arguments: forms)
    func readsForms(_ form: (json: String, cell: String?, isOdd: Bool)) {
        let id = form.json
        let response =
            #"{"status":0,"environment":"Production","receipt":{"bundle_id":"b","in_app":[{"quantity":"1","product_id":"p","#
            + #""transaction_id":\#(id),"original_transaction_id":\#(id),"web_order_line_item_id":\#(id),"#
            + #""purchase_date_ms":"1700000000000"}]}}"#
        let payload =
            #"{"transactionId":\#(id),"originalTransactionId":\#(id),"webOrderLineItemId":\#(id),"productId":"p","#
            + #""purchaseDate":1700000000000,"bundleId":"b","environment":"Production","type":"Consumable","#
            + #""inAppOwnershipType":"PURCHASED","quantity":1}"#
        for text in [response, payload] {
            let reading = Reading(text)
            let columns = ["transaction_id", "original_transaction_id", "web_order_line_item_id"]
            let cells = reading.transactions.map { row in columns.map { row[$0] } }
            #expect(cells == [[form.cell, form.cell, form.cell]], "\(text)")
            #expect(reading.oddIDs == (form.isOdd ? 3 : 0), "\(text)")
        }
        let event = Reading(#"{"v":1,"event":"purchased","product_id":"p","transaction_id":\#(id)}"#)
        #expect(event.events.map { $0["transaction_id"] } == [form.cell])
        #expect(event.oddIDs == (form.isOdd ? 1 : 0))
    }

    @Test("Transactions without an envelope whose ids have an exponent are a row each")
    func readsLostIDsAlone() {
        let text = (1...3).map { number in
            #"{"transaction_id":"2.00000E+15","original_transaction_id":"2.00000E+15","product_id":"p","#
                + #""purchase_date_ms":"\#(number)700000000000","bid":"b"}"#
        }
        let reading = Reading(text.joined(separator: "\n"))
        #expect(reading.transactions.map { $0["transaction_id"] } == [nil, nil, nil], "\(reading.rejects)")
        #expect(reading.oddIDs == 6)
    }

    @Test("Stored ids are read like ids in documents, and odd ones are counted again")
    func readsStoredIDs() {
        let stored = ["100", " 100 ", "2.00000E+15", "0100", "2000004001.0"]
        var rows = Rows(transactions: stored.map { [.transactionID: .text($0)] }).batch()
        rows.readStoredIdentifiers()
        let cells = (0..<rows.transactions.rowCount).map { row in
            rows.transactions[.transactionID, row].map { Identifier(word: $0).text(in: rows.dictionary) }
        }
        #expect(cells == ["100", "100", nil, "0100", "2000004001"])
        #expect(rows.reading.oddIDs == 2)
    }
}
