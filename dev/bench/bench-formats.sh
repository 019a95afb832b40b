#!/bin/sh
# What each format costs: repeats the samples of one format to some 64 MB and times the released command on them.
# Usage: dev/bench/bench-formats.sh [TILLROLL]    (median of three runs, one worker; MB are 10^6 bytes)
set -eu
cd "$(dirname "$0")/../.."
tool=${1:-.build-dist/release/tillroll}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
measure() { # name, files…
    name=$1
    shift
    for file in "$@"; do cat "$file"; echo; done > "$work/once"
    while [ "$(stat -c %s "$work/once")" -lt 1000000 ]; do cat "$work/once" "$work/once" > "$work/twice"; mv "$work/twice" "$work/once"; done
    : > "$work/dump"
    while [ "$(stat -c %s "$work/dump")" -lt 64000000 ]; do cat "$work/once" >> "$work/dump"; done
    size=$(stat -c %s "$work/dump")
    for _ in 1 2 3; do
        start=$(date +%s%N)
        "$tool" report failures "$work/dump" --jobs 1 --quiet > /dev/null
        echo $(( ($(date +%s%N) - start) / 1000 ))
    done | sort -n | sed -n 2p | awk -v name="$name" -v size="$size" '{ printf "%-28s %8.0f MB/s\n", name, size / $1 }'
}
measure pkcs7.base64 Samples/pkcs7/receipts.b64
measure pkcs7.request Samples/pkcs7/receipts.ndjson
measure pkcs7.ber Samples/pkcs7/xcode-ber.b64
measure legacy.base64 Samples/legacy/receipts.b64
measure legacy.plist Samples/legacy/receipt.plist
measure legacy.xml Samples/legacy/receipt-xml.plist
measure verify Samples/verify/responses.ndjson
measure verify.pretty Samples/verify/pretty.json
measure jws.decoded Samples/jws/payloads.ndjson
measure jws.signed Samples/jws/signed.jws
measure notification.v1 Samples/notification/v1.ndjson
measure notification.v2 Samples/notification/v2.ndjson
measure notification.v2.decoded Samples/notification/v2-decoded.json
measure event.json Samples/events/events.ndjson
measure event.log Samples/events/client.log
