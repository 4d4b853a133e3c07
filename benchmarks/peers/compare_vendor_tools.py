#!/usr/bin/env python3
"""Runs what `synap export --for` writes in vendors' own tools: in their simulators, on photographs.

    python3 -m venv .cache/rknn && .cache/rknn/bin/pip install -r benchmarks/peers/rknn_requirements.txt
    ./bazelw build //compiler/convert/cli:synap //runtime/cli:synap_cli
    .cache/rknn/bin/python benchmarks/peers/compare_vendor_tools.py --bin bazel-bin --tool rknn \\
        --pictures a.jpg b.jpg ... --models model.onnx...

Each tool has a file of requirements (openvino_, qnn_, rknn_; `ort` runs in all of them) and an environment of its own, since they want different
versions of the same packages. Every second picture calibrates, all are measured. A figure is the mean over the outputs of the signal to
quantization noise ratio in dB, over all pictures, against ONNX Runtime's float32: of the tool, and of the emulated NPU. `apart`: the largest
difference between the two, as a part of the output's range. Nothing is built; models are those of compare_quantizers.py. Exit status 1 if a
tool doesn't take a model, or is more than --worse dB below the emulated NPU.
"""

import argparse
import contextlib
import os
import pathlib
import sys
import tempfile

import emulated_npu
import numpy
import onnx
import onnxruntime
import vendor_tools
from compare_quantizers import MODELS, sample_of
from onnxruntime_quantizer import session_of

TYPES = {
    "uint8": "data_type: uint8",
    "int8": "data_type: int8\n  scheme: asymmetric_affine",
    "int8_by_channel": "data_type: int8\n  scheme: perchannel_symmetric_affine",
    "int8_fixed_point": "data_type: int8",
    "int16": "data_type: int16",
    "auto": "data_type: auto\n  budget: {latency: 1.3}",
}


class Network:
    """A float model with its samples, and what it makes of them."""

    def __init__(self, path, pictures):
        session = session_of(path, plain=False)
        self.path = path
        self.shapes = {each.name: [size if isinstance(size, int) else 1 for size in each.shape] for each in session.get_inputs()}
        normalization = MODELS[pathlib.Path(path).stem]
        self.samples = [{name: sample_of(picture, shape, *normalization) for name, shape in self.shapes.items()} for picture in pictures]
        self.outputs = [output.name for output in session.get_outputs()]
        self.expected = [session.run(self.outputs, sample) for sample in self.samples]

    def sqnr(self, found):
        """`found`: for each sample the outputs' values."""
        figures = []
        for index, reference in enumerate(map(numpy.stack, zip(*self.expected, strict=True))):
            if numpy.ptp(reference, axis=0).max() == 0:
                continue
            values = numpy.stack([outputs[index].reshape(reference.shape[1:]) for outputs in found])
            noise = float(((reference.astype(numpy.float64) - values) ** 2).sum())
            figures.append(10 * numpy.log10(float((reference.astype(numpy.float64) ** 2).sum()) / max(noise, 1e-30)))
        return float(numpy.mean(figures))

    def quantize(self, options, kind, folder):
        """The inputs and outputs of folder/model.synap, as model.json describes them."""
        for i, sample in enumerate(self.samples[::2]):
            for place, values in enumerate(sample.values()):
                os.makedirs(f"{folder}/{place}", exist_ok=True)
                numpy.save(f"{folder}/{place}/{i:03}.npy", values)
        lines = ["inputs:"]
        for name, shape in self.shapes.items():
            lines += [f"  - name: {name}", f"    shape: {shape}"]
        lines += ["quantization:", f"  dataset: {[f'{place}/*.npy' for place in range(len(self.shapes))]}", f"  {TYPES[kind]}"]
        pathlib.Path(f"{folder}/meta.yaml").write_text("\n".join(lines) + "\n", encoding="utf-8")
        return emulated_npu.convert(options.bin, self.path, folder, "--preserve", "--no-measure", "--meta", f"{folder}/meta.yaml")


def real(value, tensor):
    """An output of the network as numbers."""
    if value.dtype.kind == "f" or "quantize" not in tensor:
        return value.astype(numpy.float32)
    quantize = tensor["quantize"]
    scale = 2.0 ** -quantize["fl"] if "fl" in quantize else quantize["scale"]
    return ((value.astype(numpy.float64) - quantize.get("zero_point", 0)) * scale).astype(numpy.float32)


def export(options, folder):
    """Writes the tool's file; its path. RuntimeError with what synap says."""
    path = f"{folder}/{options.tool}.onnx"
    graph = f"{folder}/build/model_quantized.qsir"
    warnings = emulated_npu.synap(options.bin, "export", "--graph", graph, "--for", options.tool, "--out", path)
    if options.verbose:
        print(warnings, end="")
    return path


def run_tool(options, network, path, inputs, outputs):
    """For each sample the outputs' numbers."""
    takes = {each.name: each.type.tensor_type.elem_type for each in onnx.load(path).graph.input}
    descriptions = {each["name"]: each for each in inputs}
    tool = vendor_tools.TOOLS[options.tool](path)
    found = []
    for sample in network.samples:
        feeds = {name: sample[name] if takes[name] == onnx.TensorProto.FLOAT else emulated_npu.quantized(sample[name], descriptions[name])
                 for name in takes}
        found.append([real(numpy.asarray(value), tensor) for value, tensor in zip(tool.run(feeds), outputs, strict=True)])
    return found


def run_emulated(options, network, inputs, outputs, folder):
    found = []
    for sample in network.samples:
        emulated_npu.run(options.bin, folder, [emulated_npu.quantized(sample[each["name"]], each) for each in inputs])
        found.append([numpy.fromfile(f"{folder}/output_float_{i}.dat", numpy.float32) for i in range(len(outputs))])
    return found


def compare(options, network, kind):
    """Prints a row; whether the tool is as near to the float network as the emulated NPU."""
    with tempfile.TemporaryDirectory() as folder:
        inputs, outputs = network.quantize(options, kind, folder)
        emulated = run_emulated(options, network, inputs, outputs, folder)
        path = export(options, folder)
        with contextlib.nullcontext() if options.verbose else vendor_tools.quiet():
            found = run_tool(options, network, path, inputs, outputs)
    apart = max(emulated_npu.part_of_range(ours.reshape(-1), theirs.reshape(-1))
                for one, other in zip(emulated, found, strict=True) for ours, theirs in zip(one, other, strict=True))
    theirs, ours = network.sqnr(found), network.sqnr(emulated)
    print(f"| {pathlib.Path(network.path).stem} | {kind} | {theirs:.1f} | {ours:.1f} | {100 * apart:.1f} % |", flush=True)
    return theirs >= ours - options.worse


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tool", choices=list(vendor_tools.TOOLS), required=True)
    parser.add_argument("--models", nargs="+", required=True)
    parser.add_argument("--pictures", nargs="+", required=True)
    parser.add_argument("--types", nargs="+", choices=list(TYPES), default=["uint8", "int8_by_channel"])
    parser.add_argument("--bin", default="bazel-bin", help="where the programs were built")
    parser.add_argument("--worse", type=float, default=3, help="decibels that a tool may be below the emulated NPU")
    parser.add_argument("--verbose", action="store_true", help="what the tool and `synap export` print")
    options = parser.parse_args()
    for path in options.models:
        if pathlib.Path(path).stem not in MODELS:
            parser.error(f"{path}: unknown model, expected one of {', '.join(MODELS)}")
    onnxruntime.set_default_logger_severity(4)
    print(f"| network, {vendor_tools.version_of(vendor_tools.TOOLS[options.tool])} | type | tool, dB | emulated NPU, dB | apart |")
    print("|---|---|---|---|---|")
    failures = 0
    for path in options.models:
        network = Network(path, options.pictures)
        for kind in options.types:
            try:
                failures += not compare(options, network, kind)
            except Exception as error:  # pylint: disable=broad-exception-caught  # tools have classes of their own
                failures += 1
                print(f"| {pathlib.Path(path).stem} | {kind} | {str(error).strip().splitlines()[-1][-200:]} |", flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
