import TillColumns
import TillCore
import TillRows

extension RowBatch {
    /// Applies the verdict on a signature that covers everything appended since `mark`.
    ///
    /// Rows with their own signature keep its verdict. But if one part of a document is untrusted, the whole document
    /// is.
    mutating func apply(_ verdict: TrustVerdict, from mark: Mark) {
        for row in mark.documents..<documents.rowCount where documents[.trust, row] != Word.untrusted.cell {
            guard verdict.trust == .untrusted || documents[.trust, row] == Word.unsigned.cell else { continue }
            documents.set(.trust, verdict.trust.cell, row: row)
            setTrustCode(verdict.code, row: row)
            setSigner(verdict.signer, row: row)
        }
        let isUntrusted = (mark.documents..<documents.rowCount).contains {
            documents[.trust, $0] == Word.untrusted.cell
        }
        let trust = isUntrusted ? Word.untrusted : verdict.trust
        for row in mark.transactions..<transactions.rowCount
        where isUntrusted || transactions[.trust, row] == Word.unsigned.cell {
            transactions.set(.trust, trust.cell, row: row)
        }
        for row in mark.renewals..<renewals.rowCount
        where isUntrusted || renewals[.trust, row] == Word.unsigned.cell {
            renewals.set(.trust, trust.cell, row: row)
        }
    }

    /// Says of the finished document `row` why it is not trusted.
    private mutating func setTrustCode(_ code: TrustCode?, row: Int) {
        guard let code else { return }
        documents.set(.trustCode, Int64(dictionary.code(for: code.rawValue)), row: row)
    }

    /// The reason why `--trust require` refuses the rows since `mark`; `nil` if they are accepted.
    ///
    /// A signature that fails is always refused. A document without a signature, or without a root, is refused where it
    /// holds transactions or renewals: events, failed verifications and test notifications change no figure of money.
    func refusal(from mark: Mark) -> Finding? {
        let holdsRows =
            transactions.rowCount > mark.transactions || renewals.rowCount > mark.renewals
            || skippedCount(since: mark) > 0
        for row in mark.documents..<documents.rowCount {
            switch documents[.trust, row] {
            case Word.trusted.cell: continue
            case Word.untrusted.cell: return (trustCode(ofDocument: row) ?? .untrusted).finding
            case _ where !holdsRows: continue
            case Word.unsigned.cell: return TrustCode.unsigned.finding
            case Word.unanchored.cell: return TrustCode.unanchored.finding
            default: return TrustCode.untrusted.finding
            }
        }
        return nil
    }

    private func trustCode(ofDocument row: Int) -> TrustCode? {
        documents[.trustCode, row].flatMap { TrustCode(rawValue: dictionary.text(of: Int($0))) }
    }
}
