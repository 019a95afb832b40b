import ArgumentParser

extension ArgumentHelp {
    /// The help of the inputs of all commands that read documents.
    static let inputs = ArgumentHelp(
        "Files, folders (read recursively, in name order) or '-'; standard input if there are none."
    )
}
