"""rules_page.py: prints docs/rules.md, from the documentation in the .bzl files that rules/synap.bzl exports.

Everything that a build file can write has a sentence: an attribute or an argument without one is an error.
"""

import inspect
import re
import sys
import textwrap

from rules.reference.starlark import Loader, Provider, Rule, Unknown

_HEAD = """# Rules
Written by a program from the documentation in `rules/`; a test compares them:
`./bazelw build //docs:rules_page && cp bazel-bin/docs/rules_page.md docs/rules.md`

    load("@synap//rules:synap.bzl", "synap_model")  # in this repository: //rules:synap.bzl

[rules/README.md](../rules/README.md) has an example and what a workspace declares. Each rule also takes what every rule of Bazel does
(`tags`, `testonly`, `visibility`, tests `size`).
"""

# The attributes that need no row of their own.
_COMMON = ["name", "size", "tags", "testonly", "visibility"]


def _markdown(text):
    """`text` with <name>, which would be markup, as it is meant; code needs nothing."""
    return re.sub(r"(```.*?```|`[^`]*`)|<", lambda found: found.group(1) or "&lt;", text, flags=re.DOTALL)


def _cell(text):
    return _markdown(" ".join(text.split())).replace("|", "\\|")


def _default(value):
    """As a build file writes it."""
    if value is None or isinstance(value, Unknown):
        return "–"
    if isinstance(value, str):
        return f'`"{value}"`' if value else "–"
    return f"`{value}`" if value not in ([], {}, ()) else "–"


def _table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return lines + ["| " + " | ".join(row) + " |" for row in rows]


def _description(doc):
    return [_markdown(textwrap.dedent(doc).strip()), ""]


def _rule_rows(name, rule):
    for attribute, value in sorted(rule.attributes.items()):
        # A size that a rule itself declares isn't Bazel's of tests.
        if attribute in _COMMON and attribute != "size":
            continue
        if not value.doc:
            raise ValueError(f"{name}: the attribute {attribute} has no doc; write one")
        yield [f"`{attribute}`", _cell(value.doc), "required" if value.mandatory else _default(value.default)]


def _split_docstring(name, function):
    """The description of a function, and the doc of each of its arguments."""
    doc = inspect.getdoc(function) or ""
    parts = re.split(r"^(Args|Returns):\n", doc, flags=re.MULTILINE)
    if not parts[0].strip():
        raise ValueError(f"{name} has no docstring; write one")
    sections = dict(zip(parts[1::2], parts[2::2]))
    args = {}
    for line in textwrap.dedent(sections.get("Args", "")).splitlines():
        begin = re.match(r"(\**\w+): (.*)", line)
        if begin:
            last = begin.group(1).lstrip("*")
            args[last] = begin.group(2)
        elif args and line.strip():
            args[last] += " " + line.strip()
    return parts[0], args


def _macro_rows(name, function, docs):
    for argument, value in inspect.signature(function).parameters.items():
        if argument not in docs:
            raise ValueError(f"{name}: the argument {argument} isn't among Args; write a line for it")
        if argument in _COMMON:
            continue
        required = value.default is inspect.Parameter.empty and value.kind != inspect.Parameter.VAR_KEYWORD
        default = None if value.default is inspect.Parameter.empty else value.default
        yield [f"`{argument}`", _cell(docs[argument]), "required" if required else _default(default)]


def _section(name, value):
    lines = [f"## {name}"]
    if isinstance(value, Rule):
        if not value.doc:
            raise ValueError(f"{name} has no doc; write one")
        lines += _description(value.doc) + _table(["attribute", "meaning", "default"], _rule_rows(name, value))
    elif isinstance(value, Provider):
        fields = [[f"`{field}`", _cell(doc)] for field, doc in sorted(value.fields.items())]
        lines += _description(value.doc) + _table(["field", "meaning"], fields)
    else:
        doc, args = _split_docstring(name, value)
        lines += _description(doc) + _table(["attribute", "meaning", "default"], _macro_rows(name, value, args))
    return "\n".join(lines)


def page(root, file="//rules:synap.bzl"):
    """The page as text. `root`: the folder of the workspace. Throws ValueError for what isn't documented."""
    exported = {name: value for name, value in Loader(root).load("", file).items()
                if name.startswith(("synap_", "Synap")) and not isinstance(value, Unknown)}
    providers = sorted(name for name in exported if isinstance(exported[name], Provider))
    rules = sorted(name for name in exported if name not in providers)
    return "\n".join([_HEAD] + [_section(name, exported[name]) + "\n" for name in rules + providers])


if __name__ == "__main__":
    sys.stdout.write(page("."))
