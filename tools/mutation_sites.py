"""Places of a C++ source where one operator, constant or condition can be changed, and the source that holds all of those changes.

`a < b` becomes `(Active(17) ? (a <= b) : Active(18) ? (a >= b) : (a < b))`; the environment variable SYNAP_MUTANT=17 switches one
on. libclang finds the places. Texts are read as Latin-1, so that a byte is a character and libclang's offsets are those of the text.
"""

import ctypes
import dataclasses
import os
import re

from clang import cindex
from clang.cindex import CursorKind, Diagnostic, TypeKind

MAX_ID = 1 << 25
# Comes after the last #include of a changed source. Changes have numbers from 1 on; the file that SYNAP_MUTANT_TRACE names, MAX_ID bytes, notes those
# that a program reaches.
PREAMBLE = """#ifndef SYNAP_MUTATION
#define SYNAP_MUTATION
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/mman.h>
namespace synap_mutation {
inline int active = -1;  // -1: not read yet, 0: note what is reached
inline unsigned char* reached;
[[gnu::noinline]] inline bool Note(int id) {
  if (active < 0) {
    const char* const mutant = getenv("SYNAP_MUTANT");
    const char* const trace = getenv("SYNAP_MUTANT_TRACE");
    if (trace != nullptr) {
      reached = static_cast<unsigned char*>(
          mmap(nullptr, %d, PROT_READ | PROT_WRITE, MAP_SHARED, open(trace, O_RDWR), 0));
    }
    active = trace != nullptr ? 0 : mutant != nullptr ? atoi(mutant) : INT_MAX;
  }
  if (active == 0) reached[id] = 1;
  return id == active;
}
inline bool Active(int id) { return active < 1 ? Note(id) : id == active; }
}  // namespace synap_mutation
#endif
""" % MAX_ID

OPERATORS = {
    "<": ["<=", ">="], "<=": ["<", ">"], ">": [">=", "<="], ">=": [">", "<"], "==": ["!="], "!=": ["=="],
    "+": ["-"], "-": ["+"], "*": ["/"], "/": ["*"], "%": ["*"], "<<": [">>"], ">>": ["<<"], "&": ["|"], "|": ["&"], "^": ["&"],
    "+=": ["-="], "-=": ["+="], "*=": ["/="], "/=": ["*="],
}
NEGATED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
LOOPS = (CursorKind.FOR_STMT, CursorKind.WHILE_STMT, CursorKind.DO_STMT)
# How the text of a change, and the unchanged one, become the two sides of a ?:.
FORMS = {"value": "(%s)", "condition": "static_cast<bool>(%s)", "statement": "static_cast<void>(%s)"}
# What no test can see: the size of a reservation, and an invariant that holds unless we made a mistake elsewhere.
UNSEEN = re.compile(r"\bD?CHECK(?:_\w+)?\(|\breserve\(")


@dataclasses.dataclass
class Site:
    """A range of a source, and the texts that are tried in its place."""
    start: int
    end: int
    kind: str  # one of FORMS
    after: list


class Source:
    """A source as clang sees it; the text can be exchanged, which is quick where its #includes stay."""

    KEEP_INCLUDES = cindex.TranslationUnit.PARSE_PRECOMPILED_PREAMBLE | 0x100  # from the first time on
    INCLUDES_ITSELF = "HWY_TARGET_INCLUDE"  # what Highway makes of a source for several processors has to be read anew

    def __init__(self, path, text, flags, root):
        self.path = path
        self.file = os.path.join(root, path)
        arguments = [*flags, f"-working-directory={root}", "-ferror-limit=0", "-w", "-Werror=vla", "-Wno-c++11-narrowing"]
        self.unit = cindex.Index.create().parse(self.file, arguments, self.buffers(text),
                                                 0 if self.INCLUDES_ITSELF in text else self.KEEP_INCLUDES)

    def exchange(self, text):
        self.unit.reparse(self.buffers(text))

    def buffers(self, text):
        return [(self.file, text.encode("latin-1"))]

    def errors(self):
        return [error for error in self.unit.diagnostics if error.severity >= Diagnostic.Error]

    def holds(self, location):
        return location.file is not None and location.file.name.endswith(self.path)


def offset(location):
    """Of a location in its file, also in a macro's argument (SourceLocation.offset is that of the macro's name)."""
    file, numbers = ctypes.c_void_p(), [ctypes.c_uint() for _ in range(3)]
    cindex.conf.lib.clang_getFileLocation(location, ctypes.byref(file), *map(ctypes.byref, numbers))
    return numbers[2].value


def is_floating(type_):
    return TypeKind.FLOAT.value <= type_.get_canonical().kind.value <= TypeKind.LONGDOUBLE.value


def is_arithmetic(type_):
    kind = type_.get_canonical().kind
    return kind == TypeKind.DEPENDENT or TypeKind.BOOL.value <= kind.value <= TypeKind.LONGDOUBLE.value


class Collector:
    """Finds the sites of one source, in `sites`."""

    def __init__(self, source, text):
        self.text = text
        self.sites = {}  # (start, end, kind) -> Site
        self.unseen = [range(match.start(), self.closing(match.end() - 1)) for match in UNSEEN.finditer(text)]
        for cursor in source.unit.cursor.get_children():
            if source.holds(cursor.location):
                self.visit(cursor, None, None)

    def closing(self, opening):
        """The place of the parenthesis that closes the one at `opening`."""
        depth = 0
        for place in range(opening, len(self.text)):
            depth += {"(": 1, ")": -1}.get(self.text[place], 0)
            if depth == 0:
                return place
        return len(self.text)

    def span(self, cursor):
        return offset(cursor.extent.start), offset(cursor.extent.end)

    def add(self, span, kind, after):
        start, end = span
        if start < end and after and not any(start in unseen for unseen in self.unseen):
            site = self.sites.setdefault((start, end, kind), Site(start, end, kind, []))
            site.after += [text for text in after if text not in site.after]

    def visit(self, cursor, parent, condition):
        """Adds the sites below `cursor`. condition: the span of the whole condition around it, if there is one."""
        kind, span = cursor.kind, self.span(cursor)
        text = self.text[slice(*span)]
        if kind in (CursorKind.STATIC_ASSERT, CursorKind.ENUM_DECL, CursorKind.TYPE_ALIAS_DECL) or (
                kind.is_declaration() and re.match(r"(\w+ )*(constexpr|constinit)\b", text)):
            return
        children = list(cursor.get_children())
        if kind in LOOPS or kind in (CursorKind.IF_STMT, CursorKind.CONDITIONAL_OPERATOR):
            condition = self.visit_condition(kind, text, children) or condition
        whole = span == condition
        if kind in (CursorKind.BINARY_OPERATOR, CursorKind.COMPOUND_ASSIGNMENT_OPERATOR) and len(children) == 2:
            self.visit_binary(cursor, span, *children, whole)
        elif kind == CursorKind.UNARY_OPERATOR and children:
            operand = self.text[slice(*self.span(children[0]))]
            if text in ("!" + operand, "-" + operand) and not whole:
                self.add(span, "value", [operand])
        elif kind in (CursorKind.INTEGER_LITERAL, CursorKind.FLOATING_LITERAL, CursorKind.CXX_BOOL_LITERAL_EXPR):
            self.visit_literal(span, text)
        elif kind == CursorKind.DECL_REF_EXPR and re.fullmatch(r"k[A-Z]\w*", text) and is_arithmetic(cursor.type):
            self.add(span, "value", [f"{text} * 2" if is_floating(cursor.type) else f"{text} + 1"])
        elif kind == CursorKind.CALL_EXPR:
            self.visit_call(cursor, span, text, whole)
        if parent is not None and self.is_statement(kind, parent, span):
            self.add(span, "statement", ["0"])
        for child in children[1:] if kind == CursorKind.CASE_STMT else children:
            self.visit(child, cursor, condition)

    def visit_condition(self, kind, text, children):
        """Adds the condition of an if, a loop or a ?:, and returns its span."""
        begins, end_mark = {CursorKind.FOR_STMT: (";", ";"), CursorKind.CONDITIONAL_OPERATOR: (None, "?")}.get(kind, ("(;", ")"))
        if text.startswith("if constexpr"):
            return None
        for child in children:
            start, end = span = self.span(child)
            follows = begins is None or self.text[:start].rstrip()[-1:] in begins
            if child.kind.is_expression() and follows and self.text[end:].lstrip()[:1] == end_mark:
                self.add(span, "condition", ["false"] if kind in LOOPS else ["true", "false"])
                return span
        return None

    def visit_binary(self, cursor, span, left, right, whole):
        (begin, left_end), (right_begin, end) = self.span(left), self.span(right)
        operator = self.text[left_end:right_begin].strip()
        a, b = self.text[begin:left_end], self.text[right_begin:end]
        if (begin, end) != span:
            return  # not as written: parts come from a macro
        if operator in ("&&", "||"):
            self.add(span, "condition", [a, b])
        elif operator in OPERATORS and (operator in NEGATED or is_arithmetic(cursor.type)):
            # A whole condition is tried as true and as false, which says what its negation would.
            after = [o for o in OPERATORS[operator] if not (whole and o == NEGATED.get(operator))]
            self.add(span, "value", [f"{a} {o} {b}" for o in after])

    def visit_literal(self, span, text):
        if self.text[span[1]] == ">":
            return  # a template's argument
        if text in ("true", "false"):
            self.add(span, "value", ["false" if text == "true" else "true"])
        elif re.fullmatch(r"(0[xX][0-9a-fA-F']+|[0-9']+)[uUlLzZ]*|0*\.?0*[fFlL]?", text):
            self.add(span, "value", [f"{text} + 1"])
        elif re.fullmatch(r"[0-9.]+([eE][-+]?\d+)?[fFlL]?", text):
            self.add(span, "value", [f"{text} * 2"])

    def visit_call(self, cursor, span, text, whole):
        if cursor.spelling.removeprefix("operator") in NEGATED and cursor.type.kind == TypeKind.BOOL and not whole:
            self.add(span, "value", [f"!({text})"])
        for name, other in (("std::min", "std::max"), ("std::max", "std::min")):
            if re.match(name + r"\b", text):
                self.add(span, "value", [other + text[len(name):]])

    def is_statement(self, kind, parent, span):
        if not kind.is_expression() or self.text[span[1]:].lstrip()[:1] != ";":
            return False
        bodies = (CursorKind.IF_STMT, CursorKind.CXX_FOR_RANGE_STMT, *LOOPS)
        before = r"(\)|\belse|\bdo)$" if parent.kind in bodies else r"([;{}:)]|\belse)$"
        return parent.kind in (CursorKind.COMPOUND_STMT, *bodies) and re.search(before, self.text[:span[0]].rstrip()) is not None


def render(path, text, sites, first):
    """The source with all changes, which have the numbers from `first` on, and the range of each site in it."""
    includes = [match.end() + 1 for match in re.finditer(r"^#include .*$", text, re.M)]
    head = text[:max(includes, default=0)]
    out, ranges = [f"{head}{PREAMBLE}#line {head.count(chr(10)) + 1} \"{path}\"\n"], [None] * len(sites)
    length = len(out[0])
    ids = [first + sum(len(site.after) for site in sites[:i]) for i in range(len(sites))]

    def put(piece):
        nonlocal length
        out.append(piece)
        length += len(piece)

    def write(start, end, index):
        """Writes text[start:end] with the sites from `index` on; returns the first site after it."""
        while index < len(sites) and sites[index].start < end:
            site, own, begin = sites[index], index, None
            form = FORMS[site.kind]
            put(text[start:site.start])
            begin = length
            put("(" + "".join(f"::synap_mutation::Active({ids[own] + i}) ? {form % after} : " for i, after in enumerate(site.after)))
            put(form.split("%")[0])
            index = write(site.start, site.end, own + 1)
            put("))")
            ranges[own] = (begin, length)
            start = site.end
        put(text[start:end])
        return index

    write(len(head), len(text), 0)
    return "".join(out), ranges


def without(source, ranges, sites, offsets):
    """The sites without those that compiler errors point at (offsets in what render returned).

    Of sites around a place the innermost goes; where there is none, all of the place's line.
    """
    bad = set()
    for place in offsets:
        around = [i for i, (start, end) in enumerate(ranges) if start <= place < end][-1:]
        if not around:
            line = source.rfind("\n", 0, place) + 1, source.find("\n", place)
            around = [i for i, (start, end) in enumerate(ranges) if start < line[1] and line[0] < end]
        bad.update(around)
    if not bad:
        raise RuntimeError("there is no change where the compiler finds errors")
    return [site for i, site in enumerate(sites) if i not in bad]


def places_of(source, errors):
    """Offsets in what render returned of a compiler's errors, (line, column) each."""
    marker = re.search(r'\n#line (\d+) ".*"\n', source)
    lines = [marker.end()] + [marker.end() + match.end() for match in re.finditer("\n", source[marker.end():])]
    return [lines[line - int(marker[1])] + column - 1 for line, column in errors]


def find_sites(path, text, flags, root):
    """The sites whose changes compile, outer ones before those in them."""
    source = Source(path, text, flags, root)
    for error in source.errors():
        raise RuntimeError(f"{path}: clang can't parse it: {error}")
    order = list(reversed(FORMS))
    sites = sorted(Collector(source, text).sites.values(), key=lambda site: (site.start, -site.end, order.index(site.kind)))
    while True:
        changed, ranges = render(path, text, sites, 1)
        source.exchange(changed)
        errors = source.errors()
        if not errors:
            return sites
        # Where an error is in a header, one of its notes says from where the header was reached.
        places = [at.location for error in errors for at in (error, *error.children)]
        sites = without(changed, ranges, sites, [offset(place) for place in places if source.holds(place)])
