#!/usr/bin/env python3
"""Compares a frozen TensorFlow graph on the emulated NPU with TensorFlow itself on the same input, value by value.

    python3 -m venv .cache/peers && .cache/peers/bin/pip install -r benchmarks/peers/tflite_requirements.txt
    ./bazelw build //compiler/convert/cli:synap //runtime/cli:synap_cli
    .cache/peers/bin/python benchmarks/peers/compare_tensorflow.py --input X=1,784 --output output graph.pb

A row is an output: the largest difference, as a part of the range of what TensorFlow computes. Inputs are noise from --low to
--high. --feed gives TensorFlow what the converter takes by itself, such as keep_prob=1.
"""

import argparse
import os
import sys
import tempfile

import emulated_npu
import numpy
import tensorflow


def write_metafile(path, shapes, outputs):
    lines = ["inputs:"]
    for name, shape in shapes.items():
        lines += [f"  - name: {name}", f"    shape: {shape}"]
    lines += ["outputs:"]
    for name in outputs:
        lines += [f"  - name: {name}", "    dequantize: true"]
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


def port(name):
    return name if ":" in name else name + ":0"


def run_tensorflow(options, feeds):
    graph_def = tensorflow.compat.v1.GraphDef()
    with open(options.graph, "rb") as file:
        graph_def.ParseFromString(file.read())
    with tensorflow.Graph().as_default() as graph:
        tensorflow.import_graph_def(graph_def, name="")
        with tensorflow.compat.v1.Session(graph=graph) as session:
            return session.run([port(name) for name in options.output], {port(name): value for name, value in feeds.items()})


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("graph")
    parser.add_argument("--input", action="append", required=True, metavar="NAME=1,224,224,3")
    parser.add_argument("--output", action="append", required=True, metavar="NAME")
    parser.add_argument("--feed", action="append", default=[], metavar="NAME=NUMBER")
    parser.add_argument("--bin", default="bazel-bin", help="where the programs were built")
    parser.add_argument("--low", type=float, default=-1.0, help="the smallest value of an input")
    parser.add_argument("--high", type=float, default=1.0, help="the largest")
    options = parser.parse_args()
    shapes = {name: [int(dim) for dim in shape.split(",")] for name, shape in (text.split("=") for text in options.input)}
    generator = numpy.random.default_rng(0)
    values = {name: generator.uniform(options.low, options.high, shape).astype(numpy.float32) for name, shape in shapes.items()}
    extra = {name: float(number) for name, number in (text.split("=") for text in options.feed)}
    print(os.path.basename(options.graph))
    with tempfile.TemporaryDirectory() as folder:
        write_metafile(f"{folder}/meta.yaml", shapes, options.output)
        try:
            emulated_npu.convert(options.bin, options.graph, folder, "--meta", f"{folder}/meta.yaml")
        except RuntimeError as error:
            print(f"    {error}")
            return 1
        emulated_npu.run(options.bin, folder, list(values.values()))
        expected = run_tensorflow(options, {**values, **extra})
        return 0 if all([emulated_npu.compare_output(folder, i, options.output[i], value)
                         for i, value in enumerate(expected)]) else 1


if __name__ == "__main__":
    sys.exit(main())
