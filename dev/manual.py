#!/usr/bin/env python3
"""Writes the manual pages (mdoc) from the help of the commands, so that nothing is said twice.

usage: tillroll --experimental-dump-help | manual.py FOLDER VERSION DATE

One page for the command and one for each of its subcommands; DATE is an ISO date. In the help, a line that ends in a
colon with indented lines below it is a list; "Start here:", "Examples:" and "Exit status:" become sections of their own.
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


def names(argument):
    value = " Ar " + text(argument["valueName"]) if argument["kind"] == "option" else ""
    flags = [("Fl \\-" if name["kind"] == "long" else "Fl ") + text(name["name"]) for name in argument["names"]]
    return ".It " + " , ".join(flags) + value


def options(arguments, level):
    lines, sections = [], {}
    for argument in arguments:
        if argument["shouldDisplay"] and argument["kind"] != "positional":
            sections.setdefault(argument.get("sectionTitle", "Other options"), []).append(argument)
    for title, members in sections.items():
        lines += [f".{level} {text(title)}", ".Bl -tag -width Ds"]
        for argument in members:
            values = argument.get("allValues")
            said = sentences(argument.get("abstract", "")) + sentences(argument.get("discussion", ""))
            if argument.get("defaultValue"):
                said.append(text(f"Default: {argument['defaultValue']}."))
            if values and not all(value in argument.get("abstract", "") for value in values):
                said.append(text(f"Values: {', '.join(values)}."))
            lines += [names(argument), *filter(None, said)]
        lines.append(".El")
    return lines


def synopsis(path, command):
    lines = [".Nm " + " ".join(path)]
    if any(argument["shouldDisplay"] and argument["kind"] != "positional" for argument in command["arguments"]):
        lines.append(".Op Ar options")
    for argument in command["arguments"]:
        if argument["kind"] == "positional" and argument["shouldDisplay"]:
            name = "Ar " + text(argument["valueName"]) + (" ..." if argument["isRepeating"] else "")
            lines.append(".Op " + name if argument["isOptional"] else "." + name)
    if subcommands(command):
        lines += [".Ar subcommand"]
    return lines


def subcommands(command):
    return [child for child in command.get("subcommands", []) if child["commandName"] != "help"]


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
    positional = [a for a in command["arguments"] if a["kind"] == "positional" and a["shouldDisplay"]]
    if positional:
        lines += [".Pp", "Operands:", ".Bl -tag -width Ds"]
        for argument in positional:
            lines += [".It Ar " + text(argument["valueName"]), *sentences(argument.get("abstract", ""))]
        lines.append(".El")
    return lines[1:] if lines[:1] == [".Pp"] else lines


def page(path, command, version, date, others):
    name = "-".join(path)
    abstract = command["abstract"].rstrip(".")
    later = {}
    lines = [
        f".Dd {date:%B} {date.day}, {date.year}",
        f".Dt {name.upper()} 1",
        f".Os tillroll {version}",
        ".Sh NAME",
        f".Nm {name}",
        ".Nd " + text(abstract[0].lower() + abstract[1:]),
        ".Sh SYNOPSIS",
        *synopsis(path, command),
        ".Sh DESCRIPTION",
        *([".Nm"] if not command.get("discussion") else []),
        *description(command, later),
    ]
    nested = subcommands(command) if len(path) > 1 else []
    if len(path) == 1:
        lines += [".Pp", "The subcommands:", ".Bl -tag -width Ds"]
        for child in subcommands(command):
            lines += [".It Xr " + "-".join(path + [child["commandName"]]) + " 1", text(child["abstract"])]
        lines.append(".El")
    for child in nested:
        lines += [".Ss " + " ".join(path + [child["commandName"]]), *sentences(child["abstract"])]
        lines += [".Pp", *description(child, later), *options(child["arguments"], "Ss")]
    listed = options(command["arguments"], "Ss")
    if listed and not nested:
        lines += [".Sh OPTIONS", *listed]
    for title in ("EXIT STATUS", "EXAMPLES"):
        if title == "EXIT STATUS" and title in later:
            lines += [".Sh EXIT STATUS", ".Bl -tag -width Ds"]
            for line in later[title]:
                number, meaning = line.split(None, 1)
                lines += [".It " + number, text(meaning[0].upper() + meaning[1:] + ".")]
            lines.append(".El")
        elif title in later:
            lines += [".Sh EXAMPLES", *display(later[title])]
    lines += [".Sh SEE ALSO", *[f".Xr {other} 1 ," for other in others[:-1]], *[f".Xr {other} 1" for other in others[-1:]]]
    return "\n".join(lines) + "\n"


def main():
    folder, version, date = pathlib.Path(sys.argv[1]), sys.argv[2], datetime.date.fromisoformat(sys.argv[3])
    root = json.load(sys.stdin)["command"]
    folder.mkdir(parents=True, exist_ok=True)
    path = [root["commandName"]]
    pages = {"-".join(path): (path, root)}
    for child in subcommands(root):
        pages["-".join(path + [child["commandName"]])] = (path + [child["commandName"]], child)
    for name, (path, command) in pages.items():
        others = sorted(other for other in pages if other != name)
        (folder / f"{name}.1").write_text(page(path, command, version, date, others), encoding="ascii")


main()
