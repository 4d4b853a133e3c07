#!/usr/bin/env python3
"""Compares the ONNX models that `synap convert --preserve` writes, run by ONNX Runtime, with the emulated NPU, value by value.

    python3 -m venv .cache/peers && .cache/peers/bin/pip install -r benchmarks/peers/requirements.txt onnx
    ./bazelw build //compiler/convert/cli:synap //runtime/cli:synap_cli
    .cache/peers/bin/python benchmarks/peers/compare_onnx_export.py --bin bazel-bin model.onnx model.tflite...

Each model is converted as it is (build/model.onnx) and, unless it is quantized already or --float is given, quantized to --type
over noise (build/model_quantized.onnx). A row is a model in one of these forms: for float outputs the largest difference as a
part of the output's range, for quantized ones the part of the values that are at most one step apart, of all outputs the worst.
Inputs are noise from --low to --high, over the whole range of their type for quantized ones. ONNX Runtime makes
integer operators of QDQ models; --plain has it compute them as they say, in floats, whose ties fall otherwise here and there,
layer upon layer. Exit status 1 if an output of a float model is more than 1e-4 of its range apart, or less than 99 % of a
quantized one within one step.
"""

import argparse
import os
import subprocess
import sys
import tempfile

import emulated_npu
import numpy
import onnx
import onnxruntime
import onnxruntime_quantizer
from onnxruntime.capi import onnxruntime_pybind11_state as peer

SAMPLES = 4
LARGEST_DIFFERENCE = 1e-4
SMALLEST_PART = 0.99
PEER_ERRORS = (peer.Fail, peer.InvalidArgument, peer.InvalidGraph, peer.NotImplemented, peer.RuntimeException)


def is_quantized(path):
    return any(node.op_type == "QuantizeLinear" for node in onnx.load(path).graph.node)


def compare(options, path, form, inputs, outputs, folder):
    """Prints a row; whether it is good enough."""
    session = onnxruntime_quantizer.session_of(path, options.plain)
    values = [emulated_npu.noise(options, tensor, index) for index, tensor in enumerate(inputs)]
    feeds = {tensor.name: value.reshape(tensor.shape) for value, tensor in zip(values, session.get_inputs())}
    expected_outputs = session.run(None, feeds)
    emulated_npu.run(options.bin, folder, values)
    difference, part, steps_apart = 0.0, 1.0, 0
    has_steps = any("quantize" in tensor for tensor in outputs)
    for index, expected in enumerate(expected_outputs):
        found = numpy.fromfile(f"{folder}/output_raw_{index}.dat", expected.dtype).reshape(expected.shape)
        if expected.dtype.kind == "f":
            difference = max(difference, emulated_npu.part_of_range(expected, found))
            continue
        steps = numpy.abs(found.astype(numpy.int64) - expected.astype(numpy.int64))
        part = min(part, float((steps <= 1).mean()))
        steps_apart = max(steps_apart, int(steps.max()))
    words = f"{100 * part:.3f} % within 1 step, at most {steps_apart}" if has_steps else f"{difference:.2e} of the range"
    print(f"| {form} | {words} |", flush=True)
    # A float output behind integers moves in their steps.
    return (difference <= LARGEST_DIFFERENCE or is_quantized(path)) and part >= SMALLEST_PART


def compare_model(options, model):
    print(f"| {os.path.basename(model)} ", end="", flush=True)
    arguments = ["--preserve"] + (["--meta", options.meta] if options.meta else [])
    with tempfile.TemporaryDirectory() as folder:
        inputs, outputs = emulated_npu.convert(options.bin, model, folder, *arguments)
        path = f"{folder}/build/model.onnx"
        good = compare(options, path, "as it is", inputs, outputs, folder)
        if options.float or is_quantized(path):
            return good
        print(f"| {os.path.basename(model)} ", end="", flush=True)
        lines = ["quantization:", f"  data_type: {options.type}"]
        metafile = emulated_npu.write_metafile(folder, lines, inputs, SAMPLES, lambda tensor, i: emulated_npu.noise(options, tensor, 100 + i))
        inputs, outputs = emulated_npu.convert(options.bin, model, folder, "--preserve", "--meta", metafile)
        return compare(options, f"{folder}/build/model_quantized.onnx", options.type, inputs, outputs, folder) and good


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", nargs="+")
    parser.add_argument("--bin", default="bazel-bin", help="where the programs were built")
    parser.add_argument("--meta", help="a metafile for the float conversion")
    parser.add_argument("--type", default="uint8", help="the data type to quantize to")
    parser.add_argument("--low", type=float, default=-1.0, help="the smallest value of a float input")
    parser.add_argument("--high", type=float, default=1.0, help="the largest")
    parser.add_argument("--float", action="store_true", help="don't quantize")
    parser.add_argument("--plain", action="store_true", help="without ONNX Runtime's optimizations")
    options = parser.parse_args()
    onnxruntime.set_default_logger_severity(3)
    failures = 0
    for model in options.models:
        try:
            failures += not compare_model(options, model)
        except (RuntimeError, ValueError, subprocess.CalledProcessError, *PEER_ERRORS) as error:
            failures += 1
            print(f"| {str(error).splitlines()[0]} |")
    print(f"{failures} of {len(options.models)} models differ")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
