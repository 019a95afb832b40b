#!/usr/bin/env python3
"""Compares what `tillroll verify` says with openssl and with Python's cryptography.

usage: trust_check.py TILLROLL [--vectors DIR] [--generator generate.py --check check.py --seeds N]

Needs the package `cryptography`, and `openssl` for CMS. Exit status 1 on any difference.

  vectors     every PKCS#7 file: `openssl cms -verify` at its creation time, with the anchor that facts.json names
              every JWS: ES256 with the key of x5c[0], and the links up to the anchor, checked here
  generator   receipts made by the generator, with `--anchor test-root.pem --trust require`: equal to truth.json's
              verified part, the number of tampered ones included
"""
import argparse, base64, binascii, hashlib, json, os, subprocess, sys, tempfile
from datetime import datetime, timezone

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature

differences = 0


def say(is_same, what, detail=""):
    global differences
    differences += not is_same
    if not is_same or os.environ.get("VERBOSE"):
        print("same   " if is_same else "DIFFERS", what, detail)


def tillroll(program, path, anchor):
    command = [program, "verify", path, "-t", "ndjson", "--quiet"] + (["--anchor", anchor] if anchor else [])
    lines = subprocess.run(command, capture_output=True, text=True).stdout.splitlines()
    return json.loads(lines[0]) if lines else None


# --- PKCS#7

def der_of(path):
    raw = open(path, "rb").read()
    if raw[:1] == b"\x30":
        return raw
    text = b"".join(line for line in raw.splitlines() if not line.startswith(b"-----"))
    return base64.b64decode(text)


def openssl(der, anchor, instant):
    """Whether openssl verifies the receipt at the instant; its own words where it does not."""
    with tempfile.TemporaryDirectory() as folder:
        receipt, root = os.path.join(folder, "receipt"), os.path.join(folder, "root.pem")
        open(receipt, "wb").write(der)
        with open(anchor, "rb") as f:
            certificate = x509.load_der_x509_certificate(f.read())
        from cryptography.hazmat.primitives.serialization import Encoding
        open(root, "wb").write(certificate.public_bytes(Encoding.PEM))
        run = subprocess.run(
            ["openssl", "cms", "-verify", "-inform", "DER", "-in", receipt, "-CAfile", root, "-no-CApath", "-no-CAstore",
             "-attime", str(int(instant)), "-purpose", "any", "-auth_level", "0", "-binary", "-out", os.devnull],
            capture_output=True, text=True)
        return run.returncode == 0, run.stderr.strip().replace("\n", " ")[:160]


def check_pkcs7(program, vectors, facts):
    count = 0
    for name in sorted(facts):
        if not name.startswith("pkcs7") or not facts[name].get("accepted"):
            continue
        anchor = os.path.join(vectors, facts[name].get("anchor") or "certs/apple-inc-root.cer")
        path = os.path.join(vectors, name)
        for root in {anchor, os.path.join(vectors, "certs/apple-inc-root.cer")}:
            ours = tillroll(program, path, root)
            instant = datetime.fromisoformat(ours["signed_at"].replace("Z", "+00:00")).timestamp()
            theirs, words = openssl(der_of(path), root, instant)
            say((ours["trust"] == "trusted") == theirs, f"{name} under {os.path.basename(root)}",
                f"ours {ours['trust']} {ours['code']}, openssl {theirs} {words}")
            count += 1
    return count


# --- JWS

def segment(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def judge_jws(text, anchor):
    """trusted or untrusted, by the rules of Apple's server libraries, written anew."""
    header, payload, signature = text.strip().split(".")
    head, body = json.loads(segment(header)), json.loads(segment(payload))
    if head.get("alg") != "ES256" or not head.get("x5c"):
        return "untrusted"
    certificates = [x509.load_der_x509_certificate(base64.b64decode(c)) for c in head["x5c"][:2]]
    raw = segment(signature)
    try:
        if len(raw) != 64:
            return "untrusted"
        encoded = encode_dss_signature(int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big"))
        certificates[0].public_key().verify(encoded, f"{header}.{payload}".encode(), ec.ECDSA(hashes.SHA256()))
        if certificates[0] == anchor:
            path = [certificates[0]]
        else:
            if len(head["x5c"]) != 3:
                return "untrusted"
            path = certificates + [anchor]
            for below, above in zip(path, path[1:]):
                below.verify_directly_issued_by(above)
                constraints = above.extensions.get_extension_for_class(x509.BasicConstraints).value
                if not constraints.ca:
                    return "untrusted"
    except (InvalidSignature, ValueError, TypeError, x509.ExtensionNotFound):
        return "untrusted"
    moment = body.get("signedDate", body.get("receiptCreationDate"))
    if moment is not None:
        at = datetime.fromtimestamp(moment / 1000, timezone.utc)
        if not all(c.not_valid_before_utc <= at <= c.not_valid_after_utc for c in path):
            return "untrusted"
    return "trusted"


def check_jws(program, vectors, facts):
    count = 0
    anchors = [f for f in sorted(os.listdir(os.path.join(vectors, "certs"))) if "jws" in f or "g3" in f]
    for name in sorted(facts):
        if not name.startswith("jws/"):
            continue
        path = os.path.join(vectors, name)
        text = open(path).read()
        if name.endswith(".json"):
            text = json.loads(text)["signedPayload"]
        for root in anchors:
            anchor = os.path.join(vectors, "certs", root)
            ours = tillroll(program, path, anchor)
            if ours is None:
                continue  # a payload that names nothing is a reject, whatever its signature
            certificate = x509.load_der_x509_certificate(open(anchor, "rb").read())
            theirs = judge_jws(text, certificate)
            g3 = x509.load_der_x509_certificate(open(os.path.join(vectors, "certs/apple-root-ca-g3.cer"), "rb").read())
            if theirs == "untrusted":
                theirs = judge_jws(text, g3)  # pinned, whatever is named
            say(ours["trust"] == theirs, f"{name} under {root}", f"ours {ours['trust']} {ours['code']}, python {theirs}")
            count += 1
    return count


# --- The generator

def check_generated(program, generator, checker, seeds):
    for seed in range(seeds):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sys.executable, generator, "--out", folder, "--docs", "0", "--events", "0", "--receipts", "3000",
                            "--seed", f"trust-{seed}"], check=True, stdout=subprocess.DEVNULL)
            place = lambda name: os.path.join(folder, name)
            truth = json.load(open(place("truth.json")))["receipts"]
            command = [program, "report", "revenue", place("receipts.b64.ndjson"), "--anchor", place("test-root.pem"),
                       "--refunds-by", "purchase", "--prices", place("prices-tillroll.csv"), "-t", "json", "--quiet"]
            for mode in "require", "check":
                subprocess.run(command + ["--trust", mode, "-o", place(mode), "--rejects", place("rejects")], check=True)
                run = subprocess.run([sys.executable, checker, place("truth.json"), "receipts.verified", place(mode)],
                                     capture_output=True, text=True)
                say(run.returncode == 0, f"seed {seed}, --trust {mode}", run.stdout + run.stderr)
                rejected = [json.loads(line)["code"] for line in open(place("rejects"))]
                tampered = (sum(code.startswith("trust.") for code in rejected) if mode == "require"
                            else json.load(open(place(mode)))["trust"]["untrusted"])
                say(tampered == truth["tampered"], f"seed {seed}, --trust {mode}: tampered", f"{tampered} of {truth['tampered']}")
    return seeds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tillroll")
    parser.add_argument("--vectors")
    parser.add_argument("--generator")
    parser.add_argument("--check")
    parser.add_argument("--seeds", type=int, default=3)
    options = parser.parse_args()
    if options.vectors:
        facts = json.load(open(os.path.join(options.vectors, "facts.json")))
        print(check_pkcs7(options.tillroll, options.vectors, facts), "verdicts on PKCS#7 compared with openssl")
        print(check_jws(options.tillroll, options.vectors, facts), "verdicts on JWS compared with Python")
    if options.generator:
        print(check_generated(options.tillroll, options.generator, options.check, options.seeds), "seeds of the generator")
    print("all the same" if differences == 0 else f"{differences} differences")
    sys.exit(differences > 0)


main()
