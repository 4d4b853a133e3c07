#!/usr/bin/env python3
"""calibration_cost.py BIN [--pictures N] [--rounds N]: processor time of a calibration beside that of its plain float inferences.

    ./bazelw build //compiler/convert/cli:synap //runtime/cli:synap_cli
    python3 benchmarks/scaling/calibration_cost.py bazel-bin

In turns, `synap calibrate` with and without histograms of all tensors, pictures' decoding and the program's start included, and as many
runs of the float model by `synap_cli`, its start left out: models/yolov5_face with its samples, one thread. Prints medians and their ratio.
Run in the root of the checkout.
"""

import argparse
import os
import pathlib
import shutil
import statistics
import subprocess
import tempfile

MODEL = pathlib.Path("models/yolov5_face")


def processor_time(*command):
    """Seconds, in the program and in the kernel for it."""
    before = os.times()
    subprocess.run([str(argument) for argument in command], check=True, stdout=subprocess.DEVNULL)
    after = os.times()
    return after.children_user - before.children_user + after.children_system - before.children_system


class Work:
    """A folder with the model in its stages, and programs to run there."""

    def __init__(self, programs, folder, count):
        self.synap, self.cli = programs / "compiler/convert/cli/synap", programs / "runtime/cli/synap_cli"
        self.folder = folder
        samples = sorted(MODEL.glob("samples/*.jpg"))
        self.pictures = [folder / ("%05d.jpg" % i) for i in range(count)]  # one name for each
        for i, picture in enumerate(self.pictures):
            shutil.copyfile(samples[i % len(samples)], picture)
        text = (MODEL / "model.yaml").read_text(encoding="utf-8")
        for algorithm in ("standard", "kl_divergence"):
            self.meta(algorithm).write_text(text.replace("quantization:", "quantization:\n  algorithm: " + algorithm), encoding="utf-8")
        self.meta("float").write_text(text.split("quantization:")[0], encoding="utf-8")
        model = ("--model", MODEL / "model.onnx", "--meta", self.meta("float"))
        processor_time(self.synap, "import", *model, "--out", folder / "model.sir")
        processor_time(self.synap, "convert", "--silent", *model, "--target", "VS680", "--out-dir", folder / "float")

    def meta(self, name):
        return self.folder / (name + ".yaml")

    def calibration(self, algorithm):
        return processor_time(
            self.synap, "calibrate", "--threads", 1, "--graph", self.folder / "model.sir", "--meta", self.meta(algorithm), "--out",
            self.folder / "out.stats", "--samples", *self.pictures
        )

    def inferences(self, count):
        return processor_time(self.cli, "-m", self.folder / "float/model.synap", "--threads", 1, "-r", count, "random")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", type=pathlib.Path, metavar="BIN", help="where the programs were built: bazel-bin")
    parser.add_argument("--pictures", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        work = Work(options.programs, pathlib.Path(name), options.pictures)
        times = {"inferences": [], "standard": [], "kl_divergence": []}
        for _ in range(options.rounds):
            times["inferences"].append(work.inferences(options.pictures + 1) - work.inferences(1))
            for algorithm in ("standard", "kl_divergence"):
                times[algorithm].append(work.calibration(algorithm))
    plain = statistics.median(times["inferences"])
    for what, seconds in times.items():
        median = statistics.median(seconds)
        print("%-14s %6.2f s (%.2f to %.2f)  %.2f of the inferences" % (what, median, min(seconds), max(seconds), median / plain))


if __name__ == "__main__":
    main()
