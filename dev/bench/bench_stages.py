#!/usr/bin/env python3
"""bench_stages.py < JMH.json   what `swift package benchmark` measured of the stages, as a table: each beside its floors.

Of a stage NAME the floors are NAME.sum, a plain sum over the same bytes, and NAME.library, the library alone.
"""
import json
import sys

from measuring import table


def stages(text):
    """Bytes and median seconds by name; what stands before the JSON is what the build said."""
    start = text.find("[{")
    if start < 0:
        sys.exit(f"no measurements came in; the last of what did: {text[-400:]}")
    found = {}
    for element in json.JSONDecoder().raw_decode(text[start:])[0]:
        name = element["benchmark"].split(".Stages.", 1)[1]
        metrics = element["secondaryMetrics"]
        clock = next(metric for name, metric in metrics.items() if name.startswith("Time (wall clock)"))
        size = next(metric for name, metric in metrics.items() if name.startswith("bytes"))
        found[name] = (size["scorePercentiles"]["50.0"], clock["scorePercentiles"]["50.0"] / 1e6)
    return found


def main():
    found = stages(sys.stdin.read())
    rows = []
    for name, (size, seconds) in sorted(found.items()):
        if "." in name:
            continue
        shares = [found[f"{name}.{floor}"][1] / seconds if f"{name}.{floor}" in found else None for floor in ("sum", "library")]
        told = [f"{share:.1%}" if share else "–" for share in shares]
        rows.append([name, f"{size / 1e6:.1f}", f"{seconds * 1000:.2f}", f"{size / seconds / 1e6:,.0f}", *told])
    table(["stage", "MB", "ms", "MB/s", "of a sum", "of the library"], rows)


if __name__ == "__main__":
    main()
