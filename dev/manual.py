#!/usr/bin/env python3
"""Writes the manual pages (mdoc) from the help of the commands, so that nothing is said twice.

usage: tillroll --dump-help | manual.py FOLDER VERSION DATE

One page for the program and one for each command; DATE is an ISO date. In the help, a line that ends in a colon with indented lines below it is a list; "Start here:", "Examples:" and "Exit status:" become sections of their own.
"""

import datetime
import json
import pathlib
import re
import sys


def text(words):
    """Running text: what roff would act on is escaped, what is not ASCII is named."""
    words = words.replace("\\", "\\e").replace("'", "\\(aq").replace('"', "\\(dq")
    words = re.sub(r"(?<![\w.])--?(?=\w)", lambda dashes: "\\-" * len(dashes[0]), words)
    words = "".join(c if c < "\x7f" else f"\\[u{ord(c):04X}]" for c in words)
    return "\\&" + words if words[:1] == "." else words


def literal(line):
    line = line.replace("\\", "\\e").replace("'", "\\(aq").replace("`", "\\(ga").replace("-", "\\-")
    line = "".join(c if c < "\x7f" else f"\\[u{ord(c):04X}]" for c in line)
    return "\\&" + line if line[:1] == "." else line


def sentences(words):
    """Sentences on lines of their own, as mdoc wants them."""
    return [text(sentence) for sentence in re.split(r"(?<=[.;:?]) (?=[A-Z'])", " ".join(words.split()))]


def blocks(discussion):
    """The paragraphs of a help text: (heading or None, lines)."""
    for block in re.split(r"\n\s*\n", discussion or ""):
        lines = block.split("\n")
        if len(lines) > 1 and lines[0].endswith(":") and all(line.startswith("  ") for line in lines[1:]):
            yield lines[0][:-1], [line[2:] for line in lines[1:]]
        elif block.strip():
            yield None, [" ".join(line.strip() for line in lines)]


def display(lines):
    return [".Bd -literal -offset indent", *map(literal, lines), ".Ed"]


def names(flag):
    spellings = ([f"Fl {flag['short']}"] if flag["short"] else []) + [f"Fl \\-{text(flag['name'])}"]
    return ".It " + " , ".join(spellings) + (" Ar " + text(flag["value"]) if flag["value"] else "")


def options(flags):
    lines, groups = [], {}
    for flag in flags:
        if not flag["hidden"]:
            groups.setdefault(flag["group"], []).append(flag)
    for title, members in groups.items():
        lines += [f".Ss {text(title)}", ".Bl -tag -width Ds"]
        for flag in members:
            said = sentences(flag["help"])
            if not all(word in flag["help"] for word in flag["words"]):
                said.append(text(f"Values: {', '.join(flag['words'])}."))
            if flag["usual"] and flag["usual"] not in flag["help"]:
                said.append(text(f"Default: {flag['usual']}."))
            lines += [names(flag), *filter(None, said)]
        lines.append(".El")
    return lines


def synopsis(path, command):
    lines = [".Nm " + " ".join(path), ".Op Ar flags" if command.get("flags") else ".Ar command"]
    for operand in command.get("operands", []):
        name = "Ar " + text(operand["name"]) + (" ..." if operand["repeats"] else "")
        lines.append(".Op " + name if operand["optional"] else "." + name)
    return lines


def description(command, later):
    """The help text; lists that are sections of the page go to `later`."""
    lines = []
    for heading, body in blocks(command.get("discussion")):
        if heading in ("Start here", "Examples", "Example"):
            later.setdefault("EXAMPLES", []).extend(body)
        elif heading == "Exit status":
            later["EXIT STATUS"] = body
        elif heading:
            lines += [".Pp", text(heading) + ":", *display(body)]
        else:
            lines += [".Pp", *sentences(body[0])]
    if command.get("operands"):
        lines += [".Pp", "Operands:", ".Bl -tag -width Ds"]
        for operand in command["operands"]:
            lines += [".It Ar " + text(operand["name"]), *sentences(operand["help"])]
        lines.append(".El")
    return lines[1:] if lines[:1] == [".Pp"] else lines


def page(path, command, version, date, others):
    name = "-".join(path)
    summary = command["summary"].rstrip(".")
    later = {}
    lines = [
        f".Dd {date:%B} {date.day}, {date.year}",
        f".Dt {name.upper()} 1",
        f".Os tillroll {version}",
        ".Sh NAME",
        f".Nm {name}",
        ".Nd " + text(summary[0].lower() + summary[1:]),
        ".Sh SYNOPSIS",
        *synopsis(path, command),
        ".Sh DESCRIPTION",
        *description(command, later),
    ]
    if command.get("commands"):
        lines += [".Pp", "The commands:", ".Bl -tag -width Ds"]
        for child in command["commands"]:
            lines += [".It Xr " + page_name(child) + " 1", text(child["summary"])]
        lines.append(".El")
    if command.get("flags"):
        lines += [".Sh OPTIONS", *options(command["flags"])]
    if "EXIT STATUS" in later:
        lines += [".Sh EXIT STATUS", ".Bl -tag -width Ds"]
        for line in later["EXIT STATUS"]:
            number, meaning = line.split(None, 1)
            lines += [".It " + number, text(meaning[0].upper() + meaning[1:] + ".")]
        lines.append(".El")
    if "EXAMPLES" in later:
        lines += [".Sh EXAMPLES", *display(later["EXAMPLES"])]
    lines += [".Sh SEE ALSO", *[f".Xr {other} 1 ," for other in others[:-1]], *[f".Xr {other} 1" for other in others[-1:]]]
    return "\n".join(lines) + "\n"


def page_name(command):
    return "-".join(["tillroll", *command["name"].split()])


def main():
    folder, version, date = pathlib.Path(sys.argv[1]), sys.argv[2], datetime.date.fromisoformat(sys.argv[3])
    root = json.load(sys.stdin)
    folder.mkdir(parents=True, exist_ok=True)
    pages = {"tillroll": (["tillroll"], root)}
    for command in root["commands"]:
        pages[page_name(command)] = (["tillroll", *command["name"].split()], command)
    for name, (path, command) in pages.items():
        others = sorted(other for other in pages if other != name)
        (folder / f"{name}.1").write_text(page(path, command, version, date, others), encoding="ascii")


main()
