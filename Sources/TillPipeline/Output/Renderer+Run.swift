import TillInput
import TillRender
import TillReportModel

extension Renderer {
    /// The output, or why there is none as an error of the run.
    func bytes(of document: ReportDocument, options: RenderOptions) throws(RunError) -> [UInt8] {
        // What the library of workbooks has in TMPDIR on the way is for the renderer to take away.
        Interruption.hold()
        defer { Interruption.release() }
        do {
            return try render(document, options: options)
        } catch {
            throw RunError(.inputOutputError, error.description)
        }
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
            throw RunError(.cannotCreate, error.description)
        }
    }
}
