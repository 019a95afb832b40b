"""What a run keeps below `--work`, so that a driver that starts again goes on where the last one ended.

    work/read-DIGEST/               a partial of each part, in a folder for each attempt
    work/read-DIGEST/done.json      the step is finished, and what came of it
    work/divide-DIGEST/             their shares by transaction; then chains, close, accounts, join

The digest is of all that decides what the step writes: the inputs with their sizes and times, the flags of the step
and the files that they name, the binary, the steps before. Steps with other digests are of other runs and are left
alone.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

from .storage import Storage, join

_DONE = "done.json"


class Step:
    """The folder of one step."""

    def __init__(self, storage: Storage, scratch: str, work: str, name: str, *parts: Any) -> None:
        self.digest = digest(name, *parts)
        self.url = join(work, f"{name}-{self.digest[:20]}")
        self._storage = storage
        self._scratch = scratch

    def result(self) -> Any | None:
        """What the step came to, if it has finished."""
        text = self._storage.read_text(join(self.url, _DONE))
        return None if text is None else json.loads(text)

    def begin(self) -> None:
        """Makes the folder. What an earlier attempt has left in it is read by nobody, and goes with the folder."""
        self._storage.make_folder(self.url)

    def finish(self, result: Any) -> None:
        self._storage.write_text(join(self.url, _DONE), json.dumps(result), self._scratch)

    def remove(self) -> None:
        self._storage.remove(self.url)


def digest(*parts: Any) -> str:
    """SHA-256 of values of any kind that JSON has."""
    text = json.dumps(parts, sort_keys=True, default=str, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()
