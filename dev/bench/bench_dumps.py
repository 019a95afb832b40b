"""The dumps that speed is measured on: generated where the generator lies beside the project, else the samples repeated."""
import json
import shutil
import subprocess
from pathlib import Path

from measuring import tell

# About 1.2 GB of responses, as the goals are stated for.
DOCS = 120_000
# Per response, so that each file has some hundreds of MB.
RECEIPTS_PER_DOC = 1
EVENTS_PER_DOC = 25


class Dumps:
    """Files of one seed and size in a folder of their own; a second run finds them there."""

    def __init__(self, scratch, project, beside, python, docs, seed):
        self.generator = beside / "bench" / "generate.py"
        self.project, self.python, self.docs, self.seed = project, python, docs, seed
        self.generated = self.generator.is_file() and self._can_generate()
        self.folder = scratch / "bench" / (f"{seed}-{docs}" if self.generated else f"samples-{docs}")
        self.prices = self.folder / "prices-tillroll.csv" if self.generated else project / "Samples" / "prices.csv"
        self.anchor = self.folder / "test-root.pem" if self.generated else project / "Samples" / "test-roots.pem"
        self.truth = self.folder / "truth.json" if self.generated else None
        self._make("made", self._generate if self.generated else self._repeat)
        self.verify = self.folder / "verify.ndjson"
        self.receipts = self.folder / "receipts.b64.ndjson"
        self.events = self.folder / "events.ndjson"
        self.bare = self.folder / "bare" / "verify.ndjson" if self.generated else None

    def origin(self):
        if self.generated:
            return f"generate.py --docs {self.docs} --seed {self.seed}"
        return "Samples, repeated"

    def _can_generate(self):
        try:
            subprocess.run([self.python, "-c", "import cryptography"], check=True, stderr=subprocess.DEVNULL)
            return True
        except (OSError, subprocess.CalledProcessError):
            tell(f"{self.python} has no package cryptography, which the generator needs: the samples are repeated instead")
            return False

    def _make(self, mark, make):
        """Makes what is not there yet; the mark is written last, so that what an interruption left is made anew."""
        done = self.folder / mark
        if not done.is_file():
            self.folder.mkdir(parents=True, exist_ok=True)
            make()
            done.touch()

    def _generate(self):
        tell(f"generating dumps below {self.folder} ({self.origin()}); the next run finds them there")
        base = [self.python, self.generator, "--seed", self.seed, "--docs", str(self.docs)]
        counts = ["--receipts", str(self.docs * RECEIPTS_PER_DOC), "--events", str(self.docs * EVENTS_PER_DOC)]
        none = ["--receipts", "0", "--events", "0", "--no-latest-receipt"]
        jobs = [
            subprocess.Popen(base + counts + ["--out", self.folder], stdout=subprocess.DEVNULL),
            subprocess.Popen(base + none + ["--out", self.folder / "bare"], stdout=subprocess.DEVNULL),
        ]
        if any([job.wait() for job in jobs]):
            raise SystemExit("the generator failed")

    def _repeat(self):
        samples = self.project / "Samples"
        for name, sample, count in [
            ("verify.ndjson", "verify/responses.ndjson", self.docs),
            ("receipts.b64.ndjson", "pkcs7/receipts.ndjson", self.docs * RECEIPTS_PER_DOC),
            ("events.ndjson", "events/events.ndjson", self.docs * EVENTS_PER_DOC),
        ]:
            repeat(samples / sample, count, self.folder / name)

    def part(self, file, lines):
        """The first lines of a file."""
        part = file.with_name(f"{file.name}.{lines}")

        def cut():
            with open(file, "rb") as source, open(part, "wb") as target:
                for _, line in zip(range(lines), source):
                    target.write(line)

        self._make(f"{part.name}.made", cut)
        return part

    def compressed(self, file, tool):
        """The file as `gzip` or `zstd` compresses it; nothing where there is no such tool."""
        if not shutil.which(tool):
            tell(f"no {tool} here: nothing is measured of it")
            return None
        packed = file.with_name(file.name + {"gzip": ".gz", "zstd": ".zst"}[tool])

        def pack():
            with open(packed, "wb") as target:
                subprocess.run([tool, "-c", "-q", file], stdout=target, check=True)

        self._make(f"{packed.name}.made", pack)
        return packed

    def documents(self, section):
        """How many receipts of a section can be read."""
        return json.loads(self.truth.read_text())[section]["documents"] if self.truth else None


def repeat(sample, lines, target):
    """Writes at least that many lines, repeating a sample; gives how many there are."""
    once = sample.read_bytes()
    if not once.endswith(b"\n"):
        once += b"\n"
    times = -(-lines // once.count(b"\n"))
    with open(target, "wb") as file:
        for _ in range(times):
            file.write(once)
    return times * once.count(b"\n")
