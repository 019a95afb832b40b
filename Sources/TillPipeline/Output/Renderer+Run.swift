import TillCore
import TillInput
import TillRender
import TillReportModel

extension Renderer {
    /// Passes the output to `sink` piece by piece.
    func write(
        _ document: ReportDocument,
        _ options: RenderOptions,
        to sink: (_ piece: [UInt8]) throws -> Void
    ) throws {
        guard !Self.isText else { return try write(document, options: options, to: sink) }
        try sink(held(document, options))
    }

    /// The renderer removes the temporary files of libxlsxwriter.
    private func held(_ document: ReportDocument, _ options: RenderOptions) throws(Finding) -> [UInt8] {
        Interruption.hold()
        defer { Interruption.release() }
        return try render(document, options: options)
    }
}

extension Output {
    /// Finds, before anything is read, that a format cannot be written here, or not to a terminal.
    static func check(_ renderer: any Renderer, outputPath: String?) throws(RunError) {
        let type = type(of: renderer)
        if !type.isText, outputPath == nil || outputPath == "-", Terminal.outputIsTerminal {
            let ending = type.fileExtensions.first ?? type.name
            throw RunError(.usage, "a terminal cannot show \(type.name); write to a file with -o report.\(ending)")
        }
        do {
            try type.checkAvailability()
        } catch {
            throw RunError(.cannotCreate, error.message)
        }
    }
}
