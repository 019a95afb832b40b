import TillRender

extension RendererRegistry {
    /// The output format that was named, else the one that the ending of the output means, else the table.
    static func renderer(format: String?, outputPath: String?) throws(RunError) -> any Renderer {
        if let format {
            if let renderer = renderer(named: format) { return renderer.init() }
            let names = all.map { $0.name }.joined(separator: ", ")
            throw RunError(.usage, "there is no output format '\(format)': \(names)")
        }
        let type = try Output.format(byEndingOf: outputPath) { renderer(forFileExtension: $0) }
        return type.map { $0.init() } ?? TableRenderer()
    }
}

extension Output {
    /// The format that the ending of an output means; `nil` if it has none, or is standard output.
    ///
    /// - Parameters:
    ///   - hint: further text for the error about unknown endings.
    ///   - format: the format of an ending, without the dot.
    static func format<Format>(
        byEndingOf path: String?,
        hint: String = "name one with -t",
        _ format: (_ ending: String) -> Format?
    ) throws(RunError) -> Format? {
        guard let path, path != "-", let dot = path.lastIndex(of: "."), !path[dot...].contains("/") else { return nil }
        let ending = String(path[path.index(after: dot)...])
        guard let format = format(ending) else {
            throw RunError(.usage, "\(path): no output format ends in .\(ending); \(hint)")
        }
        return format
    }
}
