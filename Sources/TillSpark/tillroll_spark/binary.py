"""The `tillroll` binary: where it is, whether it is the right one, and how it is called."""

from __future__ import annotations

import functools
import hashlib
import json
import os
import shutil
import socket
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .errors import IO_ERROR, USAGE, RunError

#: Seconds after which a binary that does not tell its version counts as broken.
VERSION_TIMEOUT = 60


@dataclass(frozen=True)
class Binary:
    """A binary on this machine, with what tells it from another version."""

    path: str
    version: str
    sha256: str

    @staticmethod
    def find(path: str | None) -> Binary:
        """The binary at `path`, else the first `tillroll` in PATH."""
        found = path or shutil.which("tillroll")
        if found is None:
            raise RunError(USAGE, "there is no tillroll in PATH; name the binary with --tillroll PATH")
        found = os.path.abspath(found)
        return Binary(found, version_of(found), digest_of(found))

    def help(self, command: str) -> dict[str, Any]:
        """The flags of a command, as the binary describes them."""
        for candidate in _commands(self.path):
            if candidate["name"] == command:
                return candidate
        raise RunError(USAGE, f"{self.path} has no command '{command}'; it is too old for tillroll-spark")


@functools.cache
def _commands(path: str) -> list[dict[str, Any]]:
    """What a binary says of its commands, asked once."""
    answer = subprocess.run([path, "--dump-help"], capture_output=True, check=False)
    if answer.returncode != 0:
        raise RunError(IO_ERROR, f"{path} does not tell its flags: {text_of(answer.stderr)}")
    commands: list[dict[str, Any]] = json.loads(answer.stdout)["commands"]
    return commands


def version_of(path: str) -> str:
    """What a binary says its version is; a failure names the machine, since it may be one of many."""
    place = f"{path} on {socket.gethostname()}"
    try:
        answer = subprocess.run([path, "--version"], capture_output=True, timeout=VERSION_TIMEOUT, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise RunError(IO_ERROR, f"{place}: cannot be run: {error}") from error
    if answer.returncode != 0:
        raise RunError(IO_ERROR, f"{place}: cannot be run: {text_of(answer.stderr) or answer.returncode}")
    # The lines below tell the libraries, which may differ from machine to machine.
    return text_of(answer.stdout).partition("\n")[0]


def digest_of(path: str) -> str:
    """SHA-256 of a file, in hexadecimal digits."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@dataclass(frozen=True)
class Answer:
    """How a call of the binary ended."""

    status: int
    error: str

    def check(self) -> None:
        """Raises where the call failed.

        A status that `tillroll` does not have is the end of a process that something else stopped; it is raised as an
        error of the system, so that Spark tries the task again.
        """
        if self.status == 0:
            return
        if self.status < 0 or self.status > 128:
            raise OSError(f"tillroll was stopped (status {self.status}): {self.error}")
        raise RunError(self.status, self.error.removeprefix("tillroll: ") or f"tillroll ended with {self.status}")


def run(command: Sequence[str], *, cwd: str | None = None, stdin: int | None = None) -> Answer:
    """Calls the binary and waits for it. Standard output is not kept."""
    done = subprocess.run(
        list(command),
        cwd=cwd,
        stdin=subprocess.DEVNULL if stdin is None else stdin,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        check=False,
    )
    return Answer(done.returncode, text_of(done.stderr))


def text_of(data: bytes) -> str:
    """The text of what a program said."""
    return data.decode("utf-8", "replace").strip()
