"""The Spark session of a run, and how tasks are given to it."""

from __future__ import annotations

import os
import shutil
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from .binary import Binary
from .errors import IO_ERROR, RunError
from .storage import Java, Storage
from .worker import Setup, Worker

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

T = TypeVar("T")
R = TypeVar("R")

#: Settings of Hadoop that executors need to open URLs; delegation tokens come with their containers.
_HADOOP_PREFIXES = ("fs.", "hadoop.", "dfs.", "io.")


class Session:
    """Spark, as far as a run uses it."""

    def __init__(self, master: str | None, settings: Sequence[str]) -> None:
        from pyspark.sql import SparkSession

        # A user's own choice of what Spark logs stands.
        if "SPARK_CONF_DIR" not in os.environ:
            log = os.path.join(os.path.dirname(os.path.abspath(__file__)), "log4j2.properties")
            os.environ.setdefault("SPARK_SUBMIT_OPTS", f"-Dlog4j2.configurationFile={log}")
        builder = SparkSession.builder.appName("tillroll")
        if master:
            builder = builder.master(master)
        builder = builder.config("spark.ui.showConsoleProgress", "false")
        for setting in settings:
            name, _, value = setting.partition("=")
            builder = builder.config(name, value)
        try:
            self.spark: SparkSession = builder.getOrCreate()
        except Exception as error:
            raise RunError(IO_ERROR, f"Spark does not start: {reason_of(error)}") from error
        self.context = self.spark.sparkContext
        self.context.setLogLevel("ERROR")
        self.scratch = tempfile.mkdtemp(prefix="tillroll-spark-")
        jsc: Any = self.context._jsc
        self.java = Java(self.context._jvm, jsc.hadoopConfiguration())
        self.storage = Storage(self.java)
        self._ship_package()

    @property
    def is_local(self) -> bool:
        """Whether all tasks run on this machine, in this process's Spark."""
        master = self.context.master or ""
        return master.startswith("local") and not master.startswith("local-cluster")

    @property
    def processors(self) -> int:
        """Tasks that run at once, as far as is known now."""
        return int(self.context.defaultParallelism)

    @property
    def task_processors(self) -> int:
        return int(self.context.getConf().get("spark.task.cpus") or "1")

    def _ship_package(self) -> None:
        """Gives the executors this package, which they need not have installed."""
        folder = os.path.dirname(os.path.abspath(__file__))
        path = os.path.join(self.scratch, "tillroll_spark.zip")
        with zipfile.ZipFile(path, "w") as archive:
            for name in sorted(os.listdir(folder)):
                if name.endswith(".py"):
                    archive.write(os.path.join(folder, name), f"tillroll_spark/{name}")
        self.context.addPyFile(path)

    def setup(self, binary: Binary, files: Iterable[str], installed: str | None) -> Setup:
        """What every task is told; ships the binary unless executors have one."""
        shipped = None
        if installed is None:
            shipped = f"tillroll-{binary.sha256[:16]}"
            copy = os.path.join(self.scratch, shipped)
            shutil.copy(binary.path, copy)
            self.context.addFile(copy)
        contents: dict[str, bytes] = {}
        for path in files:
            with open(path, "rb") as file:
                contents[path] = file.read()
        return Setup(
            folder=os.getcwd(),
            shipped=shipped,
            installed=installed,
            version=binary.version,
            sha256=binary.sha256,
            files=contents,
            hadoop=self._hadoop_settings(),
            jobs=self.task_processors,
        )

    def _hadoop_settings(self) -> dict[str, str]:
        """The settings of file systems that the user gave, in files or as `spark.hadoop.…`."""
        settings: dict[str, str] = {}
        iterator = self.java.conf.iterator()
        while iterator.hasNext():
            entry = iterator.next()
            name = str(entry.getKey())
            if name.startswith(_HADOOP_PREFIXES) and "default.xml" not in " ".join(
                str(source) for source in self.java.conf.getPropertySources(name) or []
            ):
                settings[name] = str(self.java.conf.get(name))
        return settings

    def each(self, items: Sequence[T], task: Callable[[T], R]) -> list[R]:
        """Runs a task for each item, on the executors, and gives the results in the order of the items."""
        if not items:
            return []
        try:
            return self.context.parallelize(items, len(items)).map(task).collect()
        except Exception as error:
            raise RunError(IO_ERROR, f"Spark gave up a step: {reason_of(error)}") from error

    def broadcast(self, value: T) -> Any:
        return self.context.broadcast(value)

    @contextmanager
    def worker(self, setup: Setup, tool: str) -> Iterator[Worker]:
        """What tasks have on executors, for what the driver does itself."""
        scratch = tempfile.mkdtemp(dir=self.scratch)
        try:
            yield Worker(setup, scratch, self.storage, tool)
        finally:
            shutil.rmtree(scratch, ignore_errors=True)

    def stop(self) -> None:
        """Ends Spark, and removes what the session has kept on this machine."""
        self.spark.stop()
        shutil.rmtree(self.scratch, ignore_errors=True)


def reason_of(error: Exception) -> str:
    """The line of an error of Spark that says the cause; its other lines are a trace of Java."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    causes = [
        line for line in lines if line.startswith(("OSError", "Caused by:", "java.", "org.apache.spark.SparkException"))
    ]
    return (causes or lines or [type(error).__name__])[0]
