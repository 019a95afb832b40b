"""Where documents lie in other text, and what is none."""
import base64
import gzip
import json

from complexity_parts import READ, REVENUE, each, lines, response, responses, shape, transaction


@shape("an array of responses", *READ)
def _(parts):
    return json.dumps([response([transaction(n)]) for n in range(parts)])


@shape("responses in an object", *READ)
def _(parts):
    return json.dumps({f"k{n}": response([transaction(n)]) for n in range(parts)})


@shape("responses in strings", *READ)
def _(parts):
    return json.dumps({"records": [json.dumps(response([transaction(n)])) for n in range(parts)]})


@shape("responses in base64", *READ)
def _(parts):
    return json.dumps([base64.b64encode(json.dumps(response([transaction(n)])).encode()).decode() for n in range(parts)])


@shape("layers of base64", *READ, parts=2, most=8)
def _(parts):
    text = json.dumps(response([transaction(n) for n in range(50)])).encode()
    for _ in range(parts):
        text = base64.b64encode(text)
    return text


@shape("layers of gzip in base64", *READ, parts=2, most=16)
def _(parts):
    text = json.dumps(response([transaction(n) for n in range(200)])).encode()
    for _ in range(parts):
        text = base64.b64encode(gzip.compress(text, mtime=0))
    return text


@shape("objects around a response", *READ)
def _(parts):
    return '{"a":' * parts + json.dumps(response([transaction(0)])) + "}" * parts


@shape("members beside a response", *READ)
def _(parts):
    return json.dumps({**{f"k{n}": "v" * 20 for n in range(parts)}, "body": response([transaction(0)])})


@shape("texts beside a response", *READ)
def _(parts):
    return json.dumps({"notes": ["{x" * 10 for _ in range(parts)], "body": json.dumps(response([transaction(0)]))})


@shape("pairs of receipts and responses", *READ)
def _(parts):
    return json.dumps({f"k{n}": {"receipt-data": "QUJDRA==", "response": response([transaction(n)])} for n in range(parts)})


@shape("runs of base64 in text", "convert in --from text -t ndjson")
def _(parts):
    return "".join(f"INSERT {n} VALUES ('MIIC{'QUJD' * 20}');\n" for n in range(parts))


@shape("log lines with JSON", *READ)
def _(parts):
    return "".join(f"2026-03-01 INFO {n} {json.dumps(response([transaction(n)]))}\n" for n in range(parts))


@shape("JSON over many lines", *READ)
def _(parts):
    return "".join(json.dumps(response([transaction(n)]), indent=1) + "\n" for n in range(parts))


@shape("cells", *READ)
def _(parts):
    return "id,receipt\n" + "".join(f'{n},"{json.dumps(response([transaction(n)])).replace(chr(34), chr(34) * 2)}"\n' for n in range(parts))


@shape("columns", *READ)
def _(parts):
    return ",".join(["receipt"] + [f"c{n}" for n in range(parts)]) + "\n" + ",".join(['"{}"'] * (parts + 1)) + "\n"


@shape("gzip members", *READ)
def _(parts):
    return {"in": b"".join(gzip.compress(responses(transaction(n)).encode(), 1, mtime=0) for n in range(parts))}


@shape("rejects", "convert in -t ndjson --rejects rejects.ndjson", "report revenue in -t json")
def _(parts):
    return "".join('{"status":0,"environment":"Production","latest_receipt_info":[{"transaction_id":%d,"quantity":"x"}]}\n' % n for n in range(parts))


@shape("rejects that are read again", "convert rejects.ndjson -t ndjson",
       prepared=["$TILLROLL convert in -o rows/ --rejects rejects.ndjson || true"])
def _(parts):
    return "".join('{"status":0,"environment":"Production","latest_receipt_info":[{"transaction_id":%d,"quantity":"x"}]}\n' % n for n in range(parts))


@shape("files of a folder", "report revenue in -t json", "convert in -t ndjson", most=4_000)
def _(parts):
    return {f"in/{n:06}.json": responses(transaction(n)) for n in range(parts)}


# The paths of deep folders are themselves the square of their number, so there are few of them.
@shape("folders in one another", "report revenue in -t json", parts=12, most=50)
def _(parts):
    return {"in/" + "d/" * n + "a.json": responses(transaction(n)) for n in range(parts)}


@shape("open brackets", *READ)
def _(parts):
    return "[" * parts + "\n" + responses(transaction(0))


@shape("lines of open braces", *READ)
def _(parts):
    return '{"a":\n' * parts + responses(transaction(0))


@shape("open quotes", *READ)
def _(parts):
    return '"' * parts + "\n" + '{"a":"\n' * parts + responses(transaction(0))


@shape("backslashes", *READ)
def _(parts):
    return '{"status":0,"a":"' + "\\" * (2 * parts) + '"}\n' + "\\" * parts


@shape("strings in strings in strings", *READ, parts=2, most=4)
def _(parts):
    text = lines([response([transaction(n) for n in range(20)])])
    for _ in range(parts):
        text = json.dumps({"body": text})
    return text


@shape("escapes of one text", *READ)
def _(parts):
    return '{"status":0,"latest_receipt_info":[{"transaction_id":"1","product_id":"' + "\\u00e9\\n" * parts + '"}]}\n'


@shape("members of one name", *READ)
def _(parts):
    return "{" + '"status":0,' * parts + '"latest_receipt_info":[' + ",".join(['{"transaction_id":"1","product_id":"p"}'] * 3) + "]}\n"


@shape("digits of one number", "convert in -t ndjson", REVENUE, "inspect in -t text")
def _(parts):
    digits = "9" * parts
    return "".join(
        f'{{"status":0,"latest_receipt_info":[{{"transaction_id":"{n}","product_id":"p","quantity":{value},"purchase_date_ms":"{value}"}}]}}\n'
        for n, value in enumerate([digits, f"0.{digits}", f"1e{digits}", f"{digits}e-{digits[:5]}", f"-{digits}.5"])
    )


@shape("NUL bytes", *READ)
def _(parts):
    return b"\0" * parts


@shape("bytes that are no UTF-8", *READ)
def _(parts):
    return bytes(range(128, 256)) * (parts // 32 + 1)


@shape("text of no format", "report revenue in -t json", "convert in -t ndjson --rejects rejects.ndjson", "inspect in -t text")
def _(parts):
    return "the quick brown fox jumps over the lazy dog, and so on\n" * parts


@shape("empty lines", *READ)
def _(parts):
    return "\n" * parts + " \t\r\n" * parts


@shape("UTF-16", *READ)
def _(parts):
    return ("\ufeff" + each(parts)).encode("utf-16-le")


@shape("PEM blocks", *READ)
def _(parts):
    return "-----BEGIN PKCS7-----\nMIICQUJDREVGR0g=\n-----END PKCS7-----\n" * parts


@shape("PEM without an end", *READ)
def _(parts):
    return "-----BEGIN PKCS7-----\n" * parts + ("QUJD" * 16 + "\n") * parts


@shape("wrapped base64 that is no receipt", *READ)
def _(parts):
    return "MIIC" + "\n".join(["QUJD" * 16] * parts) + "\n"


@shape("quotes of delimited text", "convert in -t ndjson", "report revenue in -t json")
def _(parts):
    return 'id,receipt\n1,"' + '""' * parts + "\n" + '2,"{}\n' * parts


@shape("tags that do not end", *READ)
def _(parts):
    return '<?xml version="1.0"?><plist version="1.0">' + "<dict><key>a</key>" * parts


@shape("secrets in what is rejected", "convert in -t ndjson --rejects rejects.ndjson",
       "report failures in -t json")
def _(parts):
    return '{"status":0,"password":"' + "abc" * parts + '","latest_receipt_info":{"password":"p","token":"Bearer ' + "x" * parts + '"}\n' + \
        '{"password":"secret' * parts + "\n"


@shape("sources of many files", "report revenue in --manifest m.json -t json", "convert in -o rows/ --replace --manifest m.json", most=2_000)
def _(parts):
    return {f"in/{n % 10}/{n:06}.json": responses(transaction(n)) for n in range(parts)}


@shape("a manifest of a range", "convert in --range 0-1000000000 -t ndjson --manifest m.json")
def _(parts):
    return each(parts)
