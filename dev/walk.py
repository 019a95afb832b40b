#!/usr/bin/env python3
"""Counts the functions of tillroll that one line of a dump passes through on its way to a row of a report.

    walk.py TILLROLL [--list]    prints the count for a verifyReceipt response and for a client event; with their names by module
    walk.py --self-test

TILLROLL is a debug build, where every function of the source is a function of the program. valgrind (callgrind) lists the functions
that run for a file with the line, and those that run for an empty file. The walk is the difference: the start and the end of the command are in
both. Counts are the same on every machine.

A function is what the source declares with `func`, and it counts once however often it runs. Initializers, accessors, operators,
closures and nested functions are read as part of something else, so they do not count. Neither do functions that the compiler derives,
nor functions that tillroll adds to types of the standard library: they are small primitives.
"""
import argparse
import collections
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SAMPLES = ROOT / "Samples"
SWIFT = os.environ.get("SWIFT", "swift")


@dataclass
class Walk:
    title: str
    sample: str
    member: tuple[str, object]  # the walk follows the first line with this member
    command: list[str]

    def line(self):
        name, value = self.member
        with open(SAMPLES / self.sample, encoding="utf-8") as lines:
            return next(line for line in lines if json.loads(line).get(name) == value)


WALKS = [
    Walk(
        "a verifyReceipt response to a row of revenue", "verify/responses.ndjson", ("status", 0),
        ["report", "revenue", "--prices", str(SAMPLES / "prices.csv")],
    ),
    Walk("a client event to a row of failures", "events/events.ndjson", ("event", "failed"), ["report", "failures"]),
]


@dataclass(frozen=True, order=True)
class Function:
    module: str
    symbol: str


# The output of callgrind

def entered(profile):
    """The symbols of all functions that ran, from a file of callgrind.

    The file numbers the names: `fn=(12) name` the first time, `fn=(12)` afterwards. `cfn` is a function that is called. A name that
    ends in an apostrophe and a number is a deeper level of a recursion.
    """
    return {
        match[1] for line in profile.splitlines()
        if (match := re.match(r"c?fn=\(\d+\) (.+?)(?:'\d+)?$", line))
    }


def run_under_callgrind(tool, command, folder):
    profile = folder / "callgrind.out"
    result = subprocess.run(
        ["valgrind", "--tool=callgrind", "--demangle=no", f"--callgrind-out-file={profile}", tool, *command],
        cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace",
    )
    if result.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\nended with status {result.returncode}: {result.stderr[-800:]}")
    return entered(profile.read_text(errors="replace"))


# Symbols of the compiler

@dataclass
class Node:
    kind: str
    text: str
    children: list

    def first(self, kind):
        """The first node of a kind, from the outside in."""
        found = (child if child.kind == kind else child.first(kind) for child in self.children)
        return next((node for node in found if node), None)


def trees(printed):
    """Symbols with the trees that `swift demangle --tree-only` prints for them: a node a line, two spaces for each level."""
    roots, symbol, path = {}, None, []
    for line in printed.splitlines():
        if line.startswith("Demangling for "):
            symbol, path = line.removeprefix("Demangling for "), []
        elif match := re.match(r'((?:  )*)kind=(\w+)(?:, (?:text="(.*)"|index=\d+))?$', line):
            node = Node(match[2], match[3] or "", [])
            del path[len(match[1]) // 2 :]
            if path:
                path[-1].children.append(node)
            else:
                roots[symbol] = node
            path.append(node)
    return roots


def module_of(root):
    """The module of tillroll that declares a function; None for every other symbol."""
    entity = root.children[0] if root.children else root
    if entity.kind == "Static" and entity.children:
        entity = entity.children[0]
    if entity.kind != "Function":
        return None
    context, *rest = entity.children
    name = next((node for node in rest if node.kind in ("Identifier", "PrivateDeclName", "LocalDeclName", "InfixOperator")), None)
    if name is None or name.kind in ("LocalDeclName", "InfixOperator"):
        return None
    # `hash(into:)` is nearly always derived, and its symbol does not say whether it is.
    if name.text.startswith("__derived_") or name.text == "hash":
        return None
    # An extension names its own module first, and then the type with the type's module.
    extension = context if context.kind == "Extension" else context.first("Extension")
    if extension and not is_ours(extension.children[1].first("Module")):
        return None
    home = context if context.kind == "Module" else context.first("Module")
    return home.text if is_ours(home) else None


def is_optimized(symbol, root):
    """Whether only the optimizer makes such a function of tillroll."""
    kinds = {node.kind for node in root.children}
    return "FunctionSignatureSpecialization" in kinds and re.match(r"_?\$s\d+till", symbol, re.IGNORECASE) is not None


def is_ours(module):
    return module is not None and module.text.lower().startswith("till")


def functions(symbols):
    """Functions of tillroll among symbols."""
    mangled = sorted(symbol for symbol in symbols if re.match(r"_?\$[sS]", symbol))
    found = set()
    roots = trees(demangled(mangled, "--tree-only"))
    if any(is_optimized(symbol, root) for symbol, root in roots.items()):
        print("walk.py: this build is optimized, so the counts are too low; give a debug build", file=sys.stderr)
    for symbol, root in roots.items():
        module = module_of(root)
        if module:
            found.add(Function(module, symbol))
    return found


def demangled(symbols, *options):
    try:
        return subprocess.run(
            [SWIFT, "demangle", *options], input="\n".join(symbols), capture_output=True, text=True, check=True
        ).stdout
    except OSError as error:
        sys.exit(f"{SWIFT} demangle: {error.strerror}")


def follow(walk, tool, folder):
    symbols = []
    for name, text in (("line.ndjson", walk.line()), ("empty.ndjson", "")):
        (folder / name).write_text(text, encoding="utf-8")
        symbols.append(run_under_callgrind(tool, [*walk.command, name, "--jobs", "1", "-t", "json"], folder))
    found = functions(symbols[0] - symbols[1])
    if not found:
        sys.exit("no function of tillroll ran for the line: a release build has no names; give a debug build")
    return found


def show(walk, found, lists):
    counts = collections.Counter(function.module for function in found)
    print(f"{len(found)} functions: {walk.title}")
    print("    " + ", ".join(f"{module} {count}" for module, count in counts.most_common()), flush=True)
    if lists:
        ordered = sorted(found)
        names = demangled([function.symbol for function in ordered], "--compact", "--simplified").splitlines()
        for module, name in sorted(zip((function.module for function in ordered), names)):
            print(f"    {module:16} {name}")


def self_test():
    profile = """# callgrind format
fn=(1) $s9TillInput1fyyF
0 9
cfn=(2) $s9TillInput1gyyF
calls=1 0
0 5
fn=(2)
0 4
fn=(3) $s9TillInput1gyyF'2
fn=(4) memcpy
fl=(7) fn=(9) not a function
"""
    assert entered(profile) == {"$s9TillInput1fyyF", "$s9TillInput1gyyF", "memcpy"}, entered(profile)

    def module(*lines):
        printed = "\n".join(["Demangling for $s1a", *lines, ""])
        roots = trees(printed)
        assert list(roots) == ["$s1a"]
        return module_of(roots["$s1a"])

    method = ["kind=Structure", '  kind=Module, text="TillInput"', '  kind=Identifier, text="Reader"']
    other = ["kind=Extension", '  kind=Module, text="TillInput"', "  kind=Structure", '    kind=Module, text="Swift"']
    plain = 'kind=Identifier, text="read"'

    def function(context, name):
        return ["kind=Global", "  kind=Function", *("    " + line for line in context), "    " + name, "    kind=Type"]

    assert module(*function(method, plain)) == "TillInput"
    assert module(*function(['kind=Module, text="tillroll"'], plain)) == "tillroll"
    assert module("kind=Global", "  kind=Static", *("  " + line for line in function(method, plain)[1:])) == "TillInput"
    assert module(*function(method, "kind=PrivateDeclName")) == "TillInput"
    assert module(*function(method, "kind=LocalDeclName")) is None
    assert module(*function(method, "kind=InfixOperator, text=\"==\"")) is None
    assert module(*function(method, 'kind=Identifier, text="__derived_struct_equals"')) is None
    assert module(*function(other, plain)) is None
    assert module(*function([*other[:3], '    kind=Module, text="TillCore"'], plain)) == "TillInput"
    assert module(*function(['kind=Module, text="Swift"'], plain)) is None
    assert module("kind=Global", "  kind=Getter", *("    " + line for line in method)) is None
    assert module("kind=Global", "  kind=PartialApplyForwarder", *function(method, plain)[1:]) is None
    assert module("kind=Global", "  kind=Suffix, text=\".resume\"") is None

    for walk in WALKS:
        assert json.loads(walk.line()), walk.title
    print("walk.py: self-test passed")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool", nargs="?", metavar="TILLROLL")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--self-test", action="store_true")
    arguments = parser.parse_args()
    if arguments.self_test:
        return self_test()
    if arguments.tool is None or not Path(arguments.tool).is_file():
        parser.error("name a debug build of tillroll")
    if not shutil.which("valgrind"):
        print("******** the walks were NOT COUNTED: there is no valgrind here ********", file=sys.stderr)
        return 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tool = folder / "tillroll"
        # valgrind 3.19 cannot read the debugging information and refuses it; names of functions stay.
        subprocess.run(["strip", "--strip-debug", "-o", tool, arguments.tool], check=True)
        for walk in WALKS:
            show(walk, follow(walk, tool, folder), arguments.list)
    return 0


if __name__ == "__main__":
    sys.exit(main())
