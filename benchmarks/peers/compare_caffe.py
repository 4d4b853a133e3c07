#!/usr/bin/env python3
"""Compares Caffe networks on the emulated NPU with OpenCV's runtime for them on the same input, value by value.

    python3 -m venv .cache/peers && .cache/peers/bin/pip install -r benchmarks/peers/caffe_requirements.txt
    ./bazelw build //compiler/convert/cli:synap //runtime/cli:synap_cli
    .cache/peers/bin/python benchmarks/peers/compare_caffe.py net.prototxt net.caffemodel

A row is an output: the largest difference, as a part of the range of what OpenCV computes. Inputs are noise from --low to --high.
--meta names the metafile of a network that doesn't know the shapes of its inputs; --deploy the .prototxt that OpenCV reads instead
of one that is also for training.
"""

import argparse
import os
import sys
import tempfile

import cv2
import emulated_npu
import numpy


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("network")
    parser.add_argument("weights")
    parser.add_argument("--meta", help="the conversion metafile")
    parser.add_argument("--deploy", help="the network as OpenCV can read it")
    parser.add_argument("--bin", default="bazel-bin", help="where the programs were built")
    parser.add_argument("--low", type=float, default=-1.0, help="the smallest value of an input")
    parser.add_argument("--high", type=float, default=1.0, help="the largest")
    options = parser.parse_args()
    print(os.path.basename(options.network))
    with tempfile.TemporaryDirectory() as folder:
        arguments = ["--weights", options.weights] + (["--meta", options.meta] if options.meta else [])
        try:
            inputs, outputs = emulated_npu.convert(options.bin, options.network, folder, *arguments)
        except RuntimeError as error:
            print(f"    {error}")
            return 1
        generator = numpy.random.default_rng(0)
        values = [generator.uniform(options.low, options.high, tensor["shape"]).astype(numpy.float32) for tensor in inputs]
        emulated_npu.run(options.bin, folder, values)
        network = cv2.dnn.readNetFromCaffe(options.deploy or options.network, options.weights)
        for tensor, value in zip(inputs, values):
            network.setInput(value, tensor["name"])
        # OpenCV knows layers by their names, and outputs by those of the layers that make them.
        expected = network.forward(network.getUnconnectedOutLayersNames())
        return 0 if all([emulated_npu.compare_output(folder, i, outputs[i]["name"], value)
                         for i, value in enumerate(expected)]) else 1


if __name__ == "__main__":
    sys.exit(main())
