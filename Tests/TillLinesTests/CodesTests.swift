import Testing
import TillCore
import TillRender
import TillReportModel

@testable import TillPipeline

@Suite("Explaining codes")
struct CodesTests {
    private static func names(_ operands: [String]) -> [String] {
        CodesRun.explanations(CodeQuery.parse(operands)).map { explanation in
            let code = explanation.codes.map { $0 == FailureEntry.anyCode ? "any" : "\($0.lowerBound)" } ?? "-"
            return "\(explanation.domain ?? "-") \(code) \(explanation.name ?? "-")"
        }
    }

    static let forms: [([String], String)] = [
        (["21007"], "verifyReceipt 21007 sandboxReceipt"),
        (["verify:21003"], "verifyReceipt 21003 receiptNotAuthentic"),
        (["21150"], "verifyReceipt 21150 internalDataAccess"),
        (["SKErrorDomain:2"], "SKErrorDomain 2 paymentCancelled"),
        (["SK:2"], "SKErrorDomain 2 paymentCancelled"), (["sk:2"], "SKErrorDomain 2 paymentCancelled"),
        (["SKErrorDomain 2"], "SKErrorDomain 2 paymentCancelled"),
        (["SKErrorDomain", "2"], "SKErrorDomain 2 paymentCancelled"),
        (["SKError.paymentCancelled"], "SKErrorDomain 2 paymentCancelled"),
        (["ESKERRORDOMAIN2"], "SKErrorDomain 2 paymentCancelled"),
        (["StoreKitError.userCancelled"], "StoreKitError - userCancelled"),
        (["userCancelled"], "StoreKitError - userCancelled"),
        (["SK2:userCancelled"], "StoreKitError - userCancelled"),
        (["StoreKitError", "usercancelled"], "StoreKitError - userCancelled"),
        (["PurchaseError.invalidQuantity"], "Product.PurchaseError - invalidQuantity"),
        (["Product.PurchaseError.invalidQuantity"], "Product.PurchaseError - invalidQuantity"),
        (["-1009"], "NSURLErrorDomain -1009 notConnectedToInternet"),
        (["-1100"], "NSURLErrorDomain -1100 loadingFailed"),
        (["URL:-1100"], "NSURLErrorDomain -1100 loadingFailed"),
        (["NSCocoaErrorDomain:4097"], "NSCocoaErrorDomain 4097 systemError"),
        (["Foo:7"], "Foo 7 -"), (["foo"], "- - foo"), (["99999"], "- 99999 -"), (["SK:1234"], "SKErrorDomain 1234 -"),
    ]

    @Test("A code can be written in many ways", arguments: forms)
    func reads(_ operands: [String], _ expected: String) {
        #expect(Self.names(operands) == [expected])
    }

    @Test("A small number means every domain that names it")
    func readsNumbers() {
        #expect(
            Self.names(["0"]).map { $0.split(separator: " ")[0] } == [
                "verifyReceipt", "SKErrorDomain", "SSErrorDomain", "SSServerErrorDomain",
            ]
        )
    }

    @Test("A chain is each of its codes, and each code is told once")
    func readsChains() {
        #expect(
            Self.names(["SK:0/ASD:500", "ASDErrorDomain:500"]) == [
                "SKErrorDomain 0 unknown", "ASDErrorDomain 500 unhandled",
            ]
        )
    }

    @Test("A domain alone is all of its codes, no operand is all there are")
    func listsAll() {
        #expect(Self.names(["SKErrorDomain"]).count == 23)
        #expect(Self.names(["SK2"]).count == 25)
        #expect(Self.names([]).count == FailureCatalogue.entries.count)
        #expect(
            Self.names(["NSPOSIXErrorDomain", "SK:2"]) == [
                "NSPOSIXErrorDomain any systemError", "SKErrorDomain 2 paymentCancelled",
            ]
        )
    }

    @Test("Every entry is found by its own name and code")
    func findsAll() {
        for entry in FailureCatalogue.entries {
            let rest = entry.codes.map { $0 == FailureEntry.anyCode ? "-77" : "\($0.lowerBound)" } ?? entry.name
            let found = CodesRun.explanations(CodeQuery.parse(["\(entry.domain):\(rest)"]))
            #expect(found.map(\.entry) == [entry], "\(entry.domain):\(rest)")
        }
    }

    @Test("An unknown code is of class unknown, a range and any code are written as such")
    func rendersTable() {
        let explanations = CodesRun.explanations(CodeQuery.parse(["Foo:7", "SK:2", "verifyReceipt", "NSPOSIX"]))
        let document = CodesRun.document(explanations, explainsEach: false)
        let text = String(decoding: CSVRenderer().render(document, options: RenderOptions()), as: UTF8.self)
        let lines = text.split(separator: "\n")
        #expect(lines[0] == "report,section,domain,code,name,class,retry,meaning,advice")
        #expect(lines[1] == "codes,codes,Foo,7,,unknown,,,")
        #expect(lines[2].hasPrefix("codes,codes,SKErrorDomain,2,paymentCancelled,cancelled,never,"))
        #expect(
            lines.contains { $0.hasPrefix("codes,codes,verifyReceipt,21100-21199,internalDataAccess,transient,maybe,") }
        )
        #expect(lines.last?.hasPrefix("codes,codes,NSPOSIXErrorDomain,any,systemError,system,maybe,") == true)
    }

    @Test("People who ask about one code get a fact a line, uncut")
    func rendersFacts() {
        let document = CodesRun.document(CodesRun.explanations(CodeQuery.parse(["SK:2"])), explainsEach: true)
        let text = String(decoding: TableRenderer().render(document, options: RenderOptions()), as: UTF8.self)
        #expect(
            text.contains("Advice   Show no error; keep it in the funnel and out of the failure rate.\n")
                && text.contains("Class    cancelled by the customer\n")
        )
    }
}
