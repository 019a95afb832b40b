import TillInput
import TillJSON

extension DecodeError {
    /// A defect inside a string that contains another document, as a defect of that string.
    ///
    /// Offsets inside the string are not offsets in the document, so the offset of the string is used. A string that
    /// ends too early is a final error; it must not look like an incomplete document.
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
