#!/usr/bin/env python3
"""Compares the time that quantizing takes with that of ONNX Runtime's quantize_static: same network, pictures and processors.

    python3 -m venv .cache/peers && .cache/peers/bin/pip install -r benchmarks/peers/requirements.txt onnx pillow sympy
    ./bazelw build //compiler/convert/cli:synap
    .cache/peers/bin/python benchmarks/peers/compare_calibration.py --bin bazel-bin --pictures *.jpg --model yolov5n-0.5-face_640.onnx

The pictures are cut, mirrored and scaled into --samples JPEG files of the input's size. In turns, --rounds times: `synap convert` without
its cache, from the model and the files to model.synap, and quantize_static (uint8) with a reader that decodes the same files as it is asked
for them, float model prepared beforehand; standard against MinMax and kl_divergence against Entropy. The least time of each counts, and
the most memory. --memory: only our memory, with 10 samples and with --samples.
"""

import argparse
import glob
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

import onnxruntime
from compare_quantizers import MODELS, sample_of
from onnxruntime import quantization
from onnxruntime.quantization.shape_inference import quant_pre_process
from onnxruntime_quantizer import Samples, prepare, session_of
from PIL import Image

METHODS = {"standard": quantization.CalibrationMethod.MinMax, "kl_divergence": quantization.CalibrationMethod.Entropy}


def make_samples(pictures, count, size, folder):
    """`count` different files: parts of the pictures from whole to half, every second one mirrored."""
    for i in range(count):
        image = Image.open(pictures[i % len(pictures)]).convert("RGB")
        turn = i // len(pictures)
        part = 1 - 0.5 * ((turn * 0.618) % 1)
        width, height = int(image.width * part), int(image.height * part)
        left, top = int((image.width - width) * ((turn * 0.37) % 1)), int((image.height - height) * ((turn * 0.73) % 1))
        image = image.crop((left, top, left + width, top + height)).resize(size, Image.Resampling.BILINEAR)
        if turn % 2:
            image = image.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
        image.save(f"{folder}/sample_{i:04}.jpg", quality=92)


def measured(command):
    """Seconds and MiB that a process takes."""
    start, most = time.monotonic(), 0
    with tempfile.TemporaryFile("w+") as errors, subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=errors) as process:
        while process.poll() is None:
            # Not ru_maxrss, which begins with the memory of the process that started it.
            found = re.search(r"VmHWM:\s+(\d+)", pathlib.Path(f"/proc/{process.pid}/status").read_text(encoding="utf-8"))
            most = max(most, int(found.group(1)) if found else 0)
            time.sleep(0.01)
        seconds = time.monotonic() - start
        errors.seek(0)
        message = errors.read()
    if process.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: {message.strip()}")
    return seconds, most / 1024


class Work:
    """A network and a folder of samples."""

    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        (self.input,) = session_of(options.model, plain=False).get_inputs()
        self.shape = [size if isinstance(size, int) else 1 for size in self.input.shape]

    def size(self):
        return (self.shape[3], self.shape[2])

    def ours(self, algorithm):
        mean, scale, order = MODELS[pathlib.Path(self.options.model).stem]
        lines = ["inputs:", f"  - name: {self.input.name}", f"    shape: {self.shape}", f"    means: {mean}", f"    scale: {scale}",
                 f"    format: {order}", "quantization:", "  dataset: '*.jpg'", f"  algorithm: {algorithm}"]
        pathlib.Path(self.folder, "meta.yaml").write_text("\n".join(lines) + "\n", encoding="utf-8")
        shutil.rmtree(f"{self.folder}/out", ignore_errors=True)
        return measured([f"{self.options.bin}/compiler/convert/cli/synap", "convert", "--silent", "--model", self.options.model, "--target",
                         "VS680", "--meta", f"{self.folder}/meta.yaml", "--out-dir", f"{self.folder}/out"])

    def theirs(self, algorithm):
        return measured([sys.executable, __file__, "--peer", algorithm, "--folder", self.folder, "--model", self.options.model,
                         "--pictures", *self.options.pictures])

    def prepare_peer(self):
        prepare(self.options.model, f"{self.folder}/opset.onnx")
        quant_pre_process(f"{self.folder}/opset.onnx", f"{self.folder}/float.onnx")

    def quantize_by_peer(self, algorithm):
        normalization = MODELS[pathlib.Path(self.options.model).stem]
        files = sorted(glob.glob(f"{self.folder}/*.jpg"))
        samples = Samples({self.input.name: sample_of(file, self.shape, *normalization)} for file in files)
        kind = quantization.QuantType.QUInt8
        quantization.quantize_static(f"{self.folder}/float.onnx", f"{self.folder}/quantized.onnx", samples, activation_type=kind,
                                     weight_type=kind, calibrate_method=METHODS[algorithm])


def compare_times(work, algorithms, rounds):
    work.prepare_peer()
    for algorithm in algorithms:
        ours, theirs = [], []
        for _ in range(rounds):  # in turns, so that others' load falls on both
            ours.append(work.ours(algorithm))
            theirs.append(work.theirs(algorithm))
        seconds = [min(run[0] for run in runs) for runs in (ours, theirs)]
        memory = [max(run[1] for run in runs) for runs in (ours, theirs)]
        print(f"{algorithm:14} {seconds[0]:7.1f} s {memory[0]:7.0f} MiB   ONNX Runtime {seconds[1]:7.1f} s {memory[1]:7.0f} MiB   "
              f"{seconds[1] / seconds[0]:5.1f} times as long", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", required=True)
    parser.add_argument("--pictures", nargs="+", required=True)
    parser.add_argument("--bin", default="bazel-bin", help="where the program was built")
    parser.add_argument("--samples", type=int, default=100)
    parser.add_argument("--algorithms", nargs="+", choices=METHODS, default=list(METHODS))
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--memory", action="store_true", help="our memory with --samples and with 10, no times")
    parser.add_argument("--peer", choices=METHODS, help=argparse.SUPPRESS)
    parser.add_argument("--folder", help=argparse.SUPPRESS)
    options = parser.parse_args()
    onnxruntime.set_default_logger_severity(3)
    if options.peer:
        Work(options, options.folder).quantize_by_peer(options.peer)
        return 0
    for count in (10, options.samples) if options.memory else (options.samples,):
        with tempfile.TemporaryDirectory() as folder:
            work = Work(options, folder)
            make_samples(options.pictures, count, work.size(), folder)
            if options.memory:
                seconds, memory = work.ours("kl_divergence")
                print(f"{count:5} samples: {memory:.0f} MiB, {seconds:.1f} s", flush=True)
            else:
                compare_times(work, options.algorithms, options.rounds)
    return 0


if __name__ == "__main__":
    sys.exit(main())
