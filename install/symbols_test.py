"""Holds the symbols that libsynap.so exports against the declarations of the public headers.

Arguments: the library, then the headers.
"""

import re
import subprocess
import sys
import unittest

LIBRARY = sys.argv[1]
HEADERS = sys.argv[2:]


def code_of(path):
    """A header without comments, preprocessor lines and texts."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    text = re.sub(r"//[^\n]*|^\s*#[^\n]*", "", text, flags=re.MULTILINE)
    return re.sub(r'"[^"\n]*"', '""', text)


class Declarations:
    """Names that headers declare, as demangled symbols have them: Network::predict, from_string, Npu::~Npu, synap_version_string."""

    def __init__(self, paths):
        self.compiled = set()  # defined in the library
        self.inline = set()  # defined in the header
        for path in paths:
            self._scopes = []
            if path.endswith(".hpp"):
                self._read(code_of(path))
            else:
                self.compiled |= set(re.findall(r"SYNAP_API [^;(]*?(\w+)\(", code_of(path)))

    def _read(self, code):
        """Splits code into declarations at the brackets, and keeps the scope that each is in."""
        start, depth = 0, 0  # depth: inside of a function or an initializer, whose content is no declaration
        for match in re.finditer(r"[{};]|(?:public|private|protected):", code):
            text, mark = code[start:match.start()].strip(), match.group()
            if mark == "{":
                scope = self._scope_of(text) if depth == 0 else None
                if scope is None:
                    if depth == 0:
                        self._declare(text, self.inline)
                    depth += 1
                else:
                    self._scopes.append(scope)
            elif mark == "}":
                if depth > 0:
                    depth -= 1
                else:
                    self._scopes.pop()
            elif depth == 0 and mark == ";":
                self._declare(text, self.compiled)
            start = match.end()

    @staticmethod
    def _scope_of(text):
        """The scope that a bracket opens after this text; "" for one without a name, None if it opens none."""
        match = re.fullmatch(r"(?:template <[^>]*>\s*)?(namespace|class|struct)\s+([\w:]+)(?:\s+:\s.*)?", text, re.DOTALL)
        if match:
            return "" if match.group(1) == "namespace" else match.group(2)
        return "" if re.match(r'extern ""|enum\b', text) else None

    def _declare(self, text, names):
        """Adds the function that a declaration declares, if it is one and exists."""
        match = re.search(r"(operator\s*(?:\(\)|\[\]|[^\w\s(]+)|~?\w+)\(", text)
        if not match or re.match(r"using|friend|typedef|return|static_assert", text):
            return
        scope = [name for name in self._scopes if name]
        if re.search(r"=\s*(0|delete)$", text):
            return
        is_template_class = "BufferCache" in scope
        if re.search(r"=\s*default$", text) or is_template_class or "constexpr" in text:
            names = self.inline
        names.add("::".join(scope + [match.group(1).replace(" ", "")]))


def exported(library):
    """Demangled names of all symbols that the library defines for others."""
    output = subprocess.run(["nm", "-D", "--defined-only", "--demangle", library], check=True, capture_output=True, text=True).stdout
    return [line.split(" ", 2)[2].split("@@")[0] for line in output.splitlines() if " A " not in line]


def function_of(symbol):
    """Network::predict of synaptics::synap::Network::predict(); None if the symbol isn't of the framework."""
    name = symbol.replace("[abi:cxx11]", "")
    match = re.match(r"(?:.* )?synaptics::synap::((?:\w+::)*(?:operator[^\w(]+|operator\(\)|~?\w+))", name.split("(")[0] + "(")
    if match:
        return match.group(1)
    return name if re.fullmatch(r"synap_[a-z0-9_]+", name) else None


class SymbolsTest(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.symbols = exported(LIBRARY)
        cls.functions = {function_of(symbol) for symbol in cls.symbols}
        cls.declared = Declarations(HEADERS)

    def test_exports_every_function_of_the_headers(self):
        self.assertGreater(len(self.declared.compiled), 80)
        self.assertEqual(sorted(self.declared.compiled - self.functions), [], "declared, not exported")

    def test_exports_nothing_that_the_headers_do_not_declare(self):
        allowed = self.declared.compiled | self.declared.inline
        unknown = [symbol for symbol in self.symbols if function_of(symbol) not in allowed]
        self.assertEqual(unknown, [], "exported, not declared")

    def test_has_the_versioned_name(self):
        header = subprocess.run(["objdump", "-p", LIBRARY], check=True, capture_output=True, text=True).stdout
        self.assertRegex(header, r"SONAME +libsynap\.so\.\d+\n")
        self.assertNotIn("TEXTREL", header)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
