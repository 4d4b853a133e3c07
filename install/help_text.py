"""Reader of the texts that our programs print for --help."""

import dataclasses
import re
import subprocess


@dataclasses.dataclass
class Entry:
    """An option or a subcommand: `-i,--src`, `TEXT REQUIRED`, `Source file`."""
    names: list
    value: str  # "" for flags and subcommands
    text: str


@dataclasses.dataclass
class Help:
    summary: str
    usage: str  # without the program's name
    sections: dict  # title -> list of Entry; options are in "Options"

    def options(self):
        return self.sections.get("Options", [])

    def commands(self):
        return [entry for title, entries in self.sections.items() if title != "Options" for entry in entries]


def _entry(line):
    left, _, text = line.strip().partition("  ")
    names, _, value = left.partition(" ")
    return Entry(names.split(","), value, text.strip())


def parse(text):
    """A help text as a Help. Its lines: a summary, 'Usage: ...', titles that end with ':', entries indented by two blanks."""
    before, _, after = text.partition("Usage: ")
    usage, _, body = after.partition("\n")
    sections, entries = {}, None
    for line in body.split("\n"):
        if re.match(r" {2}\S", line):
            if entries is None:
                entries = sections.setdefault("Options", [])
            entries.append(_entry(line))
        elif line.startswith("   ") and entries:
            entries[-1].text = (entries[-1].text + " " + line.strip()).strip()
        elif line.endswith(":"):
            entries = sections.setdefault(line[:-1], [])
    return Help(" ".join(before.split()), usage.partition(" ")[2], sections)


def read(program, *arguments):
    """What `program arguments... --help` prints."""
    result = subprocess.run([program, *arguments, "--help"], capture_output=True, text=True, check=True)
    return parse(result.stdout + result.stderr)
