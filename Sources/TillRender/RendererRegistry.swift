/// The output formats. A new one is a line here.
public enum RendererRegistry {
    /// In the order of the help text.
    public static let all: [any Renderer.Type] = [
        TableRenderer.self,
        MarkdownRenderer.self,
        HTMLRenderer.self,
        XLSXRenderer.self,
        CSVRenderer.self,
        JSONRenderer.self,
        NDJSONRenderer.self,
        LedgerRenderer.self,
    ]

    /// The format with a name from the command line.
    public static func renderer(named name: String) -> (any Renderer.Type)? {
        all.first { $0.name == name }
    }

    /// The format of files with an extension, given without the dot. Case does not matter.
    public static func renderer(forFileExtension fileExtension: String) -> (any Renderer.Type)? {
        let ending = fileExtension.lowercased()
        return all.first { $0.fileExtensions.contains(ending) }
    }
}
