#!/usr/bin/env python3
"""Compares the ways to round 8-bit weights: what each network keeps of its accuracy, and how long quantization takes.

    ./bazelw build //compiler/convert/cli:synap
    benchmarks/compare_rounding.py --synap bazel-bin/compiler/convert/cli/synap --pictures a.jpg b.jpg ... --models model.onnx...

Every second picture calibrates, the others measure. Algorithm standard; once uint8, once int8 with a scale for each channel of the
weights. For each rounding three figures:
    layers   SQNR in dB of the layers with 8-bit weights in the quantized network, the mean over them
    outputs  SQNR in dB of the outputs, the mean over them
    s        seconds that `synap quantize` took, on one thread
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

from compare_entropy import NETWORKS, SHAPED

NETWORKS["super_resolution_op"] = SHAPED % ("input", [1, 1, 224, 224], 0, 255, "gray")
SCHEMES = {
    "uint8": ["  data_type: uint8"],
    "int8": ["  data_type: int8", "  scheme: perchannel_symmetric_affine"],
}


class Network:
    """The files of a network and a scheme, in a folder."""

    def __init__(self, options, model, scheme, folder):
        self.options, self.folder, self.scheme = options, folder, SCHEMES[scheme]
        self.inputs = NETWORKS[pathlib.Path(model).stem]
        os.mkdir(os.path.join(folder, "samples"))
        for picture in options.pictures[::2]:
            os.symlink(os.path.abspath(picture), os.path.join(folder, "samples", os.path.basename(picture)))
        self.write_metafile("balanced")
        self.run("import", "--model", os.path.abspath(model), "--meta", "balanced.yaml", "--out", "graph.sir")
        self.run("calibrate", "--graph", "graph.sir", "--meta", "balanced.yaml", "--threads", "2", "--out", "graph.stats")

    def write_metafile(self, rounding):
        datasets = ["    - 'samples/*'" for _ in self.inputs.splitlines()]
        choice = [f"rounding: {rounding}"] + ([self.options.options] if self.options.options else [])
        lines = ["inputs:", self.inputs, "quantization:", *self.scheme, f"  options: {{{', '.join(choice)}}}", "  dataset:", *datasets]
        pathlib.Path(self.folder, f"{rounding}.yaml").write_text("\n".join(lines) + "\n", encoding="utf-8")

    def run(self, *arguments):
        command = [os.path.abspath(self.options.synap), *arguments]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"{' '.join(arguments)}: {done.stderr}")

    def figures(self, rounding):
        """SQNR of the layers with weights, SQNR of the outputs, seconds."""
        self.write_metafile(rounding)
        meta = ("--meta", f"{rounding}.yaml", "--threads", "1")
        begin = time.monotonic()
        self.run("quantize", "--graph", "graph.sir", "--stats", "graph.stats", *meta, "--out", "graph.qsir")
        seconds = time.monotonic() - begin
        samples = [f"{i}={picture}" for i in range(len(self.inputs.splitlines()))
                   for picture in map(os.path.abspath, self.options.pictures[1::2])]
        self.run("analyze", "--graph", "graph.sir", "--quantized", "graph.qsir", *meta, "--samples", *samples, "--max-samples", "0",
                 "--json", "analysis.json")
        analysis = json.loads(pathlib.Path(self.folder, "analysis.json").read_text(encoding="utf-8"))
        layers = [layer["accumulated"]["sqnr_db"] for layer in analysis["layers"] if "weight_noise" in layer]
        outputs = [output["sqnr_db"] for output in analysis["outputs"]]
        return sum(layers) / len(layers), sum(outputs) / len(outputs), seconds


def row_of(name, figures):
    return f"| {name} | " + " | ".join(f"{layers:.1f} / {outputs:.1f} / {seconds:.1f}" for layers, outputs, seconds in figures) + " |"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--models", nargs="+", required=True)
    parser.add_argument("--pictures", nargs="+", required=True)
    parser.add_argument("--roundings", nargs="+", default=["balanced", "adaptive", "second_order", "auto"])
    parser.add_argument("--options", help="further quantization.options, for example 'bias_correction: full'")
    parser.add_argument("--synap", default="bazel-bin/compiler/convert/cli/synap")
    options = parser.parse_args()
    print("layers / outputs / s\n")
    print("| model | type | " + " | ".join(options.roundings) + " |\n|---|---|" + "---|" * len(options.roundings))
    rows = {scheme: [] for scheme in SCHEMES}
    for model in options.models:
        for scheme, found in rows.items():
            with tempfile.TemporaryDirectory() as folder:
                network = Network(options, model, scheme, folder)
                found.append([network.figures(rounding) for rounding in options.roundings])
            print(row_of(f"{pathlib.Path(model).stem} | {scheme}", found[-1]), flush=True)
    for scheme, found in rows.items():
        means = [[sum(column) / len(found) for column in zip(*figures)] for figures in zip(*found)]
        print(row_of(f"*mean* | {scheme}", means))
    return 0


if __name__ == "__main__":
    sys.exit(main())
