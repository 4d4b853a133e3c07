#!/usr/bin/env python3
"""Measures time and memory of `synap import` for ONNX files of 104 MB of weights.

    python3 -m venv .cache/peers && .cache/peers/bin/pip install -r benchmarks/peers/requirements.txt onnx
    ./bazelw build //compiler/convert/cli:synap
    .cache/peers/bin/python benchmarks/peers/measure_import.py --bin bazel-bin

A row is a network of 11 layers with random weights: convolutions of 512x512x3x3 over an image of 8x8, the same with a batch
normalization behind each, and products with matrices of 1536x1536, transposed and not. The memory is the most that the process
had at once (GNU time's), in MB and as a multiple of the file; the time is the shortest of --runs.
"""

import argparse
import os
import subprocess
import tempfile

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

LAYERS = 11
CHANNELS = 512
WIDTH = 1536


def weights(generator, name, shape):
    return numpy_helper.from_array(generator.standard_normal(shape, dtype=numpy.float32) / 100, name)


def layer(generator, kind, index):
    """Nodes from x<index> to x<index + 1>, and their weights."""
    source, target, w = f"x{index}", f"x{index + 1}", f"w{index}"
    if kind == "Gemm":
        return [helper.make_node("Gemm", [source, w], [target], transB=1)], [weights(generator, w, (WIDTH, WIDTH))]
    if kind == "MatMul":
        return [helper.make_node("MatMul", [source, w], [target])], [weights(generator, w, (WIDTH, WIDTH))]
    convolution = helper.make_node("Conv", [source, w, f"b{index}"], [target], kernel_shape=[3, 3], pads=[1, 1, 1, 1])
    constants = [weights(generator, w, (CHANNELS, CHANNELS, 3, 3)), weights(generator, f"b{index}", (CHANNELS,))]
    if kind == "Conv":
        return [convolution], constants
    convolution.output[0] = f"y{index}"
    names = [f"{name}{index}" for name in ("scale", "bias", "mean", "variance")]
    constants += [weights(generator, name, (CHANNELS,)) for name in names[:3]]
    constants.append(numpy_helper.from_array(numpy.ones(CHANNELS, numpy.float32), names[3]))
    return [convolution, helper.make_node("BatchNormalization", [f"y{index}"] + names, [target])], constants


def write_model(kind, path):
    generator = numpy.random.default_rng(1)
    nodes, constants = [], []
    for index in range(LAYERS):
        more_nodes, more_constants = layer(generator, kind, index)
        nodes += more_nodes
        constants += more_constants
    shape = [1, WIDTH] if kind in ("Gemm", "MatMul") else [1, CHANNELS, 8, 8]
    border = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name in ("x0", f"x{LAYERS}")]
    graph = helper.make_graph(nodes, "weights", border[:1], border[1:], constants)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def run(command):
    """Seconds and bytes of a command. Started from here, it would count this process's memory as its own."""
    result = subprocess.run(["/usr/bin/time", "-f", "%e %M"] + command, stderr=subprocess.PIPE, text=True, check=True)
    seconds, kilobytes = result.stderr.split()[-2:]
    return float(seconds), int(kilobytes) * 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default="bazel-bin", help="where Bazel puts programs")
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    print("| network | file | time | memory | of the file |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for kind in ("Conv", "Conv, BatchNormalization", "Gemm", "MatMul"):
            model = f"{folder}/model.onnx"
            write_model(kind, model)
            command = [f"{options.bin}/compiler/convert/cli/synap", "import", "--model", model, "--out", f"{folder}/model.sir"]
            runs = [run(command) for _ in range(options.runs)]
            seconds, memory = (min(values) for values in zip(*runs))
            size = os.path.getsize(model)
            print(f"| {kind} | {size / 1e6:.0f} MB | {seconds:.2f} s | {memory / 1e6:.0f} MB | {memory / size:.2f} |")


if __name__ == "__main__":
    main()
