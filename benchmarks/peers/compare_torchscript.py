#!/usr/bin/env python3
"""Compares TorchScript modules on the emulated NPU with PyTorch itself on the same input, value by value.

    apt-get install python3-torch    # or any PyTorch that can load the modules
    ./bazelw build //compiler/convert/cli:synap //runtime/cli:synap_cli
    /usr/bin/python3 benchmarks/peers/compare_torchscript.py --input 1,3,224,224 net.torchscript...

A row is an output: the largest difference, as a part of the range of what PyTorch computes. Inputs are noise from --low to --high.
"""

import argparse
import os
import sys
import tempfile

import emulated_npu
import numpy
import torch


def flat(value):
    """The tensors of what a module returns, in the order of its outputs."""
    if isinstance(value, torch.Tensor):
        return [value]
    items = value.values() if isinstance(value, dict) else value
    return [tensor for item in items if item is not None for tensor in flat(item)]


def compare(options, model):
    print(os.path.basename(model))
    shapes = [[int(dim) for dim in text.split(",")] for text in options.input]
    generator = numpy.random.default_rng(0)
    values = [generator.uniform(options.low, options.high, shape).astype(numpy.float32) for shape in shapes]
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/meta.yaml", "w", encoding="utf-8") as file:
            file.write("inputs:\n" + "".join(f"  - name: input{i}\n    shape: {shape}\n" for i, shape in enumerate(shapes)))
        try:
            _, outputs = emulated_npu.convert(options.bin, model, folder, "--meta", f"{folder}/meta.yaml")
        except RuntimeError as error:
            print(f"    {error}")
            return False
        emulated_npu.run(options.bin, folder, values)
        torch.backends.quantized.engine = "qnnpack"
        module = torch.jit.load(model, map_location="cpu").eval()
        with torch.no_grad():
            expected = flat(module(*[torch.from_numpy(value) for value in values]))
        return all([emulated_npu.compare_output(folder, i, outputs[i]["name"], value.float().numpy())
                    for i, value in enumerate(expected)])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", nargs="+")
    parser.add_argument("--input", action="append", required=True, metavar="1,3,224,224", help="once for each input")
    parser.add_argument("--bin", default="bazel-bin", help="where the programs were built")
    parser.add_argument("--low", type=float, default=-1.0, help="the smallest value of an input")
    parser.add_argument("--high", type=float, default=1.0, help="the largest")
    options = parser.parse_args()
    return 0 if all([compare(options, model) for model in options.model]) else 1


if __name__ == "__main__":
    sys.exit(main())
