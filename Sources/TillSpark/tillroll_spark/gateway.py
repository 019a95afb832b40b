"""A Java virtual machine for a Python worker on an executor, with the class path of the executor itself."""

from __future__ import annotations

import os
import re
from typing import Any

from .errors import IO_ERROR, RunError

_jvm: Any = None
#: Memory of the virtual machine; it copies streams and keeps nothing.
_HEAP = "-Xmx192m"


def executor_jvm() -> Any:
    """The virtual machine of this worker, started when it is first asked for and ended with the worker."""
    global _jvm
    if _jvm is None:
        from py4j.java_gateway import GatewayParameters, JavaGateway, launch_gateway

        java, class_path = _executor_java()
        port, token = launch_gateway(
            classpath=class_path,
            javaopts=[_HEAP, "-XX:+UseSerialGC"],
            java_path=java,
            jarpath=_py4j_jar(class_path),
            die_on_exit=True,
            enable_auth=True,
        )
        _jvm = JavaGateway(gateway_parameters=GatewayParameters(port=port, auth_token=token)).jvm
    return _jvm


def _executor_java() -> tuple[str, str]:
    """The program and the class path of the executor that started this worker: the nearest parent that runs Java."""
    process = os.getpid()
    while process > 1:
        with open(f"/proc/{process}/cmdline", "rb") as file:
            words = [os.fsdecode(word) for word in file.read().split(b"\0")]
        if os.path.basename(words[0]) == "java":
            return os.readlink(f"/proc/{process}/exe"), _class_path(words, process)
        with open(f"/proc/{process}/stat", encoding="ascii", errors="replace") as file:
            process = int(file.read().rpartition(")")[2].split()[1])
    raise RunError(IO_ERROR, "a Python worker finds no executor above it, whose class path it needs to read a URL")


def _class_path(words: list[str], process: int) -> str:
    for flag in ("-cp", "-classpath", "--class-path"):
        if flag in words:
            return words[words.index(flag) + 1]
    # YARN gives it in the environment.
    with open(f"/proc/{process}/environ", "rb") as file:
        match = re.search(rb"(?:^|\0)CLASSPATH=([^\0]*)", file.read())
    return os.fsdecode(match.group(1)) if match else ""


def _py4j_jar(class_path: str) -> str:
    """The library of py4j among Spark's own."""
    for entry in class_path.split(":"):
        folder = entry.removesuffix("*")
        if os.path.basename(entry).startswith("py4j-"):
            return entry
        if os.path.isdir(folder):
            for name in os.listdir(folder):
                if name.startswith("py4j-") and name.endswith(".jar"):
                    return os.path.join(folder, name)
    raise RunError(IO_ERROR, "there is no py4j library on the class path of the executor")
