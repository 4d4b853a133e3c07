#!/usr/bin/env python3
"""Tells how well quantization_entropy.txt predicts what the layers lose, which `synap analyze` measures.

    ./bazelw build //compiler/convert/cli:synap
    benchmarks/compare_entropy.py --synap bazel-bin/compiler/convert/cli/synap --pictures a.jpg b.jpg ... --models model.onnx...

Every network is calibrated with the pictures, in uint8 with algorithm kl_divergence, and analyzed over the same pictures. Columns:
    layers   how many of the layers that analyze lists quantization_entropy.txt has
    rho      Spearman's rank correlation between the file's figures and the layers' own loss (SQNR, falling), 1 at best
    of ten   how many of the ten layers with the worst own SQNR are among the first ten of the file
once for the file's figures and, for comparison, for the entropy of the histogram of each layer's result, as a part of what it could
be if all bins were equally full.
"""

import argparse
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile

# The metafile's input of each network.
IMAGE = "  - {means: %s, scale: %s, format: '%s keep_proportions=0'}"
SHAPED = "  - {name: '%s', shape: %s, means: %s, scale: %s, format: '%s keep_proportions=0'}"
NETWORKS = {
    "FastestDet_352": IMAGE % (0, 255, "bgr"),
    "blazeface_short_range": IMAGE % (127.5, 127.5, "rgb"),
    "mobilenet_v1_0.25_224_float": IMAGE % (127.5, 127.5, "rgb"),
    "mobilenet_v2_0.35_128_st": SHAPED % ("input_1", [1, 3, 128, 128], 127.5, 127.5, "rgb"),
    "model": IMAGE % (0, 255, "rgb"),  # models/yolov5_face
    "nanodet_320": IMAGE % ([103.53, 116.28, 123.675], 57.4, "bgr"),
    "retinaface_mbnet0.25": SHAPED % ("input", [1, 3, 320, 320], [104, 117, 123], 1, "bgr"),
    "text_detection_en_ppocrv3": SHAPED % ("x", [1, 3, 320, 320], [123.675, 116.28, 103.53], 57.4, "rgb"),
    "ultraface_RFB-320": IMAGE % (127, 128, "rgb"),
    "ultraface_slim-320_simplified": IMAGE % (127, 128, "rgb"),
    "vitTracker": "\n".join([IMAGE % ([123.675, 116.28, 103.53], 57.4, "rgb")] * 2),
    "yolov5n-0.5-face_640": IMAGE % (0, 255, "rgb"),
    "yolox_nano_opencv_zoo": IMAGE % (0, 1, "rgb"),
    "yunet_n_320_320": IMAGE % (0, 1, "bgr"),
}

# What only moves values is not in the file.
MOVES = {"reshape", "slice", "transpose"}


class Network:
    """A network's files of each stage, in a folder."""

    def __init__(self, synap, model, pictures, scheme, folder):
        self.synap, self.folder = synap, folder
        self.write_metafile(pathlib.Path(model).stem, pictures, scheme)
        self.run("import", "--model", model, "--meta", "meta.yaml", "--out", "graph.sir")
        self.run("calibrate", "--graph", "graph.sir", "--meta", "meta.yaml", "--threads", "1", "--out", "graph.stats")
        self.run("quantize", "--graph", "graph.sir", "--stats", "graph.stats", "--meta", "meta.yaml", "--threads", "1",
                 "--entropy", "entropy.txt", "--out", "graph.qsir")
        self.run("analyze", "--graph", "graph.sir", "--quantized", "graph.qsir", "--meta", "meta.yaml", "--threads", "1",
                 "--json", "analysis.json")

    def write_metafile(self, name, pictures, scheme):
        inputs = NETWORKS[name]
        os.makedirs(os.path.join(self.folder, "samples"), exist_ok=True)
        for picture in pictures:
            link = os.path.join(self.folder, "samples", os.path.basename(picture))
            if not os.path.exists(link):
                os.symlink(os.path.abspath(picture), link)
        datasets = ["    - 'samples/*'" for _ in inputs.splitlines()]
        lines = ["inputs:", inputs, "quantization:", "  algorithm: kl_divergence", *scheme, "  dataset:", *datasets]
        pathlib.Path(self.folder, "meta.yaml").write_text("\n".join(lines) + "\n", encoding="utf-8")

    def run(self, *arguments):
        done = subprocess.run([self.synap, *arguments], cwd=self.folder, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"{' '.join(arguments)}: {done.stderr}")

    def read(self, name):
        return pathlib.Path(self.folder, name).read_text(encoding="utf-8")

    def written_figures(self):
        """quantization_entropy.txt: the figure of each layer's first result."""
        found = re.findall(r"^@(.*):out0, (\S+)$", self.read("entropy.txt"), re.MULTILINE)
        return {layer: float(figure) for layer, figure in found}

    def histogram_entropies(self):
        """The normalized entropy of each tensor."""
        statistics = self.read("graph.stats")
        tensors = re.findall(r"^tensor (.*)$", statistics, re.MULTILINE)
        histograms = re.findall(r"^bins \S+ \S+ (.*)$", statistics, re.MULTILINE)
        return {tensor: normalized_entropy(counts) for tensor, counts in zip(tensors, histograms)}

    def layers(self):
        return json.loads(self.read("analysis.json"))["layers"]


def normalized_entropy(text):
    counts = []
    for run in text.split():
        count, _, times = run.partition("*")
        counts += [int(count)] * int(times or 1)
    total = sum(counts)
    entropy = sum(-count / total * math.log(count / total) for count in counts if count > 0)
    return entropy / math.log(len(counts)) if len(counts) > 1 else 0.0


def ranks(values):
    """From 1 on; equal values share the mean of theirs."""
    order = sorted(range(len(values)), key=lambda i: values[i])
    result = [0.0] * len(values)
    begin = 0
    while begin < len(order):
        end = begin
        while end < len(order) and values[order[end]] == values[order[begin]]:
            end += 1
        for i in order[begin:end]:
            result[i] = (begin + end + 1) / 2
        begin = end
    return result


def correlation(a, b):
    mean_a, mean_b = sum(a) / len(a), sum(b) / len(b)
    both = sum((x - mean_a) * (y - mean_b) for x, y in zip(a, b))
    squares = sum((x - mean_a) ** 2 for x in a) * sum((y - mean_b) ** 2 for y in b)
    return both / math.sqrt(squares) if squares > 0 else 0.0


def agreement(figures, losses):
    """Spearman's correlation, and how many of the ten largest are the same."""
    def first_ten(values):
        return set(sorted(range(len(values)), key=lambda i: -values[i])[:10])
    return correlation(ranks(figures), ranks(losses)), len(first_ten(figures) & first_ten(losses))


def figure_of(layer, written):
    """All float layers that run as one have its figure."""
    return next(written[name] for name in layer["names"] if name in written)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--models", nargs="+", required=True)
    parser.add_argument("--pictures", nargs="+", required=True)
    parser.add_argument("--synap", default="bazel-bin/compiler/convert/cli/synap")
    parser.add_argument("--scheme", help="int8's, such as perchannel_symmetric_affine; default: uint8")
    parser.add_argument("--keep", help="a folder for the files of each network")
    options = parser.parse_args()
    scheme = ["  data_type: int8", f"  scheme: {options.scheme}"] if options.scheme else []
    print("| model | layers | rho | of ten | entropy: rho | of ten |\n|---|---|---|---|---|---|")
    rows = []
    for model in options.models:
        name = pathlib.Path(model).stem
        with tempfile.TemporaryDirectory() as scratch:
            folder = os.path.join(options.keep, name) if options.keep else scratch
            os.makedirs(folder, exist_ok=True)
            network = Network(os.path.abspath(options.synap), os.path.abspath(model), options.pictures, scheme, folder)
            written, entropies = network.written_figures(), network.histogram_entropies()
            layers = [layer for layer in network.layers() if layer["op"] not in MOVES]
        losses = [-layer["own"]["sqnr_db"] for layer in layers]
        figures = agreement([figure_of(layer, written) for layer in layers], losses)
        baseline = agreement([entropies[layer["tensor"]] for layer in layers], losses)
        rows.append((*figures, *baseline))
        print(f"| {name} | {len(layers)} | {figures[0]:.2f} | {figures[1]} | {baseline[0]:.2f} | {baseline[1]} |", flush=True)
    means = [sum(column) / len(rows) for column in zip(*rows)]
    print(f"| *mean* | | {means[0]:.2f} | {means[1]:.1f} | {means[2]:.2f} | {means[3]:.1f} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
