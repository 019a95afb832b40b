import Testing
import TillTestSupport

/// Values of Apple's enumerations, as numbers and as the names that Apple's libraries write.
@Suite("Values of enumerations")
struct EnumerationTests {
    /// The member, its value, the table and the column, and the cell.
    static let values: [(String, String, String, String?)] = [
        ("revocationReason", "1", "cancellation_reason", "1"),
        ("revocationReason", "\"0\"", "cancellation_reason", "0"),
        ("revocationReason", "\"REFUNDED_DUE_TO_ISSUE\"", "cancellation_reason", "1"),
        ("revocationReason", "\"RevocationReason.REFUNDED_FOR_OTHER_REASON\"", "cancellation_reason", "0"),
        ("revocationReason", "\"developerIssue\"", "cancellation_reason", "1"),
        ("offerType", "\"INTRODUCTORY_OFFER\"", "offer_type", "1"),
        ("offerType", "\"winBackOffer\"", "offer_type", "4"),
        ("offerType", "\"OFFER_CODE\"", "offer_type", "3"), ("offerType", "9", "offer_type", "9"),
        ("revocationReason", "\"REFUNDED_BY_ACCIDENT\"", "cancellation_reason", nil),
        ("offerType", "4294967296", "offer_type", nil), ("offerType", "true", "offer_type", nil),
    ]

    @Test("A name of Apple's libraries is its number; an unknown name is absent and counted", arguments: values)
    func readsNames(_ member: String, _ value: String, _ column: String, _ cell: String?) {
        let reading = Reading(
            #"{"transactionId":"1","productId":"p","bundleId":"b","signedDate":1772446500000,"revocationDate":1772446500000,"\#(member)":\#(value)}"#
        )
        #expect(reading.transactions.map { $0[column] } == [cell], "\(reading.rejects)")
        #expect(reading.unread == (cell == nil ? 1 : 0))
        #expect(reading.transactions.first?["cancellation_date"] != nil)
    }

    static let renewals: [(String, String, String, String?)] = [
        ("autoRenewStatus", "\"OFF\"", "auto_renew_status", "0"),
        ("autoRenewStatus", "1", "auto_renew_status", "1"),
        ("autoRenewStatus", "\"AutoRenewStatus.ON\"", "auto_renew_status", "1"),
        ("autoRenewStatus", "true", "auto_renew_status", "1"), ("autoRenewStatus", "2", "auto_renew_status", nil),
        ("expirationIntent", "\"BILLING_ERROR\"", "expiration_intent", "2"),
        ("expirationIntent", "\"CUSTOMER_DID_NOT_CONSENT_TO_PRICE_INCREASE\"", "expiration_intent", "3"),
        ("priceIncreaseStatus", "\"CUSTOMER_HAS_NOT_RESPONDED\"", "price_consent_status", "0"),
        (
            "priceIncreaseStatus", "\"CUSTOMER_CONSENTED_OR_WAS_NOTIFIED_WITHOUT_NEEDING_CONSENT\"",
            "price_consent_status", "1"
        ),
        ("priceIncreaseStatus", "\"perhaps\"", "price_consent_status", nil),
    ]

    @Test("The same in the state of a renewal", arguments: renewals)
    func readsRenewals(_ member: String, _ value: String, _ column: String, _ cell: String?) {
        let reading = Reading(
            #"{"autoRenewProductId":"p","originalTransactionId":"1","signedDate":1772446500000,"\#(member)":\#(value)}"#
        )
        #expect(reading.renewals.map { $0[column] } == [cell], "\(reading.rejects)")
        #expect(reading.unread == (cell == nil ? 1 : 0))
    }

    @Test("An unknown value in a response or a notification does not remove its transactions")
    func keepsDocuments() {
        let transaction = #"{"transaction_id":"1","cancellation_date_ms":"1772446500000","cancellation_reason":"X"}"#
        let response = Reading(
            #"{"status":0,"auto_renew_status":"maybe","receipt":{"in_app":[\#(transaction)]},"pending_renewal_info":[{"original_transaction_id":"1","expiration_intent":"X"}]}"#
        )
        #expect(response.transactions.count == 1 && response.unread == 3, "\(response.rejects)")
        let notification = Reading(
            #"{"notification_type":"CANCEL","auto_renew_status":"maybe","cancellation_date_ms":"1772446500000","cancellation_reason":"X","latest_receipt_info":\#(transaction)}"#
        )
        #expect(notification.transactions.count == 1 && notification.unread == 3, "\(notification.rejects)")
    }
}
