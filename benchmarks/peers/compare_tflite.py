#!/usr/bin/env python3
"""Compares TensorFlow Lite models on the emulated NPU with TensorFlow Lite's own runtime on the same input, value by value.

    python3 -m venv .cache/peers && .cache/peers/bin/pip install -r benchmarks/peers/tflite_requirements.txt
    ./bazelw build //compiler/convert/cli:synap //runtime/cli:synap_cli
    .cache/peers/bin/python benchmarks/peers/compare_tflite.py --bin bazel-bin model.tflite...

A row is an output. Float outputs: the largest difference, as a part of the range of what TensorFlow Lite computes. Quantized
ones: the part of the values that are at most one step apart, and the largest difference in steps. Inputs are noise over the
whole range of an input's type, for float ones from --low to --high; or, behind the models, --images: one picture after the
other, stretched to the input, over the same range. A row is then about the values of all of them. TensorFlow Lite runs as it does
by default (XNNPACK), or its reference kernels with --reference. The two differ from one another, too: --between tells how far.
"""

import argparse
import os
import subprocess
import sys
import tempfile

import emulated_npu
import numpy
import tensorflow
from PIL import Image


def noise(options, details, index):
    generator = numpy.random.default_rng(index)
    shape, dtype = details["shape"], details["dtype"]
    if dtype == numpy.float32:
        return generator.uniform(options.low, options.high, shape).astype(dtype)
    limits = numpy.iinfo(dtype)
    return generator.integers(limits.min, limits.max, shape, dtype=dtype, endpoint=True)


def picture(options, details, path):
    """[1,H,W,3] or [1,H,W,1]."""
    shape, dtype = details["shape"], details["dtype"]
    if len(shape) != 4 or shape[3] not in (1, 3):
        raise ValueError(f"input '{details['name']}' {list(shape)} takes no picture")
    image = Image.open(path).convert("RGB" if shape[3] == 3 else "L").resize((shape[2], shape[1]), Image.Resampling.BILINEAR)
    pixels = numpy.asarray(image, numpy.float32).reshape(shape)
    if dtype == numpy.float32:
        return options.low + pixels * (options.high - options.low) / 255
    limits = numpy.iinfo(dtype)
    return numpy.rint(limits.min + pixels * (limits.max - limits.min) / 255).astype(dtype)


def interpreter_of(model, reference):
    kinds = tensorflow.lite.experimental.OpResolverType
    kind = kinds.BUILTIN_REF if reference else kinds.AUTO
    interpreter = tensorflow.lite.Interpreter(model, num_threads=1, experimental_op_resolver_type=kind,
                                              experimental_preserve_all_tensors=True)
    interpreter.allocate_tensors()
    return interpreter


def differences(expected, found, details):
    """A row's columns: how far apart, in words."""
    if expected.dtype == numpy.float32:
        return f"{emulated_npu.part_of_range(expected, found):.2e} of its range"
    steps = numpy.abs(found.astype(numpy.int64) - expected.astype(numpy.int64))
    return f"{100 * float((steps <= 1).mean()):.3f} % within 1, {100 * float((steps == 0).mean()):.1f} % equal, " \
           f"at most {steps.max()} apart (scale {details['quantization'][0]:.3g})"


def details_of(interpreter):
    return {details["name"]: details for details in interpreter.get_tensor_details()}


def run_theirs(interpreter, inputs, outputs, values):
    """What TensorFlow Lite computes, for each output."""
    by_name = details_of(interpreter)
    for tensor, value in zip(inputs, values):
        interpreter.set_tensor(by_name[tensor["name"]]["index"], value)
    try:
        interpreter.invoke()
    except RuntimeError as error:  # a custom operator at the end; what is before it has been computed
        print(f"    TensorFlow Lite: {str(error).splitlines()[0]}")
    return [interpreter.get_tensor(by_name[tensor["name"]]["index"]) for tensor in outputs]


def run_ours(options, folder, values, like):
    """What the emulated NPU computes, of the types of `like`."""
    emulated_npu.run(options.bin, folder, values)
    dtypes = [numpy.int32 if array.dtype == numpy.int64 else array.dtype for array in like]
    return [numpy.fromfile(f"{folder}/output_raw_{index}.dat", dtype) for index, dtype in enumerate(dtypes)]


def compare(options, model, folder):
    inputs, outputs = emulated_npu.convert(options.bin, model, folder)
    interpreter = interpreter_of(model, options.reference)
    other = interpreter_of(model, not options.reference) if options.between else None
    by_name = details_of(interpreter)
    expected, found = [], []
    for image in options.images or [None]:
        values = [picture(options, by_name[tensor["name"]], image) if image else noise(options, by_name[tensor["name"]], index)
                  for index, tensor in enumerate(inputs)]
        expected.append(run_theirs(interpreter, inputs, outputs, values))
        found.append(run_theirs(other, inputs, outputs, values) if other else run_ours(options, folder, values, expected[-1]))
    for tensor, theirs, ours in zip(outputs, zip(*expected), zip(*found)):
        name, shape = tensor["name"], list(theirs[0].shape)
        theirs, ours = numpy.stack(theirs), numpy.stack(ours)
        if ours.size != theirs.size:
            print(f"    {name}: {ours.size} values, expected {theirs.size}")
            continue
        print(f"    {name} {shape}: {differences(theirs, ours.reshape(theirs.shape), by_name[name])}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", nargs="+")
    parser.add_argument("--bin", default="bazel-bin", help="where the programs were built")
    parser.add_argument("--low", type=float, default=-1.0, help="the smallest value of a float input")
    parser.add_argument("--high", type=float, default=1.0, help="the largest")
    parser.add_argument("--images", nargs="+", default=[], help="pictures instead of noise")
    parser.add_argument("--reference", action="store_true", help="hold it against the reference kernels")
    parser.add_argument("--between", action="store_true", help="hold XNNPACK and the reference kernels against one another")
    options = parser.parse_args()
    failures = 0
    for model in options.models:
        print(os.path.basename(model), flush=True)
        with tempfile.TemporaryDirectory() as folder:
            try:
                compare(options, model, folder)
            except (RuntimeError, ValueError, subprocess.CalledProcessError) as error:
                failures += 1
                print(f"    {error}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
