#!/usr/bin/env python3
"""Tries in which other exports a module imports whose file is refused for an operator: the rows of other_exports.cc.

    python3 -m venv .cache/torch && .cache/torch/bin/pip install torch torchvision onnx onnxscript
    ./bazelw build //compiler/convert/cli:synap //runtime/cli:synap_cli
    .cache/torch/bin/python benchmarks/peers/find_exports.py            # compares the rows with what happens
    .cache/torch/bin/python benchmarks/peers/find_exports.py --print    # prints what happens as rows

refused_operators.py has the modules. Each is scripted, traced, exported, exported and decomposed, and exported to ONNX. An operator that a
file of one of these is refused for gets a row with those files of the same module that import and compute what PyTorch computes; of several
modules, with the files that do so for all.
"""

import argparse
import contextlib
import io
import logging
import math
import os
import pathlib
import re
import sys
import tempfile
import warnings

import compare_aten
import refused_operators
import torch
from torch.nn import functional

FORMS = {"scripted": "pt", "torchscript": "pt", "pt2": "pt2", "core": "pt2", "onnx": "onnx"}
# The constants of other_exports.h. A scripted module is no way out: it has all operators that the others have.
CONSTANTS = {"torchscript": "kTrace", "pt2": "kExport", "core": "kDecomposed", "onnx": "kOnnx"}
SOURCE = pathlib.Path(__file__).parents[2] / "compiler/import/torchscript/other_exports.cc"
ROW = re.compile(r'^    \{"(\w+::[\w.]+)", (k[\w| ]+)\},$', re.MULTILINE)


def module_of(body, inputs, folder):
    """A module whose forward() has this body, an expression or statements that end in return. Scripting reads its source from `folder`."""
    names = ", ".join("xyz"[: len(inputs)])
    lines = body.split("\n") if "return" in body else [f"return {body}"]
    path = pathlib.Path(folder, f"case{len(os.listdir(folder))}.py")
    path.write_text(f"def forward(self, {names}):\n" + "".join(f"    {line}\n" for line in lines), encoding="utf-8")
    functions = {"torch": torch, "F": functional, "math": math}
    exec(compile(path.read_text(encoding="utf-8"), path, "exec"), functions)  # pylint: disable=exec-used
    return type("Case", (torch.nn.Module,), {"forward": functions["forward"]})()


def save(module, inputs, form, path):
    if form == "scripted":
        torch.jit.save(torch.jit.script(module), path)
    else:
        compare_aten.save(module, inputs, form, path)


def refused_operators_of(result):
    """Those that an error lists: without a mapping, or those that keep libtorch from loading a module."""
    listed = re.search(r"(?:operators? (?:is|are) not supported:|can't load:|calls the operator) (.*)", result)
    return re.findall(r"(\w+::[\w.]+)(?= |,|$)", listed[1]) if listed else []


def find_exports(options, folder):
    """For each refused operator the forms in which all modules with it import."""
    exports = {}
    for name, (body, inputs) in refused_operators.CASES.items():
        if options.names not in name:
            continue
        module = module_of(body, inputs, folder)
        results = {}
        for form in FORMS:
            if form == "onnx" and not any(refused_operators_of(result) for result in results.values()):
                continue  # it takes the longest
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                results[form] = compare_aten.outcome(options, module, inputs, form, save)
        if options.verbose:
            print(name, *(f"  {form}: {result}" for form, result in results.items()), sep="\n", flush=True)
        right = {form for form in CONSTANTS if results.get(form) == "right"}
        for result in results.values():
            for operator in refused_operators_of(result):
                exports[operator] = exports.get(operator, right) & right
    return exports


def rows_of(exports):
    rows = {}
    for operator, forms in sorted(exports.items()):
        if forms:
            rows[operator] = " | ".join(constant for form, constant in CONSTANTS.items() if form in forms)
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", default="bazel-bin", help="where the programs were built")
    parser.add_argument("--names", default="", help="a part of the names of the cases to run; with --print")
    parser.add_argument("--print", action="store_true", help="print the rows instead of comparing them with the source")
    parser.add_argument("--verbose", action="store_true", help="print what becomes of each case in each form")
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        rows = rows_of(find_exports(options, folder))
    if options.print:
        print("\n".join(f'    {{"{operator}", {forms}}},' for operator, forms in rows.items()))
        return 0
    kept = dict(ROW.findall(SOURCE.read_text(encoding="utf-8")))
    for operator in sorted(rows.keys() | kept.keys()):
        if rows.get(operator) != kept.get(operator):
            print(f"{operator}: found {rows.get(operator, 'no export')}, the source has {kept.get(operator, 'no row')}")
    return 0 if rows == kept else 1


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    sys.exit(main())
