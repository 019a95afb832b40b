import TillCore
import TillReceipts
import TillReportModel

/// A log entry of a StoreKit client: its date, its errors and its message.
enum EventDescriber {
    static func describe(_ bytes: [UInt8], in context: InspectionContext) -> InspectedNode {
        var node = InspectedNode("log entry", offset: 0, length: bytes.count)
        node.value = context.text(bytes, isMessage: true)
        do {
            let line = try ClientLogLine(bytes.span.bytes)
            if let at = line.at { node.children.append(InspectedNode("date", value: .text(at.description))) }
            for (index, error) in line.errors.enumerated() {
                guard context.spend() else {
                    node.children.append(InspectionContext.leftOut("more errors", offset: nil))
                    break
                }
                node.children.append(describe(error, isOutermost: index == 0, message: line.message))
            }
            if let message = line.message {
                node.children.append(InspectedNode("message", value: .text(message)))
            }
        } catch {
            node.defect = InspectedDefect(error)
        }
        return node
    }

    private static func describe(
        _ error: ClientLogLine.LoggedError,
        isOutermost: Bool,
        message: String?
    ) -> InspectedNode {
        var node = InspectedNode(isOutermost ? "error" : "underlying error")
        let domain = error.domain ?? error.code.flatMap { FailureCatalogue.inferDomain(code: $0, message: message) }
        let entry = domain.flatMap { FailureCatalogue.entry(domain: $0, code: error.code) }
        // A case of StoreKit 2 has no code.
        let code = error.code.map { " \($0)" } ?? (entry == nil ? " ?" : "")
        node.value = .text("\(domain ?? "?")\(code)")
        node.meaning = entry.map { "\($0.name): \($0.meaning)" }
        if error.domain == nil, domain != nil {
            node.meaning = node.meaning.map { "\($0) (domain known by the code)" } ?? "domain known by the code"
        }
        return node
    }
}
