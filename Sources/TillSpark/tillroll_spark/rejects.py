"""How many rejects a run may have, and what is said of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from .flags import Given
from .reading import Result

#: Sources that are named.
_SHOWN = 20


@dataclass(frozen=True)
class Totals:
    """Counts of all documents."""

    accepted: int = 0
    rejected: int = 0
    bytes: int = 0
    foreign: int = 0
    #: Untrusted documents, and their transactions.
    untrusted: int = 0
    untrusted_rows: int = 0

    @property
    def documents(self) -> int:
        return self.accepted + self.rejected

    @staticmethod
    def of(results: Iterable[Result]) -> Totals:
        names = ("accepted", "rejected", "bytes", "foreign", "untrusted", "untrusted_rows")
        found = list(results)
        return Totals(**{name: sum(getattr(result, name) for result in found) for name in names})


def refusal(given: Given, totals: Totals) -> str | None:
    """Why the result is refused, in the words of `tillroll`; `None` where it stands.

    The binary has checked the value of `--max-rejects` before.
    """
    allowance = "0" if given.has("strict") else given.value("max-rejects")
    if allowance is not None and _is_exceeded(allowance, totals):
        return "more documents were rejected than --max-rejects allows"
    if totals.rejected and not totals.accepted:
        return "no document could be read"
    return None


def _is_exceeded(allowance: str, totals: Totals) -> bool:
    if not allowance.endswith("%"):
        return totals.rejected > int(allowance)
    whole, _, fraction = re.sub(r"[%+]", "", allowance).partition(".")
    millionths = int(whole or "0") * 10_000 + int((fraction + "0000")[:4])
    return totals.rejected * 1_000_000 > totals.documents * millionths


def tell(results: Iterable[Result], warn: Callable[[str], None]) -> None:
    """Says how many documents of which source were rejected, and by which codes."""
    sources: dict[str, Counter[str]] = {}
    for result in results:
        for source, code, number in result.codes:
            sources.setdefault(source, Counter())[code] += number
    for source in sorted(sources)[:_SHOWN]:
        codes = sorted(sources[source].items(), key=lambda item: (-item[1], item[0]))
        total = sum(sources[source].values())
        warn(
            f"{source}: {total} document{'s' if total > 1 else ''} rejected: "
            + ", ".join(f"{c} ×{n}" for c, n in codes)
        )
    if len(sources) > _SHOWN:
        rest = sum(sum(sources[source].values()) for source in sorted(sources)[_SHOWN:])
        warn(f"{rest} more documents of {len(sources) - _SHOWN} other sources rejected; --rejects FILE has them all")
