import TillColumns
import TillCore
import TillJSON
import TillRows

extension ReceiptInfoReader {
    /// Reads `pending_renewal_info`; every element is a row (quirk 54), unless it has no value.
    @_lifetime(cursor: copy cursor)
    mutating func decodeRenewals(
        _ token: JSONToken,
        in cursor: inout JSONCursor,
        into rows: inout RowBatch
    ) throws(Finding) {
        switch token.kind {
        case .object: try decodeRenewal(in: &cursor, into: &rows)
        case .array:
            place = Place(list: place.key)
            try cursor.expect(0x5B)
            var isFirst = true
            while try cursor.nextElement(isFirst: &isFirst) {
                try decodeRenewal(in: &cursor, into: &rows)
                place.element += 1
            }
            place = Place()
        default: if TypedScalars.jsonText(of: token, in: cursor) != nil { throw Finding(.type, at: token.start) }
        }
    }

    @_lifetime(cursor: copy cursor)
    private mutating func decodeRenewal(in cursor: inout JSONCursor, into rows: inout RowBatch) throws(Finding) {
        rows.renewals.beginRow()
        try cursor.requireObject()
        var walk = try renewalKeys.enter(&cursor)
        while let number = try renewalKeys.next(&walk, in: &cursor) {
            guard number >= 0 else {
                place.key = nil
                try renewalKeys.skipValue(&walk, in: &cursor)
                continue
            }
            place.key = .renewal(renewalKeys[number])
            let token = try renewalKeys.token(&walk, in: &cursor)
            switch renewalKeys[number] {
            case .autoRenewProductID:
                rows.renewals.set(.autoRenewProductID, try fields.text(token, in: cursor.values, &rows.dictionary))
            case .productID: rows.renewals.set(.productID, try fields.text(token, in: cursor.values, &rows.dictionary))
            case .originalTransactionID:
                rows.renewals.set(.originalTransactionID, try fields.identifier(token, in: cursor.values, &rows))
            case .autoRenewStatus:
                let status = try fields.enumerated(.autoRenewStatus, token, in: cursor.values, &rows.reading)
                rows.renewals.set(.autoRenewStatus, status)
            case .expirationIntent:
                let intent = try fields.enumerated(.expirationIntent, token, in: cursor.values, &rows.reading)
                rows.renewals.set(.expirationIntent, intent)
            case .isInBillingRetryPeriod:
                rows.renewals.set(.isInBillingRetryPeriod, try fields.flag(token, in: cursor.values))
            case .gracePeriodExpiresDateMilliseconds:
                rows.renewals.set(.gracePeriodExpiresDate, try fields.milliseconds(token, in: cursor.values))
            case .gracePeriodExpiresDate:
                if rows.renewals[.gracePeriodExpiresDate, rows.renewals.rowCount] == nil {
                    rows.renewals.set(.gracePeriodExpiresDate, try fields.instant(token, in: cursor.values))
                }
            case .priceConsentStatus:
                let status = try fields.enumerated(.priceIncreaseStatus, token, in: cursor.values, &rows.reading)
                rows.renewals.set(.priceConsentStatus, status)
            case .priceIncreaseStatus:
                let status = try fields.enumerated(.priceIncreaseStatus, token, in: cursor.values, &rows.reading)
                setIfAbsent(.priceConsentStatus, status, &rows)
            case .promotionalOfferID:
                rows.renewals.set(.offerID, try fields.text(token, in: cursor.values, &rows.dictionary))
            case .offerCodeReferenceName:
                setIfAbsent(.offerID, try fields.text(token, in: cursor.values, &rows.dictionary), &rows)
            }
        }
        place.key = nil
        if rows.renewals.presence(row: rows.renewals.rowCount) != 0 { rows.renewals.endRow() }
    }

    /// Sets a cell of the open row that another member may tell too; that one counts, in whatever order they come.
    private func setIfAbsent(_ column: RenewalColumn, _ value: Int64?, _ rows: inout RowBatch) {
        if rows.renewals[column, rows.renewals.rowCount] == nil { rows.renewals.set(column, value) }
    }
}
