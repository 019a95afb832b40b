import ArgumentParser
import TillCore

extension ValidationError {
    /// The error for an unknown name: `There is no report 'revnue'; choose revenue, …; did you mean 'revenue'?`
    static func unknown(_ kind: String, _ word: String, among names: [String]) -> ValidationError {
        let question = NearestWord.clause(about: word, among: names)
        return ValidationError("There is no \(kind) '\(word)'; choose \(names.joined(separator: ", "))\(question)")
    }

    /// The error for an unknown value of an option: `--from takes pkcs7, …, not 'pkcs'; did you mean 'pkcs7'?`
    static func unknown(value word: String, of option: String, among names: [String]) -> ValidationError {
        let question = NearestWord.clause(about: word, among: names)
        return ValidationError("\(option) takes \(names.joined(separator: ", ")), not '\(word)'\(question)")
    }
}
