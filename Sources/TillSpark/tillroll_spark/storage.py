"""Files of any file system that Spark reads: paths of this machine, or URLs that go through Hadoop's FileSystem.

On the driver the Java virtual machine of Spark does the work. A Python worker on an executor has none that it may
call, so it starts a small one of its own, with the class path of its executor, when the first URL needs it.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from .errors import IO_ERROR, NO_INPUT, RunError

_SCHEME = re.compile(r"^([a-zA-Z][a-zA-Z0-9+.-]*):/")
#: Bytes that are copied at once.
_BLOCK = 1 << 20


def is_local(url: str) -> bool:
    """Whether a path is one of the machine that asks."""
    match = _SCHEME.match(url)
    return match is None or match.group(1) == "file"


def local_path(url: str) -> str:
    """The path that a local URL means: of `file:/a`, `file:///a` and `/a` it is `/a`."""
    return "/" + url[len("file:") :].lstrip("/") if url.startswith("file:/") else url


def join(folder: str, *names: str) -> str:
    """A path or URL below a folder."""
    return "/".join([folder.rstrip("/"), *names])


@dataclass(frozen=True)
class Entry:
    """A file that was found."""

    url: str
    size: int
    #: When it was changed, in milliseconds.
    changed: int
    #: Why it is no file to read, such as `a named pipe`.
    passed_over: str | None = None
    #: Whether it is passed over because its name begins with a dot.
    is_hidden: bool = False


class Storage:
    """Reads and writes files; `java` gives the access to Hadoop's file systems where a URL needs it."""

    def __init__(self, java: Java) -> None:
        self._java = java

    def exists(self, url: str) -> bool:
        if is_local(url):
            return os.path.exists(local_path(url))
        with self._java.failing(url):
            path = self._java.path(url)
            return bool(self._java.file_system(path).exists(path))

    def make_folder(self, url: str) -> None:
        if is_local(url):
            os.makedirs(local_path(url), exist_ok=True)
            return
        with self._java.failing(url):
            path = self._java.path(url)
            self._java.file_system(path).mkdirs(path)

    def remove(self, url: str) -> None:
        """Removes a file or folder with all that is in it; nothing where there is none."""
        if is_local(url):
            path = local_path(url)
            if os.path.isdir(path) and not os.path.islink(path):
                shutil.rmtree(path, ignore_errors=True)
            else:
                with contextlib.suppress(FileNotFoundError):
                    os.remove(path)
            return
        with self._java.failing(url):
            path = self._java.path(url)
            self._java.file_system(path).delete(path, True)

    def put(self, source: str, url: str) -> None:
        """Copies a file of this machine to a URL, which shows it whole or not at all."""
        part = f"{url}.{os.getpid()}-{threading.get_ident()}.part"
        if is_local(url):
            os.makedirs(os.path.dirname(local_path(url)) or ".", exist_ok=True)
            shutil.copyfile(source, local_path(part))
            os.replace(local_path(part), local_path(url))
            return
        with self._java.failing(url):
            target = self._java.path(part)
            system = self._java.file_system(target)
            system.copyFromLocalFile(False, True, self._java.path("file://" + os.path.abspath(source)), target)
            final = self._java.path(url)
            system.delete(final, False)
            if not system.rename(target, final):
                raise RunError(IO_ERROR, f"{url}: cannot be written")

    def get(self, url: str, target: str) -> None:
        """Copies a file to this machine."""
        if is_local(url):
            shutil.copyfile(local_path(url), target)
            return
        with self._java.failing(url):
            path = self._java.path(url)
            self._java.file_system(path).copyToLocalFile(
                False, path, self._java.path("file://" + os.path.abspath(target)), True
            )

    def get_range(self, url: str, begin: int, end: int, target: str) -> None:
        """Copies the bytes of a file from `begin` to `end` to this machine."""
        if is_local(url):
            with open(local_path(url), "rb") as source, open(target, "wb") as copy:
                while begin < end:
                    count = os.sendfile(copy.fileno(), source.fileno(), begin, end - begin)
                    if count == 0:
                        raise RunError(IO_ERROR, f"{url}: ends at {begin} bytes, before {end}")
                    begin += count
            return
        with self._java.failing(url):
            path = self._java.path(url)
            stream = self._java.file_system(path).open(path)
            try:
                stream.seek(begin)
                with open(target, "wb") as copy:
                    while begin < end:
                        block = bytes(stream.readNBytes(min(_BLOCK, end - begin)))
                        if not block:
                            raise RunError(IO_ERROR, f"{url}: ends at {begin} bytes, before {end}")
                        copy.write(block)
                        begin += len(block)
            finally:
                stream.close()

    def local(self, url: str, folder: str, name: str) -> str:
        """A path of this machine with the contents of a file: its own, or that of a copy in `folder`."""
        if is_local(url):
            return local_path(url)
        target = os.path.join(folder, name)
        self.get(url, target)
        return target

    def head(self, url: str, count: int) -> bytes:
        """The first bytes of a file."""
        if is_local(url):
            with open(local_path(url), "rb") as file:
                return file.read(count)
        with self._java.failing(url):
            path = self._java.path(url)
            stream = self._java.file_system(path).open(path)
            try:
                return bytes(stream.readNBytes(count))
            finally:
                stream.close()

    def read_text(self, url: str) -> str | None:
        """The text of a small file; `None` where there is none."""
        if not self.exists(url):
            return None
        return self.head(url, 1 << 30).decode("utf-8")

    def write_text(self, url: str, text: str, scratch: str) -> None:
        """Writes a small file, by way of one in the local folder `scratch`."""
        path = os.path.join(scratch, f"text-{threading.get_ident()}")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        self.put(path, url)
        os.remove(path)

    def files(self, url: str) -> Iterator[Entry]:
        """The file, or all files of a folder and its folders by their names, as `tillroll` reads them."""
        yield from self._java.files(url)

    @contextlib.contextmanager
    def piped(self, url: str, begin: int) -> Iterator[int]:
        """The bytes of a file from `begin` on, as a descriptor that can be read while they come."""
        if is_local(url):
            with open(local_path(url), "rb") as file:
                file.seek(begin)
                yield file.fileno()
            return
        yield from self._java.piped(url, begin)


class Java:
    """Hadoop's file systems through a Java virtual machine that is there, or that is started when it is needed."""

    def __init__(self, jvm: Any = None, conf: Any = None, settings: dict[str, str] | None = None) -> None:
        self._jvm = jvm
        self._conf = conf
        #: Settings of Hadoop for a virtual machine of our own.
        self._settings = settings or {}

    @property
    def jvm(self) -> Any:
        if self._jvm is None:
            from .gateway import executor_jvm

            self._jvm = executor_jvm()
        return self._jvm

    @property
    def conf(self) -> Any:
        if self._conf is None:
            self._conf = self.jvm.org.apache.hadoop.conf.Configuration()
            for name, value in self._settings.items():
                self._conf.set(name, value)
        return self._conf

    def path(self, url: str) -> Any:
        return self.jvm.org.apache.hadoop.fs.Path(url)

    def file_system(self, path: Any) -> Any:
        return path.getFileSystem(self.conf)

    @contextlib.contextmanager
    def failing(self, url: str) -> Iterator[None]:
        """Turns an error of Java into one of a run, in a line."""
        from py4j.protocol import Py4JJavaError

        try:
            yield
        except Py4JJavaError as error:
            reason = str(error.java_exception.toString()).splitlines()[0]
            status = NO_INPUT if "FileNotFoundException" in reason else IO_ERROR
            raise RunError(status, f"{url}: {reason}") from error

    def files(self, url: str) -> Iterator[Entry]:
        if is_local(url):
            raise ValueError("local files are found by inputs.local_files")
        with self.failing(url):
            path = self.path(url)
            status = self.file_system(path).getFileStatus(path)
            yield from self._walk(status, url)

    def _walk(self, status: Any, url: str) -> Iterator[Entry]:
        if not status.isDirectory():
            yield Entry(url, int(status.getLen()), int(status.getModificationTime()))
            return
        path = status.getPath()
        children = {child.getPath().getName(): child for child in self.file_system(path).listStatus(path)}
        for name in sorted(children, key=lambda text: text.encode("utf-8", "surrogateescape")):
            # What Spark leaves beside its rows, such as _SUCCESS, holds nothing; dots are left out as on one machine.
            if not name.startswith("."):
                yield from self._walk(children[name], join(url, name))

    def piped(self, url: str, begin: int) -> Iterator[int]:
        """Has the virtual machine write the bytes of a file into a pipe."""
        import tempfile

        with tempfile.TemporaryDirectory() as folder:
            pipe = os.path.join(folder, "pipe")
            os.mkfifo(pipe, 0o600)
            failures: list[BaseException] = []
            # Both ends are open before the virtual machine begins, so that no error of it can leave one waiting.
            descriptor = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
            end = os.open(pipe, os.O_WRONLY)
            os.set_blocking(descriptor, True)

            def copy() -> None:
                try:
                    with self.failing(url):
                        path = self.path(url)
                        stream = self.file_system(path).open(path)
                        stream.seek(begin)
                        target = self.jvm.java.io.FileOutputStream(pipe)
                        self.jvm.org.apache.hadoop.io.IOUtils.copyBytes(stream, target, _BLOCK, True)
                except Exception as error:
                    # A reader that has enough closes the pipe. Any other error, such as that of a virtual machine that
                    # is gone, means that the bytes are not whole.
                    if "Broken pipe" not in str(error):
                        failures.append(error)
                finally:
                    os.close(end)

            writer = threading.Thread(target=copy, daemon=True)
            writer.start()
            try:
                yield descriptor
            finally:
                os.close(descriptor)
                writer.join()
            if failures:
                raise failures[0]
