"""Lost tasks, tasks that run twice, drivers that start again, and binaries that are not the driver's."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import FLAGS, ROOT, SAMPLES, SETTINGS, Pair

from tillroll_spark.binary import Binary, digest_of
from tillroll_spark.errors import RunError
from tillroll_spark.worker import Setup, working

LINE = ["all", *SAMPLES, *FLAGS, "-o", "OUT/all.json", "--rejects", "OUT/rejects.ndjson"]
CLUSTER = ["--partitions", "5", "--split", "128K"]


def steps(work: Path) -> dict[str, Path]:
    """The folders of the steps, by the names of the steps."""
    return {path.name.partition("-")[0]: path for path in work.iterdir()}


def test_a_driver_that_starts_again_takes_up_finished_steps(pair: Pair, tmp_path: Path) -> None:
    work = tmp_path / "work"
    assert pair.one(*LINE) == 0
    assert pair.spark(*LINE, *CLUSTER, "--work", str(work), "--keep-work") == 0
    found = steps(work)
    before = {name: (folder / "done.json").stat().st_mtime_ns for name, folder in found.items()}
    # As if the driver had been lost before the last step finished.
    (found["close"] / "done.json").unlink()
    (found["accounts"] / "done.json").unlink()
    (tmp_path / "spark" / "all.json").unlink()
    assert pair.spark(*LINE, *CLUSTER, "--work", str(work), "--keep-work") == 0
    after = {name: (folder / "done.json").stat().st_mtime_ns for name, folder in steps(work).items()}
    assert set(after) == set(before) == {"read", "divide", "chains", "close", "accounts"}
    assert all(after[name] == before[name] for name in ("read", "divide", "chains"))
    assert all(after[name] > before[name] for name in ("close", "accounts"))
    pair.assert_same("all.json")
    pair.assert_same("rejects.ndjson")


def test_other_inputs_flags_and_files_of_flags_are_other_steps(pair: Pair, tmp_path: Path) -> None:
    work, dump, prices = tmp_path / "work", tmp_path / "dump.ndjson", tmp_path / "prices.csv"
    lines = (ROOT / "Samples/studio/transactions.ndjson").read_text().splitlines(keepends=True)
    dump.write_text("".join(lines[:200]))
    prices.write_text((ROOT / "Samples/prices.csv").read_text())
    line = ["revenue", str(dump), "--prices", str(prices), "-o", "OUT/r.json"]

    def run(*more: str) -> set[str]:
        assert pair.one(*line, *more) == 0
        assert pair.spark(*line, *more, "--partitions", "2", "--work", str(work), "--keep-work") == 0
        pair.assert_same("r.json")
        return {path.name for path in work.iterdir()}

    first = run()
    assert len(first) == 4
    second = run("--month", "2026-03")
    assert not first & (second - first) and len(second) == 8, "another period is another run"
    assert run() == second, "the same run is taken up"
    prices.write_text(prices.read_text().replace("9.99", "8.99"))
    third = run()
    assert len(third) == 12, "so is another price list of the same name"
    dump.write_text("".join(lines[:300]))
    assert len(run()) == 16, "other documents are read anew"


def test_a_run_that_ends_well_leaves_no_work(pair: Pair, tmp_path: Path) -> None:
    work = tmp_path / "work"
    assert pair.spark("restores", "Samples/verify", "-o", "OUT/r.json", "--partitions", "2", "--work", str(work)) == 0
    assert list(work.iterdir()) == []


def test_files_of_attempts_that_were_lost_are_read_by_nobody(pair: Pair, tmp_path: Path) -> None:
    """An attempt that wrote its rows and was lost before it told the driver has left a folder."""
    work = tmp_path / "work"
    line = ["revenue", "Samples/studio", *FLAGS, "-o", "OUT/r.json"]
    assert pair.one(*line) == 0
    assert pair.spark(*line, "--partitions", "2", "--work", str(work), "--keep-work") == 0
    found = steps(work)
    attempt = next(path for path in found["read"].iterdir() if path.is_dir())
    subprocess.run(["cp", "-r", attempt, attempt.with_name("0000000-lost")], check=True)
    for name in ("divide", "chains", "close"):
        partial = next(path for path in found[name].iterdir() if path.suffix == ".tillpart")
        subprocess.run(["cp", partial, partial.with_name("0000000-lost.tillpart")], check=True)
    for name in ("divide", "chains", "close"):
        (found[name] / "done.json").unlink()
    assert pair.spark(*line, "--partitions", "2", "--work", str(work), "--keep-work") == 0
    pair.assert_same("r.json")


def setup_of(path: str, version: str, sha256: str) -> Setup:
    return Setup(os.getcwd(), None, path, version, sha256, {}, {}, 1)


def test_a_binary_that_is_missing_or_another_is_one_clear_error(binary: Binary, tmp_path: Path) -> None:
    def refusal(path: str) -> str:
        with pytest.raises(RunError) as refused, working(setup_of(path, binary.version, binary.sha256)):
            pass
        assert refused.value.status == 74
        return refused.value.message

    assert "there is no tillroll on this executor" in refusal(str(tmp_path / "none"))
    other = tmp_path / "other"
    other.write_text("#!/bin/sh\necho 9.9.9\n")
    other.chmod(0o755)
    assert f"is version 9.9.9, and the driver has version {binary.version}" in refusal(str(other))
    other.write_text(f"#!/bin/sh\necho {binary.version}\n")
    assert f"is another build of version {binary.version}" in refusal(str(other))
    other.write_bytes(b"\x7fELF of another machine")
    assert "cannot be run" in refusal(str(other))
    with working(setup_of(binary.path, binary.version, digest_of(binary.path))) as worker:
        assert worker.tool == binary.path


def test_another_binary_on_executors_ends_the_run_with_its_name(
    pair: Pair, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line = ["restores", "Samples/verify", "-o", "OUT/r.json", "--executor-tillroll", str(tmp_path / "none")]
    assert pair.spark(*line) == 74
    said = capsys.readouterr().err.strip().splitlines()
    assert len([text for text in said if "there is no tillroll on this executor" in text]) == 1
    assert "Traceback" not in "".join(said)


def test_a_driver_without_its_java_process_says_so_in_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], pair: Pair
) -> None:
    def lose(self: object) -> int:
        raise ConnectionRefusedError(111, "Connection refused")

    monkeypatch.setattr("tillroll_spark.run.Run.run", lose)
    assert pair.spark("revenue", "Samples/verify", "-o", "OUT/r.json") == 74
    assert capsys.readouterr().err == (
        "tillroll-spark: Spark's Java process on this machine has ended; run the command again\n"
    )


def test_an_error_of_the_driver_s_machine_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], pair: Pair
) -> None:
    def fill(self: object) -> int:
        raise OSError(28, "No space left on device", "work/done.json")

    monkeypatch.setattr("tillroll_spark.run.Run.run", fill)
    assert pair.spark("revenue", "Samples/verify", "-o", "OUT/r.json") == 74
    assert capsys.readouterr().err == "tillroll-spark: [Errno 28] No space left on device: 'work/done.json'\n"


# --- On a cluster of two executors, in processes of their own


def started(
    pair: Pair, words: list[str], *, master: str = "local-cluster[2,1,1024]", conf: tuple[str, ...] = ()
) -> subprocess.Popen[str]:
    """Starts `tillroll-spark report` with a driver and executors in processes of their own."""
    command = [sys.executable, "-m", "tillroll_spark", "report", *words]
    command += ["--master", master, "--tillroll", pair.binary.path]
    for setting in (*SETTINGS, "spark.executor.memory=900m", *conf):
        command += ["--conf", setting]
    environment = os.environ | {"PYTHONPATH": str(ROOT / "Sources/TillSpark")}
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment)


def run_on_cluster(
    pair: Pair, tmp_path: Path, more: list[str], *, kill: str | None = None, conf: tuple[str, ...] = ()
) -> tuple[int, str, int]:
    """Runs the command on `local-cluster`, and kills an executor when a step begins; gives status, stderr and kills."""
    work = tmp_path / "work"
    process = started(pair, [*pair._words("spark", tuple(LINE)), *CLUSTER, *more, "--work", str(work)], conf=conf)
    kills = 0

    def watch() -> None:
        nonlocal kills
        while process.poll() is None and not kills:
            time.sleep(0.02)
            if kill and work.exists() and any(path.name.startswith(kill) for path in work.iterdir()):
                time.sleep(0.3)
                executors = executors_of(process.pid)
                if executors:
                    os.kill(executors[0], signal.SIGKILL)
                    kills += 1

    watcher = threading.Thread(target=watch)
    watcher.start()
    _, said = process.communicate(timeout=540)
    watcher.join()
    return process.returncode, said, kills


@pytest.fixture
def standalone(tmp_path: Path) -> Iterator[str]:
    """A standalone cluster of Spark on this machine, of two workers with a processor each; gives its URL."""
    import pyspark

    launcher = str(Path(pyspark.__file__).parent / "bin" / "spark-class")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"spark://127.0.0.1:{free.getsockname()[1]}"
    deploy = "org.apache.spark.deploy"
    place = ["-h", "127.0.0.1", "--webui-port", "0"]
    commands = [[launcher, f"{deploy}.master.Master", *place, "-p", url.rpartition(":")[2]]]
    for number in range(2):
        folder = str(tmp_path / f"worker-{number}")
        commands.append([launcher, f"{deploy}.worker.Worker", url, *place, "-c", "1", "-m", "1g", "-d", folder])
    processes = [
        subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for command in commands
    ]
    yield url
    for process in processes:
        process.terminate()
    for process in processes:
        process.wait()


@pytest.mark.slow
def test_a_standalone_cluster_makes_the_same_report(pair: Pair, tmp_path: Path, standalone: str) -> None:
    assert pair.one(*LINE) == 0
    words = [*pair._words("spark", tuple(LINE)), *CLUSTER, "--work", str(tmp_path / "work")]
    process = started(pair, words, master=standalone, conf=("spark.driver.host=127.0.0.1",))
    _, said = process.communicate(timeout=540)
    assert process.returncode == 0, said
    pair.assert_same("all.json")
    pair.assert_same("rejects.ndjson")


def executors_of(driver: int) -> list[int]:
    """The processes of executors that descend from a driver."""
    parents: dict[int, int] = {}
    executors = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            stat = (entry / "stat").read_text()
            line = (entry / "cmdline").read_bytes()
        except OSError:
            continue
        parents[int(entry.name)] = int(stat.rpartition(")")[2].split()[1])
        if b"CoarseGrainedExecutorBackend" in line:
            executors.append(int(entry.name))

    def descends(process: int) -> bool:
        while process > 1:
            if process == driver:
                return True
            process = parents.get(process, 1)
        return False

    return [process for process in executors if descends(process)]


@pytest.mark.slow
@pytest.mark.parametrize("step", ["read", "divide", "chains", "close"])
def test_an_executor_that_is_killed_in_a_step_changes_nothing(pair: Pair, tmp_path: Path, step: str) -> None:
    assert pair.one(*LINE) == 0
    status, said, kills = run_on_cluster(pair, tmp_path, [], kill=step)
    assert status == 0, said
    assert kills == 1
    pair.assert_same("all.json")
    pair.assert_same("rejects.ndjson")


@pytest.mark.slow
def test_tasks_that_run_twice_count_once(pair: Pair, tmp_path: Path) -> None:
    """Speculation starts a second attempt of each task that takes longer than a tenth of a second."""
    assert pair.one(*LINE) == 0
    conf = (
        "spark.speculation=true",
        "spark.speculation.interval=50ms",
        "spark.speculation.multiplier=1.01",
        "spark.speculation.quantile=0.1",
        "spark.speculation.minTaskRuntime=1ms",
    )
    status, said, _ = run_on_cluster(pair, tmp_path, ["--keep-work"], conf=conf)
    assert status == 0, said
    pair.assert_same("all.json")
    pair.assert_same("rejects.ndjson")
    read = steps(tmp_path / "work")["read"]
    told = {result["folder"] for result in json.loads((read / "done.json").read_text())["results"]}
    attempts = {path.name for path in read.iterdir() if path.is_dir()}
    assert told <= attempts


@pytest.mark.slow
def test_urls_are_read_and_written_through_hadoop(pair: Pair, tmp_path: Path) -> None:
    """`viewfs` is a file system of Hadoop over another; here it stands for HDFS and object stores."""
    dump = tmp_path / "dump"
    dump.mkdir()
    for name in ("studio/transactions.ndjson", "studio/events.ndjson", "broken/mixed.ndjson"):
        (dump / Path(name).name).write_bytes((ROOT / "Samples" / name).read_bytes())
    conf = (f"spark.hadoop.fs.viewfs.mounttable.here.link./here=file://{tmp_path}",)
    line = ["all", "viewfs://here/here/dump", *FLAGS, "-o", "viewfs://here/here/all.json"]
    line += ["--partitions", "3", "--split", "300K", "--work", "viewfs://here/here/work"]
    process = started(pair, [*line, "--rejects", str(tmp_path / "rejects.ndjson")], conf=conf)
    _, said = process.communicate(timeout=540)
    assert process.returncode == 0, said
    assert pair.one("all", str(dump), *FLAGS, "-o", "OUT/all.json", "--rejects", "OUT/rejects.ndjson") == 0
    assert (tmp_path / "all.json").read_bytes() == pair.output("one", "all.json")
    told = (tmp_path / "rejects.ndjson").read_text().replace("viewfs://here/here", str(tmp_path))
    assert told == pair.output("one", "rejects.ndjson").decode()


def test_the_driver_names_the_cause_of_a_step_that_spark_gives_up() -> None:
    from tillroll_spark.session import reason_of

    trace = textwrap.dedent(
        """\
        An error occurred while calling z:org.apache.spark.api.python.PythonRDD.collectAndServe.
        : org.apache.spark.SparkException: Job aborted due to stage failure: Task 3 failed 4 times
            at org.apache.spark.scheduler.DAGScheduler.abortStage
        OSError: tillroll was stopped (status -9):
        """
    )
    assert reason_of(RuntimeError(trace)) == "OSError: tillroll was stopped (status -9):"
