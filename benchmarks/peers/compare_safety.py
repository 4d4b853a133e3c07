#!/usr/bin/env python3
"""Measures what the precision policy gives detectors: networks quantized with `optimize: false`, and as they are without a word about it.

    python3 -m venv .cache/peers && .cache/peers/bin/pip install -r benchmarks/peers/requirements.txt onnx pillow sympy
    ./bazelw build //compiler/convert/cli:synap //runtime/cli:synap_cli
    .cache/peers/bin/python benchmarks/peers/compare_safety.py --bin bazel-bin --pictures a.jpg b.jpg ... --models model.onnx...

Every second picture calibrates, all are measured. uint8, algorithm standard; each network with outputs of integers and with
dequantized ones. Columns, plain and safe:
    SQNR   in dB, mean over the channels of all outputs, which count alike, as boxes and scores do for whoever decodes them
    found  positions with a score above 0.5 that are the same as in float, as a part of all that either has (intersection over union)
    ms     estimated time on VS680
"""

import argparse
import pathlib
import re
import sys
import tempfile

import emulated_npu
import numpy
import onnxruntime
from compare_quantizers import MODELS, sample_of
from onnxruntime_quantizer import session_of


def sigmoid(values):
    return 1 / (1 + numpy.exp(-values.astype(numpy.float64)))


def yolov5_face_scores(outputs):
    heads = [output.reshape(-1, 16) for output in outputs.values()]
    return numpy.concatenate([sigmoid(head[:, 4]) * sigmoid(head[:, 15]) for head in heads])


def yunet_scores(outputs):
    return numpy.concatenate([numpy.sqrt(numpy.clip(outputs[f"cls_{stride}"] * outputs[f"obj_{stride}"], 0, 1)).ravel()
                              for stride in (8, 16, 32)])


# The scores of all positions, of the outputs by name.
SCORES = {
    "FastestDet_352": lambda outputs: outputs["758"][:, 0].ravel(),
    "blazeface_short_range": lambda outputs: sigmoid(outputs["classificators"]).ravel(),
    "ultraface_RFB-320": lambda outputs: outputs["scores"][..., 1].ravel(),
    "ultraface_slim-320_simplified": lambda outputs: outputs["scores"][..., 1].ravel(),
    "yolov5n-0.5-face_640": yolov5_face_scores,
    "yolox_nano_opencv_zoo": lambda outputs: (outputs["output"][..., 4] * outputs["output"][..., 5:].max(-1)).ravel(),
    "yunet_n_320_320": yunet_scores,
}
CHANNELS_FIRST = {"FastestDet_352"}  # of the outputs


class Network:
    """A network, its samples, and what it gives in float."""

    def __init__(self, path, pictures):
        self.path, self.name = path, pathlib.Path(path).stem
        session = session_of(path, plain=False)
        (self.input,) = session.get_inputs()
        self.shape = [size if isinstance(size, int) else 1 for size in self.input.shape]
        self.samples = [sample_of(picture, self.shape, *MODELS[self.name]) for picture in pictures]
        self.outputs = [output.name for output in session.get_outputs()]
        self.expected = [dict(zip(self.outputs, session.run(self.outputs, {self.input.name: sample}))) for sample in self.samples]

    def quantized(self, binaries, dequantize, optimize):
        """What the quantized network gives for the samples, and its estimated milliseconds."""
        with tempfile.TemporaryDirectory() as folder:
            for i, sample in enumerate(self.samples[::2]):
                numpy.save(f"{folder}/sample_{i:03}.npy", sample)
            lines = ["inputs:", f"  - name: {self.input.name}", f"    shape: {self.shape}",
                     f"dequantize_outputs: {str(dequantize).lower()}", f"optimize: {str(optimize).lower()}",
                     "quantization: {dataset: 'sample_*.npy'}"]
            pathlib.Path(folder, "meta.yaml").write_text("\n".join(lines) + "\n", encoding="utf-8")
            (network_input,), described = emulated_npu.convert(binaries, self.path, folder, "--meta", f"{folder}/meta.yaml")
            names = [output["name"] for output in described]
            found = []
            for sample, expected in zip(self.samples, self.expected):
                emulated_npu.run(binaries, folder, [emulated_npu.quantized(sample, network_input)])
                found.append({name: numpy.fromfile(f"{folder}/output_float_{names.index(name)}.dat", numpy.float32)
                              .reshape(expected[name].shape) for name in self.outputs})
            information = pathlib.Path(folder, "model_info.txt").read_text(encoding="utf-8")
            return found, float(re.search(r"Estimated time: ([\d.]+)", information).group(1))

    def by_channel(self, values):
        axis = 1 if self.name in CHANNELS_FIRST else -1
        values = numpy.moveaxis(values.astype(numpy.float64), axis, -1)
        return values.reshape(-1, values.shape[-1])

    def sqnr(self, found):
        figures = []
        for name in self.outputs:
            reference = numpy.concatenate([self.by_channel(outputs[name]) for outputs in self.expected])
            noise = ((reference - numpy.concatenate([self.by_channel(outputs[name]) for outputs in found])) ** 2).sum(0)
            signal = (reference ** 2).sum(0)
            figures += list(-10 * numpy.log10(numpy.maximum(noise[signal > 0] / signal[signal > 0], 1e-12)))
        return float(numpy.mean(figures))

    def found(self, found):
        either = both = 0
        for expected, outputs in zip(self.expected, found):
            real, quantized = SCORES[self.name](expected) > 0.5, SCORES[self.name](outputs) > 0.5
            either += int((real | quantized).sum())
            both += int((real & quantized).sum())
        return both / max(either, 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--models", nargs="+", required=True)
    parser.add_argument("--pictures", nargs="+", required=True)
    parser.add_argument("--bin", default="bazel-bin", help="where the programs were built")
    options = parser.parse_args()
    onnxruntime.set_default_logger_severity(3)
    print("| model | outputs | SQNR plain | safe | found plain | safe | ms plain | safe |\n|---|---|---|---|---|---|---|---|")
    for path in options.models:
        network = Network(path, options.pictures)
        for dequantize in (False, True):
            row = []
            for optimize in (False, True):
                found, milliseconds = network.quantized(options.bin, dequantize, optimize)
                row.append((f"{network.sqnr(found):.1f}", f"{network.found(found):.3f}", f"{milliseconds:.3f}"))
            figures = " | ".join(f"{plain} | {safe}" for plain, safe in zip(*row))
            print(f"| {network.name} | {'float32' if dequantize else 'integers'} | {figures} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
