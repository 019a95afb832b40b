import TillRender

extension RendererRegistry {
    /// The output format that was named, else the one that the ending of the output means, else the table.
    static func renderer(format: String?, outputPath: String?) throws(RunError) -> any Renderer {
        if let format {
            if let renderer = renderer(named: format) { return renderer.init() }
            let names = all.map { $0.name }.joined(separator: ", ")
            throw RunError(.usage, "there is no output format '\(format)': \(names)")
        }
        guard let outputPath, outputPath != "-", let dot = outputPath.lastIndex(of: "."),
            !outputPath[dot...].contains("/")
        else { return TableRenderer() }
        let ending = String(outputPath[outputPath.index(after: dot)...])
        guard let renderer = renderer(forFileExtension: ending) else {
            throw RunError(.usage, "\(outputPath): no output format ends in .\(ending); name one with -t")
        }
        return renderer.init()
    }
}
