"""man_page.py PROGRAM...: writes the manual page of each program, <name>.1, from its --help, into the folder that --out names."""

import os
import sys

from install import archive
from install import help_text


def quote(text):
    """Text for troff, in which a line that begins with '.' or "'" is a request and '-' may be a hyphen."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text[:1] in (".", "'") else text


def entries(title, items):
    lines = [".SH " + quote(title.upper())]
    for item in items:
        lines += [".TP", ".B " + quote(", ".join(item.names)) + (" " + quote(item.value) if item.value else ""), quote(item.text) or "."]
    return lines


def page(name, program, version):
    """The manual page of a program, and of its subcommands."""
    main = help_text.read(program)
    lines = ['.TH %s 1 "" "synap %s"' % (quote(name.upper()), version), ".SH NAME", quote("%s - %s" % (name, main.summary))]
    lines += [".SH SYNOPSIS", ".B " + quote(name), quote(main.usage)]
    for title, items in main.sections.items():
        lines += entries(title, items)
    for command in main.commands():
        if command.names == ["help"]:
            continue
        text = help_text.read(program, *command.names)
        lines += [".SH " + quote("%s %s" % (name, command.names[0])).upper(), quote(text.summary)]
        for items in text.sections.values():
            lines += entries("", items)[1:]
    return "\n".join(lines) + "\n"


def main(arguments):
    version = archive.read_version(arguments[0])
    for program, output in zip(arguments[1::2], arguments[2::2]):
        with open(output, "w", encoding="utf-8") as file:
            file.write(page(os.path.basename(program), program, version))


if __name__ == "__main__":
    main(sys.argv[1:])
