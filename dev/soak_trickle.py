"""A trickle into commands that run for long: what `soak.py` does for most of its time. Linux only, standard library only."""
import collections
import fcntl
import json
import os
import pty
import random
import re
import select
import shutil
import signal
import struct
import subprocess
import tempfile
import termios
import threading
import time
from pathlib import Path

MARCH = 1772323200000  # 2026-03-01T00:00:00Z
# Seconds from the last byte of a document to its row, or to its count on the screen.
LATENCY = 1.0
# Bytes that a process may grow after its first quarter, and those for each document that its report has to remember.
GROWTH = 12e6
REMEMBERED = 160
WATCHING = re.compile(rb"Watching: (\d+) documents")
COUNTED = re.compile(rb"Documents ([\d,]+)")


def transaction(number):
    row = {
        "product_id": f"com.example.p{number % 50}", "transaction_id": str(10**9 + number),
        "original_transaction_id": str(10**9 + number), "purchase_date_ms": str(MARCH + number * 1000), "quantity": "1",
    }
    return json.dumps({"status": 0, "environment": "Production", "latest_receipt_info": [row]}).encode() + b"\n"


def event(number):
    error = {"domain": "SKErrorDomain", "code": number % 15}
    return json.dumps(
        {"v": 1, "ts": MARCH + number * 1000, "event": "failed", "product_id": "p", "attempt_id": str(number), "error": error}
    ).encode() + b"\n"


def resident(process):
    try:
        with open(f"/proc/{process}/status") as status:
            return next((int(line.split()[1]) * 1024 for line in status if line.startswith("VmRSS")), 0)
    except OSError:
        return 0


class Latencies:
    """When documents were written, and how long each took to arrive. Time in which the command was stopped does not count."""

    def __init__(self):
        self.lock = threading.Lock()
        self.waiting = collections.deque()
        self.seconds = []
        self.resumed = 0.0
        self.stopped = False

    def wrote(self, numbers):
        now = time.monotonic()
        with self.lock:
            self.waiting.extend((number, now) for number in numbers)

    def arrived(self, count):
        """All documents before `count` have arrived, in the order in which they were written."""
        now = time.monotonic()
        with self.lock:
            while self.waiting and self.waiting[0][0] < count:
                since = max(self.waiting.popleft()[1], self.resumed)
                self.seconds.append(max(0.0, now - since))


class Trickle:
    """A command that reads documents which come slowly, in pieces and in bursts, and is stopped, continued and asked for its state."""

    def __init__(self, name, command, document, seconds, seed):
        self.name, self.command, self.document, self.seconds = name, command, document, seconds
        self.random = random.Random(seed)
        self.written = 0
        self.latencies = Latencies()
        self.memory = []
        self.defects = []
        self.asked = 0
        self.answered = 0
        self.messages = b""

    # MARK: How it is started; one of these is overridden

    def start(self):
        raise NotImplementedError

    def feed(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def finish(self):
        raise NotImplementedError

    # MARK: The run

    def run(self):
        try:
            self.start()
            threads = [threading.Thread(target=work, daemon=True) for work in (self.read, self.listen, self.disturb)]
            for thread in threads:
                thread.start()
            self.write()
            self.settle()
            self.finish()
            for thread in threads:
                thread.join(20)
        except (OSError, subprocess.SubprocessError, ValueError) as error:
            self.defects.append(f"{type(error).__name__}: {error}")
        finally:
            if self.process.poll() is None:
                self.process.kill()
        self.judge()

    def write(self):
        """Documents for as long as the run lasts: about 100 a second, some cut in two, with pauses and bursts."""
        end = time.monotonic() + self.seconds
        while time.monotonic() < end:
            kind = self.random.random()
            count = self.random.randint(200, 2_000) if kind < 0.004 else self.random.randint(1, 5)
            lines = [self.document(number) for number in range(self.written, self.written + count)]
            if kind > 0.9:
                # The last document comes in two pieces.
                last = lines.pop()
                cut = self.random.randint(1, len(last) - 1)
                self.send(lines)
                self.feed(last[:cut])
                time.sleep(self.random.random() * 0.5)
                self.feed(last[cut:])
                self.latencies.wrote([self.written])
                self.written += 1
            else:
                self.send(lines)
            time.sleep(self.random.uniform(1, 6) if 0.004 < kind < 0.007 else 0.03)
            self.memory.append(resident(self.process.pid))

    def send(self, lines):
        if lines:
            self.feed(b"".join(lines))
            self.latencies.wrote(range(self.written, self.written + len(lines)))
            self.written += len(lines)

    def settle(self):
        deadline = time.monotonic() + 10
        while self.latencies.waiting and time.monotonic() < deadline:
            time.sleep(0.05)

    def disturb(self):
        """Stops and continues the command, and asks it for its state."""
        chance = random.Random(self.random.random())
        while self.process.poll() is None:
            time.sleep(chance.uniform(0.5, 8))
            try:
                if chance.random() < 0.5:
                    self.process.send_signal(signal.SIGUSR1)
                    self.asked += 1
                else:
                    self.process.send_signal(signal.SIGSTOP)
                    time.sleep(chance.uniform(0.05, 2))
                    self.latencies.resumed = time.monotonic()
                    self.process.send_signal(signal.SIGCONT)
                    self.latencies.resumed = time.monotonic()
            except ProcessLookupError:
                return

    def listen(self):
        """Standard error: answers to SIGUSR1."""
        while data := os.read(self.errors.fileno(), 65536):
            self.messages += data
            self.answered += data.count(b"\n")

    def judge(self):
        seconds = sorted(self.latencies.seconds)
        if self.latencies.waiting:
            self.defects.append(f"{len(self.latencies.waiting)} documents never arrived")
        if len(seconds) > 0 and seconds[-1] > LATENCY:
            late = sum(value > LATENCY for value in seconds)
            self.defects.append(f"{late} of {len(seconds)} documents took more than {LATENCY} s, the slowest {seconds[-1]:.2f} s")
        quarter = max(1, len(self.memory) // 4)
        first, whole = max(self.memory[:quarter], default=0), max(self.memory, default=0)
        allowed = GROWTH + (REMEMBERED * self.written if self.remembers else 0)
        if whole - first > allowed:
            self.defects.append(f"grew from {first / 1e6:.0f} to {whole / 1e6:.0f} MB")
        at = (lambda share: seconds[min(len(seconds) - 1, int(share * len(seconds)))]) if seconds else (lambda _: float("nan"))
        self.told = (
            f"{self.name:24} {self.written:9,} documents, latency median {at(0.5) * 1e3:4.0f} ms, 99 % {at(0.99) * 1e3:4.0f} ms, "
            f"slowest {at(1) * 1e3:4.0f} ms; {first / 1e6:.1f} MB after a quarter, {whole / 1e6:.1f} MB at most; "
            f"{self.asked} questions for its state"
        )

    remembers = False


class Converted(Trickle):
    """`convert -t ndjson` from a pipe to a pipe: a row for each document, in order."""

    def start(self):
        self.errors, errors = self.pipe()
        self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors)
        errors.close()

    def pipe(self):
        reading, writing = os.pipe()
        return os.fdopen(reading, "rb"), os.fdopen(writing, "wb")

    row = re.compile(rb'"transaction_id":"(\d+)"')

    def read(self):
        expected = 0
        for line in self.process.stdout:
            if b'"table":"transactions"' not in line:
                continue
            number = int(self.row.search(line)[1]) - 10**9
            if number != expected:
                self.defects.append(f"row {number} came where {expected} was due")
                return
            expected += 1
            self.latencies.arrived(expected)

    def finish(self):
        self.process.stdin.close()
        if status := self.process.wait(30):
            self.defects.append(f"status {status}: {self.messages[-300:].decode(errors='replace')}")


class Rotated(Converted):
    """The same behind `tail -F`, of a log that is renamed and begun anew."""

    def start(self):
        self.folder = Path(tempfile.mkdtemp(prefix="soak"))
        self.log = open(self.folder / "log", "wb", buffering=0)
        self.tail = subprocess.Popen(["tail", "-n", "+1", "-F", self.folder / "log"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.errors, errors = self.pipe()
        self.process = subprocess.Popen(self.command, stdin=self.tail.stdout, stdout=subprocess.PIPE, stderr=errors)
        self.tail.stdout.close()
        errors.close()
        self.rotations = 0
        self.rotated = time.monotonic()

    def feed(self, data):
        self.log.write(data)
        # Only between documents; `tail` first has to see the end of the old file.
        if data.endswith(b"\n") and time.monotonic() - self.rotated > self.seconds / 20:
            time.sleep(1.5)
            self.log.close()
            os.replace(self.folder / "log", self.folder / "log.1")
            self.log = open(self.folder / "log", "wb", buffering=0)
            self.rotations += 1
            self.rotated = time.monotonic()

    def finish(self):
        self.tail.terminate()
        if status := self.process.wait(30):
            self.defects.append(f"status {status}: {self.messages[-300:].decode(errors='replace')}")
        self.log.close()
        shutil.rmtree(self.folder)


class Watched(Converted):
    """`report --watch` on a terminal; SIGINT ends it with the whole report."""

    remembers = True

    def start(self):
        self.terminal, terminal = pty.openpty()
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 160, 0, 0))
        self.errors, errors = self.pipe()
        self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=terminal, stderr=errors)
        os.close(terminal)
        errors.close()
        self.shown = b""

    def read(self):
        while True:
            ready, _, _ = select.select([self.terminal], [], [], 1)
            if not ready:
                continue
            try:
                data = os.read(self.terminal, 1 << 16)
            except OSError:
                return
            if not data:
                return
            self.shown = (self.shown + data)[-200_000:]
            if counts := WATCHING.findall(self.shown[-len(data) - 64:]):
                self.latencies.arrived(int(counts[-1]))

    def finish(self):
        self.process.send_signal(signal.SIGINT)
        status = self.process.wait(30)
        time.sleep(0.5)
        counts = COUNTED.findall(self.shown)
        if status != 130 and status != 0:
            self.defects.append(f"status {status}: {self.messages[-300:].decode(errors='replace')}")
        if not counts or int(counts[-1].replace(b",", b"")) != self.written:
            self.defects.append(f"the last report counts {counts[-1:]} documents of {self.written}")


class Signals:
    """Short runs one after the other, each ended by a signal or by a reader that goes away."""

    name = "signals"

    def __init__(self, tool, seconds, seed):
        self.tool, self.seconds, self.random = tool, seconds, random.Random(seed)
        self.defects, self.ends = [], collections.Counter()

    def run(self):
        end = time.monotonic() + self.seconds
        with tempfile.TemporaryDirectory(prefix="soak") as folder:
            self.folder = Path(folder)
            (self.folder / "in").write_bytes(b"".join(transaction(number) for number in range(20_000)))
            while time.monotonic() < end:
                try:
                    self.once()
                except (OSError, subprocess.SubprocessError) as error:
                    self.defects.append(f"{type(error).__name__}: {error}")
        told = ", ".join(f"{count} {name}" for name, count in sorted(self.ends.items()))
        self.told = f"{self.name:24} {sum(self.ends.values()):9,} runs: {told}"

    def once(self):
        kind = self.random.choice(["TERM", "INT", "HUP", "USR1", "STOP", "PIPE", "KILL"])
        output = self.random.choice(["out.ndjson", "rows/", "out.csv"])
        command = [self.tool, "convert", "in", "--quiet", *(["-o", output] if kind != "PIPE" else ["-t", "ndjson"])]
        if output.endswith("csv"):
            command += ["--table", "transactions"]
        process = subprocess.Popen(command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        time.sleep(self.random.random() * 0.12)
        if kind == "PIPE":
            process.stdout.read(1000)
            process.stdout.close()
        elif kind == "STOP":
            process.send_signal(signal.SIGSTOP)
            time.sleep(0.2)
            process.send_signal(signal.SIGCONT)
        else:
            process.send_signal(getattr(signal, f"SIG{kind}"))
        status = process.wait(20)
        if process.stdout and not process.stdout.closed:
            process.stdout.close()
        early = status in (-signal.SIGTERM, -signal.SIGINT, -signal.SIGHUP, -signal.SIGUSR1)
        usual = {"TERM": (0, 130), "INT": (0, 130), "HUP": (0, 130), "KILL": (0, -9)}.get(kind, (0,))
        self.ends[f"{kind} {'before its handlers' if early else status}"] += 1
        if status not in usual and not early:
            self.defects.append(f"{' '.join(command[1:])}, SIG{kind}: status {status}")
        self.look(kind, status, output)

    def look(self, kind, status, output):
        """The output is whole or absent, and nothing else is left but by SIGKILL."""
        left = sorted(entry.name for entry in self.folder.iterdir() if entry.name != "in")
        expected = {output.rstrip("/")} if status == 0 and kind != "PIPE" else set()
        if kind == "KILL":
            left = [name for name in left if not name.startswith(".")]
        if set(left) - {output.rstrip("/")} or (expected and not expected <= set(left)) or (status == 130 and left):
            self.defects.append(f"SIG{kind}, status {status}: left {left}")
        file = self.folder / output
        if file.is_file() and file.read_bytes().count(b"\n") not in (20_001, 40_000):
            self.defects.append(f"SIG{kind}, status {status}: {output} has {file.read_bytes().count(chr(10).encode())} lines")
        for name in os.listdir(self.folder):
            if name != "in":
                entry = self.folder / name
                shutil.rmtree(entry) if entry.is_dir() else entry.unlink()


def parts(tool, seconds, seed):
    convert = [tool, "convert", "-t", "ndjson", "--quiet"]
    return [
        Converted("convert", convert, transaction, seconds, seed),
        Rotated("convert, rotated logs", convert, transaction, seconds, seed + 1),
        Watched("report failures --watch", [tool, "report", "failures", "--watch"], event, seconds, seed + 2),
        Watched("report revenue --watch", [tool, "report", "revenue", "--watch"], transaction, seconds, seed + 3),
        Signals(tool, seconds, seed + 4),
    ]


def run(tool, seconds, seed):
    """Lines about the runs, and their defects."""
    running = parts(tool, seconds, seed)
    threads = [threading.Thread(target=part.run) for part in running]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [part.told for part in running], [f"{part.name}: {defect}" for part in running for defect in part.defects[:5]]
