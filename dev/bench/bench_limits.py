"""What the machine can do at all: the limit programs beside the project, compiled here, and `openssl speed`."""
import re
import shutil
import subprocess
import time

from measuring import tell

PROGRAMS = {
    "io_limit": ["g++", "-O3", "-march=native", "-std=c++17", "-pthread", "io_limit.cpp", "-lsimdjson"],
    "receipt_limit": ["cc", "-O3", "-march=native", "receipt_limit.c"],
    "gz_limit": ["cc", "-O3", "gz_limit.c", "-lz", "-ldeflate", "-lisal"],
}
PACKAGES = {"io_limit": "libsimdjson-dev", "gz_limit": "libdeflate-dev and libisal-dev"}


class Limits:
    """Each answers in MB/s, or with nothing where what it needs is missing, which is told once."""

    def __init__(self, sources, folder, jobs):
        self.sources, self.folder, self.jobs = sources, folder, jobs
        self.missing = set()

    def _output(self, name, *arguments):
        if name in self.missing or not (self.sources / "limits").is_dir():
            return None
        self.folder.mkdir(parents=True, exist_ok=True)
        program = self.folder / name
        compiler, *flags = PROGRAMS[name]
        built = program.exists() or subprocess.run(
            [compiler, *flags, "-o", program.resolve()], cwd=self.sources / "limits", stderr=subprocess.DEVNULL
        ).returncode == 0
        if not built:
            self.missing.add(name)
            tell(f"no {name}: it does not compile here; packages it needs: {PACKAGES.get(name, 'a C compiler')}")
            return None
        result = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, check=False)
        if result.returncode != 0:
            tell(f"no {name}: it ended with status {result.returncode}")
            return None
        return result.stdout

    def json(self, kind, file):
        """simdjson's extraction of the fields of `verify` or `events` and a hash set, on as many threads as the product has, reading included."""
        chunk, by_pread, whole = 1024, "-", 4
        output = self._output("io_limit", kind, file, self.jobs, 5, chunk, by_pread, whole)
        return output and _number(r"read\+extract\+count .*? (\d+) MB/s", output)

    def receipts(self, file):
        """Reading, then SIMD base64, then a walk in C, on one thread: the three times added up."""
        output = self._output("receipt_limit", file)
        if not output:
            return None
        decoding = max(map(float, re.findall(r"base64 \S+: [\d.]+ s, (\d+) MB/s", output)))
        walking = _number(r"\((\d+) MB/s of file\)", output)
        return 1 / (1 / _reading(file) + 1 / decoding + 1 / walking)

    def gzip(self, file, byte_count):
        """The fastest library that streams, in MB/s of output: ISA-L where it works, else zlib."""
        output = self._output("gz_limit", file, byte_count)
        return output and max(_number(rf"{name} stream 1M: (\d+) MB/s", output) or 0 for name in ("zlib", "isa-l"))

    def zstd(self, file, byte_count):
        """libzstd through its own command, in MB/s of output."""
        result = subprocess.run(["zstd", "-b", "-d", "-i3", file], capture_output=True, text=True, check=False)
        return _number(r"(\d+\.?\d*) MB/s\s*$", (result.stdout + result.stderr).replace("\r", "\n").strip())

    def signatures(self):
        """RSA-2048 verifications a second of one processor, as `openssl speed` counts them."""
        if not shutil.which("openssl"):
            tell("no openssl here: signatures are not compared with it")
            return None
        result = subprocess.run(
            ["openssl", "speed", "-seconds", "2", "rsa2048"], capture_output=True, text=True, check=False
        )
        return _number(r"rsa 2048 bits .* ([\d.]+)\s*$", result.stdout.strip())


def _reading(path):
    """MB/s at which a cached file is read into one buffer of 1 MiB: the best of five times."""
    buffer, best = bytearray(1 << 20), float("inf")
    for _ in range(5):
        begin, size = time.perf_counter(), 0
        with open(path, "rb", buffering=0) as file:
            while count := file.readinto(buffer):
                size += count
        best = min(best, time.perf_counter() - begin)
    return size / best / 1e6


def _number(pattern, text):
    found = re.search(pattern, text, re.MULTILINE)
    return float(found[1]) if found else None
