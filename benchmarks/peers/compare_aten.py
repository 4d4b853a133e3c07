#!/usr/bin/env python3
"""Imports PyTorch's operators one by one, in three formats, and compares what they give on the emulated NPU with PyTorch itself.

    python3 -m venv .cache/torch && .cache/torch/bin/pip install torch torchvision
    ./bazelw build //compiler/convert/cli:synap //runtime/cli:synap_cli
    .cache/torch/bin/python benchmarks/peers/compare_aten.py

A case is a small module with its inputs; the files aten_*.py beside this one have them. Each is traced (torchscript), exported (pt2), and
exported and decomposed (core); --formats onnx exports it to ONNX. It is right if no output lies more than 1e-4 of its range from PyTorch's.
What isn't is listed with its error; --names chooses cases by a part of their names.
"""

import argparse
import importlib
import logging
import os
import pathlib
import sys
import tempfile
import warnings

import emulated_npu
import numpy
import torch
from compare_torchscript import flat

FORMATS = {"torchscript": "pt", "pt2": "pt2", "core": "pt2", "onnx": "onnx"}
FILES = sorted(path.stem for path in pathlib.Path(__file__).parent.glob("aten_*.py"))
NEAR = 1e-4


class Case(torch.nn.Module):
    """A function of tensors as a module."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *tensors):
        return self.function(*tensors)


def save(module, inputs, form, path):
    if form == "torchscript":
        torch.jit.save(torch.jit.trace(module, inputs, check_trace=False), path)
        return
    if form == "onnx":
        torch.onnx.export(module, inputs, path, dynamo=True, verbose=False)
        return
    program = torch.export.export(module, inputs, dynamic_shapes=getattr(module, "dynamic_shapes", None))
    torch.export.save(program.run_decompositions() if form == "core" else program, path)


def values_for(inputs, described):
    """What the artifact's inputs take: it may leave out those that nothing reads."""
    arrays = [value.numpy() for value in inputs]
    if len(described) != len(arrays):
        raise RuntimeError(f"it has {len(described)} inputs, the module {len(arrays)}")
    return [array.astype(emulated_npu.dtype_of(each)) for array, each in zip(arrays, described)]


def output_of(folder, index, described):
    """An output of the run; 64-bit integers as they are, since float32 doesn't hold all of them."""
    if described["dtype"] == "int64":
        return numpy.fromfile(f"{folder}/output_raw_{index}.dat", numpy.int64)
    return numpy.fromfile(f"{folder}/output_float_{index}.dat", numpy.float32)


def difference(expected, found):
    """The largest one, as a part of the range of what is expected; infinite where only one has a number."""
    expected, found = expected.astype(numpy.float64).ravel(), found.astype(numpy.float64).ravel()
    if expected.shape != found.shape:
        return numpy.inf
    same = (expected == found) | (numpy.isnan(expected) & numpy.isnan(found))
    if same.all():
        return 0.0
    finite = expected[numpy.isfinite(expected)]
    if not finite.size:
        return numpy.inf
    extent = float(numpy.ptp(finite)) or float(numpy.abs(finite).max()) or 1.0
    apart = numpy.abs(expected - found)[~same]
    return numpy.inf if numpy.isnan(apart).any() else float(apart.max()) / extent


def outcome(options, function, inputs, form, save_as=save):
    """Of one case in one format: "right", or what is wrong."""
    module = (function if isinstance(function, torch.nn.Module) else Case(function)).eval()
    inputs = tuple(inputs)
    with tempfile.TemporaryDirectory() as folder, torch.no_grad():
        path = f"{folder}/case.{FORMATS.get(form, 'pt')}"
        expected = flat(module(*[value.clone() for value in inputs]))
        try:
            save_as(module, tuple(value.clone() for value in inputs), form, path)
        except Exception as error:  # pylint: disable=broad-except
            return f"PyTorch: {str(error).splitlines()[0]}"
        arguments = []
        if path.endswith(".pt"):  # the other formats state shapes
            shapes = "".join(f"  - {{name: input{i}, shape: {list(value.shape)}}}\n" for i, value in enumerate(inputs))
            pathlib.Path(folder, "meta.yaml").write_text(f"inputs:\n{shapes}", encoding="utf-8")
            arguments = ["--meta", f"{folder}/meta.yaml"]
        try:
            described, outputs = emulated_npu.convert(options.bin, path, folder, *arguments)
            emulated_npu.run(options.bin, folder, values_for(inputs, described))
        except Exception as error:  # pylint: disable=broad-except
            return f"refused: {str(error).strip().removeprefix('Error: ').replace(folder, '')}"
        if len(outputs) != len(expected):
            return f"WRONG: {len(outputs)} outputs, expected {len(expected)}"
        for i, value in enumerate(expected):
            apart = difference(value.numpy(), output_of(folder, i, outputs[i]))
            if apart > NEAR:
                return f"WRONG: output {i} differs by {apart:.2g} of its range"
    return "right"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", default="bazel-bin", help="where the programs were built")
    parser.add_argument("--files", nargs="+", choices=FILES, default=FILES)
    parser.add_argument("--formats", nargs="+", choices=list(FORMATS), default=["torchscript", "pt2", "core"])
    parser.add_argument("--names", default="", help="a part of the names of the cases to run")
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)
    torch.set_num_threads(1)
    counts = {form: {} for form in options.formats}
    for file in options.files:
        for name, (function, inputs) in importlib.import_module(file).CASES.items():
            if options.names not in name:
                continue
            for form in options.formats:
                result = outcome(options, function, inputs, form)
                kind = result.split(":")[0]
                counts[form][kind] = counts[form].get(kind, 0) + 1
                if kind != "right":
                    print(f"{name} ({form}): {result}", flush=True)
    for form, kinds in counts.items():
        print(f"{form}: " + ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items(), key=lambda each: -each[1])))
    return 0 if all("WRONG" not in kinds for kinds in counts.values()) else 1


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    sys.exit(main())
