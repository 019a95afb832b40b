import TillInput
import TillJSON

extension DecodeError {
    /// What went wrong inside a string that holds a document of its own, as a defect of that string.
    ///
    /// Offsets inside it are none of the document, so the string's own takes their place. A text that ends too early
    /// does so for good, which keeps it from being taken for a document of which more is to come.
    static func inside(_ token: JSONToken, _ error: any Error) -> any Error {
        switch error {
        case is JSONError: return DecodeError(.innerJSON, at: token.start)
        case let error as DecodeError: return DecodeError(error.code, at: token.start)
        case var error as Base64.Failure:
            error.offset = token.start
            return error
        default: return error
        }
    }
}
