/// The output formats, in the order in which help lists them.
public enum RendererRegistry {
    /// Every format, a line each.
    public static let all: [any Renderer.Type] = [
        TableRenderer.self,
        MarkdownRenderer.self,
        HTMLRenderer.self,
        XLSXRenderer.self,
        CSVRenderer.self,
        JSONRenderer.self,
        NDJSONRenderer.self,
    ]

    /// The format that is called `name` on the command line.
    public static func renderer(named name: String) -> (any Renderer.Type)? {
        all.first { $0.name == name }
    }

    /// The format that files with this ending have; the dot is left out, case does not matter.
    public static func renderer(forFileExtension fileExtension: String) -> (any Renderer.Type)? {
        let ending = fileExtension.lowercased()
        return all.first { $0.fileExtensions.contains(ending) }
    }
}
