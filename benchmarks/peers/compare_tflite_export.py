#!/usr/bin/env python3
"""Compares the TensorFlow Lite models that `synap export --to tflite` writes, run by LiteRT, with the emulated NPU, value by value.

    python3 -m venv .cache/litert && .cache/litert/bin/pip install -r benchmarks/peers/tflite_export_requirements.txt
    ./bazelw build //compiler/convert/cli:synap //runtime/cli:synap_cli
    .cache/litert/bin/python benchmarks/peers/compare_tflite_export.py --bin bazel-bin model.onnx model.tflite...

Each model is converted as it is (float, or with the quantizers that it has) and, unless it is quantized or --float is given,
quantized to each --type over noise or --images, without measures for detectors, which mix types. A row is a model in one of these
forms. Columns: for float outputs the largest difference as a part of the output's range, for quantized ones the part of the values
that are at most one step apart, of all outputs the worst, beside LiteRT's reference kernels and beside its default ones (XNNPACK);
with --between of these two from one another; the part of the bits that the file gives again when it is converted; and, with --vela
NAME (ethos-u55-128, say), the operators that Vela leaves to the CPU, of how many. Inputs are noise from --low to --high, over the
whole range of their type for quantized ones, or --images, over the same range. Layers that the format can't say are an error, or
with --fallback float compute in floats. Exit status 1 if a float output is more than 1e-4 of its range apart (2 % where the model
has integers beside it), or less than 99 % of one of integers within one step, from both kinds of kernels.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile

import emulated_npu
import numpy
from ai_edge_litert.interpreter import Interpreter, OpResolverType
from PIL import Image

SAMPLES = 4
LARGEST_DIFFERENCE = 1e-4
LARGEST_DIFFERENCE_BESIDE_INTEGERS = 2e-2  # a float output behind integers moves in their steps
SMALLEST_PART = 0.99


def picture(options, tensor, path):
    """A picture, stretched to the input, [1,H,W,C] or [1,C,H,W], over the range of its values."""
    shape, dtype = tensor["shape"], emulated_npu.dtype_of(tensor)
    first = len(shape) == 4 and shape[1] in (1, 3) and shape[3] not in (1, 3)
    height, width, channels = (shape[2], shape[3], shape[1]) if first else (shape[1], shape[2], shape[3])
    image = Image.open(path).convert("RGB" if channels == 3 else "L").resize((width, height), Image.Resampling.BILINEAR)
    pixels = numpy.asarray(image, numpy.float32).reshape(height, width, channels)
    value = options.low + (pixels.transpose(2, 0, 1) if first else pixels) * (options.high - options.low) / 255
    return emulated_npu.quantized(value, tensor).reshape(shape) if dtype.kind != "f" else value.astype(dtype).reshape(shape)


def value_of(options, tensor, seed):
    """A picture where there are some and the input takes one; else noise."""
    shape = tensor["shape"]
    takes_picture = len(shape) == 4 and (shape[1] in (1, 3) or shape[3] in (1, 3))
    if options.images and takes_picture:
        return picture(options, tensor, options.images[seed % len(options.images)])
    return emulated_npu.noise(options, tensor, seed)


def write_metafile(options, inputs, data_type, folder):
    """A metafile that quantizes over noise or pictures, without measures for detectors."""
    lines = ["optimize: false", "quantization:", f"  data_type: {data_type}"]
    if options.scheme:
        lines.append(f"  scheme: {options.scheme}")
    samples = len(options.images) or SAMPLES
    return emulated_npu.write_metafile(folder, lines, inputs, samples, lambda tensor, i: value_of(options, tensor, 100 + i))


def export(options, graph, path):
    fallback = ["--fallback", "float"] if options.fallback else []
    emulated_npu.synap(options.bin, "export", "--to", "tflite", "--graph", graph, "--out", path, *fallback)


def run_litert(path, values, kernels):
    """What LiteRT computes, for each output in the model's order."""
    interpreter = Interpreter(path, num_threads=1, experimental_op_resolver_type=kernels)
    interpreter.allocate_tensors()
    for details, value in zip(interpreter.get_input_details(), values, strict=True):
        interpreter.set_tensor(details["index"], value.reshape(details["shape"]).astype(details["dtype"]))
    interpreter.invoke()
    return [interpreter.get_tensor(details["index"]) for details in interpreter.get_output_details()]


def run_npu(options, folder, values, like):
    emulated_npu.run(options.bin, folder, values)
    return [numpy.fromfile(f"{folder}/output_raw_{index}.dat", array.dtype).reshape(array.shape) for index, array in enumerate(like)]


def agreement(expected_outputs, found_outputs, largest_difference):
    """Words about how far apart the outputs are, and whether it is near enough."""
    pairs = list(zip(expected_outputs, found_outputs, strict=True))
    differences = [emulated_npu.part_of_range(expected, found) for expected, found in pairs if expected.dtype.kind == "f"]
    steps = [numpy.abs(found.astype(numpy.int64) - expected.astype(numpy.int64)) for expected, found in pairs if expected.dtype.kind != "f"]
    words, good = [], True
    if differences:
        words.append(f"{max(differences):.2e} of the range")
        good = max(differences) <= largest_difference
    if steps:
        part = min(float((each <= 1).mean()) for each in steps)
        words.append(f"{100 * part:.3f} % within 1 step, at most {max(int(each.max()) for each in steps)}")
        good = good and part >= SMALLEST_PART
    return ", ".join(words), good


def same_bits(options, path, values, ours, folder):
    """The part of the values that the file, converted again, computes with the same bits."""
    again = f"{folder}/again"
    emulated_npu.convert(options.bin, path, again)
    found = run_npu(options, again, values, ours)
    equal = sum(int((numpy.asarray(a) == numpy.asarray(b)).sum()) for a, b in zip(ours, found, strict=True))
    count = sum(a.size for a in ours)
    return "same bits" if equal == count else f"{100 * equal / count:.2f} % same bits"


def vela_words(options, path, folder):
    """Operators left to the CPU, of all."""
    command = [os.path.join(os.path.dirname(sys.executable), "vela"), path, "--accelerator-config", options.vela, "--output-dir", folder]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    text = result.stdout + result.stderr
    counts = [re.search(rf"^{unit} operators = (\d+)", text, re.MULTILINE) for unit in ("CPU", "NPU")]
    if result.returncode != 0 or None in counts:
        return f"vela: {(text.strip().splitlines() or ['no output'])[-1]}"
    cpu, npu = (int(count[1]) for count in counts)
    return f"{cpu} of {cpu + npu} on the CPU"


def compare(options, graph, form, inputs, outputs, folder):
    """Prints a row; whether it is good enough."""
    path = f"{folder}/exported.tflite"
    export(options, graph, path)
    values = [value_of(options, tensor, index) for index, tensor in enumerate(inputs)]
    expected, default = (run_litert(path, values, kernels) for kernels in (OpResolverType.BUILTIN_REF, OpResolverType.BUILTIN))
    if len(expected) != len(outputs):
        raise RuntimeError(f"the file has {len(expected)} outputs, expected {len(outputs)}")
    ours = run_npu(options, folder, values, expected)
    quantized = any("quantize" in tensor for tensor in inputs + outputs)
    largest = LARGEST_DIFFERENCE_BESIDE_INTEGERS if quantized else LARGEST_DIFFERENCE
    agreements = [agreement(theirs, ours, largest) for theirs in (expected, default)]
    columns = [form] + [words for words, _ in agreements]
    if options.between:
        columns.append(agreement(expected, default, largest)[0])
    columns.append(same_bits(options, path, values, ours, folder))
    if options.vela:
        columns.append(vela_words(options, path, folder))
    print(f"| {' | '.join(columns)} |", flush=True)
    if options.keep:
        os.makedirs(options.keep, exist_ok=True)
        os.replace(path, os.path.join(options.keep, f"{os.path.basename(folder)}_{form.replace(' ', '_')}.tflite"))
    return any(good for _, good in agreements)


def compare_model(options, model):
    good = True
    with tempfile.TemporaryDirectory() as folder:
        inputs, outputs = emulated_npu.convert(options.bin, model, folder, "--preserve", *(["--meta", options.meta] if options.meta else []))
        print(f"| {os.path.basename(model)} ", end="", flush=True)
        good = compare(options, f"{folder}/build/model.sir", "as it is", inputs, outputs, folder)
        if options.float or any("quantize" in tensor for tensor in inputs + outputs):
            return good
        for data_type in options.type:
            print(f"| {os.path.basename(model)} ", end="", flush=True)
            metafile = write_metafile(options, inputs, data_type, folder)
            quantized = emulated_npu.convert(options.bin, model, folder, "--preserve", "--meta", metafile)
            good &= compare(options, f"{folder}/build/model_quantized.qsir", data_type, *quantized, folder)
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", nargs="+")
    parser.add_argument("--bin", default="bazel-bin", help="where the programs were built")
    parser.add_argument("--meta", help="a metafile for the float conversion")
    parser.add_argument("--type", nargs="+", default=["uint8"], help="the data types to quantize to")
    parser.add_argument("--scheme", help="the quantization scheme")
    parser.add_argument("--low", type=float, default=-1.0, help="the smallest value of a float input")
    parser.add_argument("--high", type=float, default=1.0, help="the largest")
    parser.add_argument("--float", action="store_true", help="don't quantize")
    parser.add_argument("--fallback", choices=["float"], help="what computes layers that the format can't say")
    parser.add_argument("--images", nargs="+", default=[], help="pictures instead of noise; the last argument")
    parser.add_argument("--between", action="store_true", help="hold LiteRT's own kernels against one another, too")
    parser.add_argument("--vela", help="the accelerator that Vela compiles for")
    parser.add_argument("--keep", help="a folder for the exported files")
    options = parser.parse_args()
    failures = 0
    for model in options.models:
        try:
            failures += not compare_model(options, model)
        except (RuntimeError, ValueError, subprocess.CalledProcessError) as error:
            failures += 1
            print(f"| {str(error).splitlines()[0]} |", flush=True)
    print(f"{failures} of {len(options.models)} models differ")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
