"""How a run fails: one message and the exit status that `tillroll` has for it."""

from __future__ import annotations

FINISHED = 0
CHECK_FAILED = 3
USAGE = 64
DATA_ERROR = 65
NO_INPUT = 66
CANNOT_CREATE = 73
IO_ERROR = 74
INTERRUPTED = 130

STATUSES = frozenset({FINISHED, CHECK_FAILED, USAGE, DATA_ERROR, NO_INPUT, CANNOT_CREATE, IO_ERROR, INTERRUPTED})


class RunError(Exception):
    """A run cannot go on.

    The message is for people, without the name of the program; the status is that of `tillroll` for such an error.
    """

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
