import TillCore
import TillReceipts
import TillReportModel

/// StoreKit client events: their members, or what an entry of a log tells of a failure.
enum EventDescriber: Describer {
    static let format = EventFormat.name

    static func describe(text bytes: [UInt8], in context: inout InspectionContext) -> InspectedNode {
        var node = InspectedNode("log entry", offset: 0, length: bytes.count)
        node.value = TextValue.value(bytes, isMessage: true, in: context)
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
        let inferred = error.code.flatMap { FailureCatalogue.inferDomain(code: $0, message: message) }
        let domain = error.domain ?? inferred
        let code = error.code.map { String($0) } ?? "?"
        node.value = .text("\(domain ?? "?") \(code)")
        if let domain, let number = error.code, let entry = FailureCatalogue.entry(domain: domain, code: number) {
            node.meaning = "\(entry.name): \(entry.meaning)"
        }
        if error.domain == nil, domain != nil {
            node.meaning = [node.meaning, "domain told by the code"].compactMap(\.self).joined(separator: ", ")
        }
        return node
    }
}
