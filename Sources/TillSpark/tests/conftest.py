"""What tests share: the binary, one Spark session, and the command run beside the binary."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tillroll_spark.binary import Binary
from tillroll_spark.command import main
from tillroll_spark.errors import RunError
from tillroll_spark.session import Session

ROOT = Path(__file__).resolve().parents[3]
#: Inputs of `Samples/` in every format, some of them broken.
SAMPLES = [
    f"Samples/{name}"
    for name in ["studio", "verify", "pkcs7", "legacy", "jws", "notification", "events", "odd", "broken", "csv"]
]
FLAGS = [
    "--prices", "Samples/prices.csv",
    "--anchor", "Samples/test-roots.pem",
    "--fx", "Samples/finance/studio-rates.csv",
    "--base-currency", "EUR",
]  # fmt: skip
#: Where the generator of dumps lies beside the project, if it does.
GENERATOR = ROOT.parent / "shared" / "bench" / "generate.py"
#: Little memory, so that the tests run beside other work.
SETTINGS = ("spark.driver.memory=1g", "spark.ui.enabled=false")


@pytest.fixture(scope="session")
def binary() -> Binary:
    try:
        return Binary.find(os.environ.get("TILLROLL"))
    except RunError as error:
        pytest.fail(f"{error.message} (make build)")


@pytest.fixture(autouse=True)
def at_root(monkeypatch: pytest.MonkeyPatch) -> None:
    """Samples have the names that they have for the user of a clone."""
    monkeypatch.chdir(ROOT)


@pytest.fixture(scope="session")
def session() -> Iterator[Session]:
    session = Session("local[2]", SETTINGS)
    yield session
    session.stop()


@dataclass
class Pair:
    """The same report by one process and by Spark."""

    binary: Binary
    session: Session
    folder: Path

    def one(self, *words: str) -> int:
        """Runs `tillroll report` with words of which `OUT` is its folder."""
        done = subprocess.run([self.binary.path, "report", *self._words("one", words), "--quiet"], check=False)
        return done.returncode

    def spark(self, *words: str) -> int:
        """Runs `tillroll-spark report` with words of which `OUT` is its folder."""
        words = tuple(self._words("spark", words))
        return main(["report", *words, "--tillroll", self.binary.path, "--quiet"], session=self.session)

    def _words(self, name: str, words: tuple[str, ...]) -> list[str]:
        (self.folder / name).mkdir(exist_ok=True)
        return [word.replace("OUT", str(self.folder / name)) for word in words]

    def output(self, who: str, name: str) -> bytes:
        return (self.folder / who / name).read_bytes()

    def assert_same(self, name: str) -> None:
        assert _comparable(self.output("spark", name)) == _comparable(self.output("one", name)), name


def _comparable(output: bytes) -> bytes:
    """Without the exception of charges under two original ids: closed partials do not find it, and `merge` says so."""
    return re.sub(rb',\{"name":"same_line_item","count":\d+\}|\{"name":"same_line_item","count":\d+\},?', b"", output)


@pytest.fixture
def pair(binary: Binary, session: Session, tmp_path: Path) -> Pair:
    return Pair(binary, session, tmp_path)
