/// Finds the known word that an unknown word most likely means.
public enum NearestWord {
    /// Longer words are not compared: the cost is the product of the lengths.
    static let longest = 64

    /// The known word nearest to `word`; `nil` if none is near.
    ///
    /// A known word that begins with `word`, or a phrase that ends with it, is near if it is the only one. So is a word
    /// that differs by few slips: a wrong, missing or extra letter, or two exchanged ones; one slip is allowed for every
    /// three letters. Case does not matter. Of equally near words the first is returned.
    public static func to(_ word: String, among words: some Sequence<String>) -> String? {
        let wanted = Array(word.lowercased().unicodeScalars)
        guard !wanted.isEmpty, wanted.count <= longest else { return nil }
        let candidates = words.map { ($0, Array($0.lowercased().unicodeScalars)) }.filter { $0.1.count <= longest }
        let whole = candidates.filter {
            $0.1.starts(with: wanted) || $0.1.suffix(wanted.count + 1).elementsEqual([" "] + wanted)
        }
        if wanted.count >= 2, whole.count == 1 { return whole[0].0 }
        let allowed = max(1, wanted.count / 3)
        let near = candidates.map { ($0.0, slips(from: wanted, to: $0.1)) }.filter { $0.1 <= allowed }
        return near.min { $0.1 < $1.1 }?.0
    }

    /// `there is no report 'revnue'; choose revenue, failures; did you mean 'revenue'?`, the sentence for a name that does
    /// not exist.
    ///
    /// - Parameters:
    ///   - place: what the name is for, such as a flag.
    ///   - names: what exists, as it is listed; nothing is listed if it is empty.
    ///   - others: more words that may have been meant.
    public static func unknown(
        _ kind: String,
        _ word: String,
        for place: String = "",
        among names: [String],
        orLike others: [String] = []
    ) -> String {
        let wrong = "there is no \(kind) '\(word)'" + (place.isEmpty ? "" : " for \(place)")
        let choice = names.isEmpty ? "" : "; choose \(names.joined(separator: ", "))"
        return wrong + choice + clause(about: word, among: names + others)
    }

    /// `; did you mean 'revenue'?`, to end a clause; empty where there is nothing to propose.
    public static func clause(about word: String, among words: some Sequence<String>) -> String {
        meant(by: word, among: words).map { "; did you mean '\($0)'?" } ?? ""
    }

    /// The name that a word means, else the nearest one.
    public static func meant(by word: String, among words: some Sequence<String>) -> String? {
        let words = Array(words)
        return Synonym.of(word, among: words) ?? to(word, among: words)
    }

    /// The smallest number of slips that turn one word into the other (optimal string alignment).
    ///
    ///     d(i, j) = least of  d(i-1, j) + 1   d(i, j-1) + 1   d(i-1, j-1) + [aᵢ ≠ bⱼ]
    ///                         d(i-2, j-2) + 1   where aᵢ₋₁aᵢ = bⱼbⱼ₋₁
    private static func slips(from word: [Unicode.Scalar], to other: [Unicode.Scalar]) -> Int {
        var before: [Int] = []
        var above = Array(0...other.count)
        for (row, scalar) in word.enumerated() {
            var line = [row + 1]
            for (column, candidate) in other.enumerated() {
                var least = min(above[column + 1] + 1, line[column] + 1, above[column] + (scalar == candidate ? 0 : 1))
                if row > 0, column > 0, scalar == other[column - 1], word[row - 1] == candidate {
                    least = min(least, before[column - 1] + 1)
                }
                line.append(least)
            }
            (before, above) = (above, line)
        }
        return above[other.count]
    }
}
