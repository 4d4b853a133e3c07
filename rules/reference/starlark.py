"""Runs .bzl files as Python, of which Starlark is a subset, and keeps what they document.

Only what stands at the top level runs: rules, providers and their attributes become the objects below, functions stay functions. What a
file loads from another repository, and builtins of Bazel that decide nothing here, become an `Unknown`.
"""

import os
from dataclasses import dataclass, field


@dataclass
class Attribute:
    kind: str  # "label_list"
    doc: str = ""
    default: object = None
    mandatory: bool = False


@dataclass
class Rule:
    doc: str
    attributes: dict = field(default_factory=dict)  # by name, in the order of the file
    test: bool = False


@dataclass
class Provider:
    doc: str
    fields: dict = field(default_factory=dict)  # name to its doc


class Unknown:
    """Any value of Bazel's: it can be called, added, indexed, and its attributes are such values, too."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __call__(self, *args, **kwargs):
        return self

    def __add__(self, other):
        return self

    __radd__ = __getitem__ = __add__


class Label(Unknown):
    def __init__(self, text):
        self.text = text

    def __str__(self):
        return self.text


class _Attributes:
    """`attr` of Starlark."""

    _DEFAULTS = {"bool": False, "int": 0, "int_list": [], "label_list": [], "string": "", "string_dict": {}, "string_list": [],
                 "string_list_dict": {}}

    def __getattr__(self, kind):
        def attribute(default=self._DEFAULTS.get(kind), doc="", mandatory=False, **_):
            return Attribute(kind, doc, str(default) if isinstance(default, Label) else default, mandatory)

        return attribute


def _rule(implementation=None, doc="", attrs=None, test=False, **_):
    return Rule(doc, {name: value for name, value in (attrs or {}).items() if not name.startswith("_")}, test)


def _provider(doc="", fields=None, **kwargs):
    made = Provider(doc, dict(fields) if isinstance(fields, dict) else {name: "" for name in fields or []})
    # With an initializer it returns also the raw constructor.
    return (made, made) if "init" in kwargs else made


class Loader:
    def __init__(self, root):
        """`root`: the folder of the workspace."""
        self._root = root
        self._files = {}

    def load(self, package, label):
        """The globals of a .bzl file, as a dict; None for one of another repository. Throws OSError for a missing one."""
        if label.startswith("@"):
            return None
        if label.startswith("//"):
            package, name = label[2:].split(":")
        else:
            name = label.lstrip(":")
        path = os.path.join(package, name)
        if path not in self._files:
            with open(os.path.join(self._root, path), encoding="utf-8") as file:
                code = compile(file.read(), path, "exec")
            self._files[path] = self._run(package, code)
        return self._files[path]

    def _run(self, package, code):
        values = {
            "Label": Label,
            "attr": _Attributes(),
            "provider": _provider,
            "rule": _rule,
            "struct": lambda **members: type("struct", (), members)(),
        }
        for name in ["aspect", "config", "depset", "fail", "native", "platform_common", "select", "transition"] + [
                "DefaultInfo", "CcInfo", "OutputGroupInfo", "analysis_test_transition", "apple_common", "cc_common", "testing"]:
            values[name] = Unknown()

        def load(label, *names, **aliases):
            loaded = self.load(package, label)
            for alias, name in [(name, name) for name in names] + list(aliases.items()):
                values[alias] = Unknown() if loaded is None else loaded[name]

        values["load"] = load
        exec(code, values)  # pylint: disable=exec-used
        return values
