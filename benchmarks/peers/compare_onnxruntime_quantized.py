#!/usr/bin/env python3
"""Compares quantized ONNX models on the emulated NPU with ONNX Runtime on the same input, value by value.

    python3 -m venv .cache/peers && .cache/peers/bin/pip install -r benchmarks/peers/requirements.txt onnx
    ./bazelw build //compiler/convert/cli:synap //runtime/cli:synap_cli
    .cache/peers/bin/python benchmarks/peers/compare_onnxruntime_quantized.py --bin bazel-bin model.onnx...

With --quantize the models are float ones, which onnxruntime.quantization quantizes first, in four ways: uint8 with
QuantizeLinear and DequantizeLinear, the same as int8 with a scale for each channel, as int16 with weights of int8, and
operators over integers. A row is an
output: the largest difference as a part of its range and, where a DequantizeLinear makes it, in steps of its scale. Inputs are
noise from --low to --high. An output that leaves as float isn't rounded to 8 bits here, nor cut off at their range, so that
half a step is no difference. ONNX Runtime computes some integer operators as floats; --plain makes it do so for all of them.
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
from onnxruntime import quantization
from onnxruntime_quantizer import Samples, prepare, session_of

SAMPLES = 4


def noise(options, tensor, seed):
    shape = [size if isinstance(size, int) else 1 for size in tensor.shape]
    generator = numpy.random.default_rng(seed)
    if tensor.type == "tensor(float)":
        return generator.uniform(options.low, options.high, shape).astype(numpy.float32)
    dtype = numpy.int8 if tensor.type == "tensor(int8)" else numpy.uint8
    limits = numpy.iinfo(dtype)
    return generator.integers(limits.min, limits.max, shape, dtype=dtype, endpoint=True)


def quantized_models(options, path, folder):
    """Yields the paths of the four quantized forms."""
    prepare(path, f"{folder}/float.onnx")
    inputs = onnxruntime.InferenceSession(f"{folder}/float.onnx").get_inputs()
    byte, signed, word = quantization.QuantType.QUInt8, quantization.QuantType.QInt8, quantization.QuantType.QInt16
    nodes, integers = quantization.QuantFormat.QDQ, quantization.QuantFormat.QOperator
    for name, form, activations, weights, by_channel in (("qdq_uint8", nodes, byte, byte, False),
                                                         ("qdq_int8_by_channel", nodes, signed, signed, True),
                                                         ("qdq_int16_by_channel", nodes, word, signed, True),
                                                         ("qoperator", integers, byte, signed, False)):
        quantized = f"{folder}/{name}.onnx"
        samples = Samples({tensor.name: noise(options, tensor, 100 + i) for tensor in inputs} for i in range(SAMPLES))
        quantization.quantize_static(f"{folder}/float.onnx", quantized, samples, quant_format=form, per_channel=by_channel,
                                     activation_type=activations, weight_type=weights)
        yield quantized


def output_scales(path):
    """The scales of the outputs that a DequantizeLinear makes."""
    graph = onnx.load(path).graph
    constants = {tensor.name: tensor for tensor in graph.initializer}
    return {node.output[0]: float(onnx.numpy_helper.to_array(constants[node.input[1]]))
            for node in graph.node if node.op_type == "DequantizeLinear" and node.input[0] not in constants}


def differences(expected, found, scale):
    """A row's columns: how far apart, in words."""
    apart = numpy.abs(found.astype(numpy.float64) - expected)
    extent = float(expected.max() - expected.min()) or 1.0
    words = f"{apart.max() / extent:.2e} of its range"
    if scale is None:
        return words
    steps = apart / scale
    return f"{words}, {100 * float((steps <= 1.001).mean()):.2f} % within 1 step, at most {steps.max():.2f} (scale {scale:.3g})"


def compare(options, path, folder):
    inputs, outputs = emulated_npu.convert(options.bin, path, folder)
    input_names, output_names = [tensor["name"] for tensor in inputs], [tensor["name"] for tensor in outputs]
    session = session_of(path, options.plain)
    by_name = {tensor.name: tensor for tensor in session.get_inputs()}
    values = [noise(options, by_name[name], index) for index, name in enumerate(input_names)]
    expected_outputs = session.run(output_names, dict(zip(input_names, values)))
    emulated_npu.run(options.bin, folder, values)
    scales = output_scales(path)
    for index, (name, expected) in enumerate(zip(output_names, expected_outputs)):
        found = numpy.fromfile(f"{folder}/output_raw_{index}.dat", expected.dtype).reshape(expected.shape)
        print(f"    {name} {list(expected.shape)}: {differences(expected, found, scales.get(name))}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", nargs="+")
    parser.add_argument("--bin", default="bazel-bin", help="where the programs were built")
    parser.add_argument("--low", type=float, default=-1.0, help="the smallest value of a float input")
    parser.add_argument("--high", type=float, default=1.0, help="the largest")
    parser.add_argument("--quantize", action="store_true", help="the models are float ones; quantize them first")
    parser.add_argument("--plain", action="store_true", help="without ONNX Runtime's optimizations")
    options = parser.parse_args()
    onnxruntime.set_default_logger_severity(3)
    failures = 0
    for model in options.models:
        with tempfile.TemporaryDirectory() as folder:
            try:
                for path in quantized_models(options, model, folder) if options.quantize else [model]:
                    print(os.path.basename(model), os.path.basename(path) if options.quantize else "", flush=True)
                    compare(options, path, folder)
            except (RuntimeError, ValueError, subprocess.CalledProcessError) as error:
                failures += 1
                print(f"    {error}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
