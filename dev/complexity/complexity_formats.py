"""Receipts, signed payloads and notifications: the formats that are not plain JSON."""
import base64
import json

from complexity_parts import MARCH, lines, shape, transaction

RECEIPTS = ["convert in -t ndjson", "inspect in -t text", "report revenue in -t json", "verify in -t ndjson"]


def tlv(tag, content):
    size = len(content)
    if size < 128:
        return bytes([tag, size]) + content
    octets = size.to_bytes((size.bit_length() + 7) // 8, "big")
    return bytes([tag, 0x80 | len(octets)]) + octets + content


def integer(value):
    return tlv(2, value.to_bytes(value.bit_length() // 8 + 1, "big"))


def attribute(kind, value):
    return tlv(0x30, integer(kind) + integer(1) + tlv(4, value))


def purchase(number):
    return tlv(
        0x31,
        attribute(1701, integer(1)) + attribute(1702, tlv(12, b"pro")) + attribute(1703, tlv(12, b"%d" % (1000 + number)))
        + attribute(1705, tlv(12, b"%d" % (1000 + number))) + attribute(1704, tlv(22, b"2026-03-01T00:00:00Z")),
    )


OID_SIGNED, OID_DATA = bytes.fromhex("06092a864886f70d010702"), bytes.fromhex("06092a864886f70d010701")


def signed_data(payload, certificates=b"", signers=b""):
    """A ContentInfo with SignedData (RFC 5652) around a payload; nothing in it is signed."""
    content = tlv(0x30, OID_DATA + tlv(0xA0, tlv(4, payload)))
    chain = tlv(0xA0, certificates) if certificates else b""
    return tlv(0x30, OID_SIGNED + tlv(0xA0, tlv(0x30, integer(1) + tlv(0x31, b"") + content + chain + tlv(0x31, signers))))


def receipt(purchases, more=b""):
    head = attribute(0, tlv(12, b"Production")) + attribute(2, tlv(12, b"com.example.app")) + attribute(3, tlv(12, b"1"))
    return tlv(0x31, head + b"".join(attribute(17, purchase(n)) for n in purchases) + more)


@shape("purchases of one app receipt", *RECEIPTS)
def _(parts):
    return signed_data(receipt(range(parts)))


@shape("app receipts", *RECEIPTS)
def _(parts):
    return b"".join(base64.b64encode(signed_data(receipt([n]))) + b"\n" for n in range(parts))


@shape("app receipts in binary, one behind the other", *RECEIPTS)
def _(parts):
    return b"".join(signed_data(receipt([n])) for n in range(parts))


@shape("attributes of an app receipt", *RECEIPTS)
def _(parts):
    return signed_data(receipt([1], b"".join(attribute(9000 + n, tlv(12, b"x")) for n in range(parts))))


@shape("BER in BER", *RECEIPTS)
def _(parts):
    return b"\x30\x80" * parts + b"\0\0" * parts


@shape("octets in pieces", *RECEIPTS)
def _(parts):
    pieces = b"".join(tlv(4, receipt([1])[n:n + 1]) for n in range(len(receipt([1]))))
    content = b"\x30\x80" + OID_DATA + b"\xa0\x80\x24\x80" + pieces + tlv(4, b"") * parts + b"\0\0\0\0\0\0"
    return b"\x30\x80" + OID_SIGNED + b"\xa0\x80\x30\x80" + integer(1) + tlv(0x31, b"") + content + tlv(0x31, b"") + b"\0\0\0\0\0\0"


@shape("certificates of a receipt", *RECEIPTS)
def _(parts):
    certificate = tlv(0x30, tlv(0x30, integer(5)) + tlv(0x30, b"") + tlv(3, b"\0abc"))
    return signed_data(receipt([1]), certificate * parts)


@shape("signers of a receipt", *RECEIPTS)
def _(parts):
    signer = tlv(0x30, integer(1) + tlv(0x30, tlv(0x30, b"") + integer(7)) + tlv(0x30, b"") + tlv(0x30, b"") + tlv(4, b"abc"))
    return signed_data(receipt([1]), b"", signer * parts)


def encoded(value):
    return base64.urlsafe_b64encode(value if isinstance(value, bytes) else json.dumps(value).encode()).decode().rstrip("=")


def jws(payload, chain=("QUJD", "QUJD", "QUJD")):
    return f"{encoded({'alg': 'ES256', 'x5c': list(chain)})}.{encoded(payload)}.{encoded(b's' * 64)}"


def payload(number):
    return {
        "transactionId": str(number), "originalTransactionId": str(number), "bundleId": "a", "productId": "pro", "purchaseDate": MARCH + number,
        "quantity": 1, "type": "Consumable", "environment": "Production", "signedDate": MARCH, "price": 990, "currency": "USD",
    }


@shape("signed transactions", *RECEIPTS)
def _(parts):
    return "".join(jws(payload(n)) + "\n" for n in range(parts))


@shape("certificates of a signed transaction", *RECEIPTS)
def _(parts):
    return jws(payload(1), ["QUJDREVG"] * parts) + "\n"


@shape("signed transactions of one response", *RECEIPTS)
def _(parts):
    return json.dumps({"signedTransactions": [jws(payload(n)) for n in range(parts)], "hasMore": False, "bundleId": "a"}) + "\n"


@shape("dots", *RECEIPTS)
def _(parts):
    return "eyJ." * parts + "\n" + "eyJhbGciOiJFUzI1NiJ9." * parts


@shape("notifications", *RECEIPTS)
def _(parts):
    def notification(number):
        data = {"bundleId": "a", "environment": "Production", "signedTransactionInfo": jws(payload(number)), "signedRenewalInfo": jws(payload(number))}
        return {"signedPayload": jws({"notificationType": "DID_RENEW", "notificationUUID": str(number), "version": "2.0", "signedDate": MARCH, "data": data})}

    return lines(notification(n) for n in range(parts))


@shape("notifications of version 1", *RECEIPTS[:3], "report subscriptions in -t json")
def _(parts):
    return lines(
        {"notification_type": "DID_RENEW", "environment": "PROD", "bid": "a", "auto_renew_status": "true",
         "unified_receipt": {"status": 0, "environment": "Production", "latest_receipt_info": [transaction(n)]}}
        for n in range(parts)
    )


@shape("refunds and reversals of one transaction", "report revenue in -t json", "report anomalies in -t json")
def _(parts):
    def notification(number):
        told = {**payload(1), "signedDate": MARCH + number, "revocationDate": MARCH + number, "revocationReason": 0}
        kind = "REFUND_REVERSED" if number % 2 else "REFUND"
        return {"notificationType": kind, "version": "2.0", "signedDate": MARCH + number,
                "data": {"bundleId": "a", "environment": "Production", "signedTransactionInfo": jws(told)}}

    return lines(notification(n) for n in range(parts))


def property_list(members):
    return "{\n" + "".join(f'\t"{key}" = "{value}";\n' for key, value in members) + "}"


@shape("legacy receipts", *RECEIPTS)
def _(parts):
    def legacy(number):
        members = [("product-id", "pro"), ("transaction-id", number), ("original-transaction-id", number), ("bid", "a"), ("quantity", 1)]
        info = base64.b64encode(property_list(members).encode()).decode()
        return property_list([("signature", "QUJD"), ("purchase-info", info), ("pod", "1"), ("signing-status", "0")])

    return "".join(base64.b64encode(legacy(n).encode()).decode() + "\n" for n in range(parts))


@shape("keys of a legacy receipt", *RECEIPTS)
def _(parts):
    info = base64.b64encode(property_list([("product-id", "pro"), ("transaction-id", 1), *((f"k{n}", n) for n in range(parts))]).encode()).decode()
    return property_list([("signature", "QUJD"), ("purchase-info", info)])


@shape("property lists in property lists", *RECEIPTS)
def _(parts):
    return '{"a" = ' * parts + '"b";' + "};" * parts


@shape("keys of an XML property list", *RECEIPTS)
def _(parts):
    keys = "".join(f"<key>k{n}</key><string>v</string>" for n in range(parts))
    return f'<?xml version="1.0"?><plist version="1.0"><dict>{keys}<key>purchase-info</key><string>QUJD</string></dict></plist>'
