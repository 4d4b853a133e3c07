#!/usr/bin/env python3
"""measure.py BIN [--pictures N] [--shards N ...] [--rounds N]: processor time and bytes of a calibration in shards.

    ./bazelw build //compiler/convert/programs/...
    python3 benchmarks/scaling/measure.py bazel-bin

Draws pictures, deals them out as the rules do, and runs the programs of the stages as their actions do, one after the other on one thread.
Of rounds in turns, each program's least time counts: other work on the machine only adds to it. Each row also has the share of the whole
that runs again after one picture changed: the largest shard and SynapQuantize. Run in the root of the checkout.
"""

import argparse
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import draw_pictures

MODEL = pathlib.Path("models/yolov5_face")


def shard_of(name, shards):
    """The shard of a sample: Starlark's hash() of its file name, hashed once more, as rules/private/dataset.bzl has it."""
    value = 0
    for character in name:
        value = (31 * value + ord(character)) & 0xFFFFFFFF
    return value * 2654435769 % (1 << 32) * shards >> 32


def run(*command):
    """Runs a program. Returns its processor time and wall time in seconds."""
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run([str(argument) for argument in command], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, time.monotonic() - begin


class Calibration:
    """The actions of a calibration in some number of shards."""

    def __init__(self, programs, folder, pictures, shards):
        dealt = {}
        for picture in pictures:
            dealt.setdefault(shard_of(picture.name, shards), []).append(picture)
        files = ("--meta", MODEL / "model.yaml", "--graph", folder / "model.sir")
        self.shards, self.stats, self.commands = shards, [], []
        for shard, samples in sorted(dealt.items()):
            self.stats.append(folder / ("%d_of_%d.stats" % (shard, shards)))
            self.commands.append(
                (programs / "synap_calibrate", "calibrate", "--threads", 1, *files, "--samples", *samples, "--out", self.stats[-1])
            )
        merged = [argument for file in self.stats for argument in ("--stats", file)]
        self.commands.append(
            (programs / "synap_quantize", "quantize", *files, *merged, "--out", folder / "model.qsir", "--info", folder / "info.yaml")
        )
        self.spent = [float("inf")] * len(self.commands)
        self.walls = list(self.spent)

    def run(self):
        for i, command in enumerate(self.commands):
            spent, wall = run(*command)
            self.spent[i], self.walls[i] = min(self.spent[i], spent), min(self.walls[i], wall)

    def row(self):
        total, merge = sum(self.spent), self.spent[-1]
        return "%6d %8d %12.2f %12.2f %14.1f %12.2f %10.1f" % (
            self.shards, len(self.commands), total, merge, sum(file.stat().st_size for file in self.stats) / 1e6,
            max(self.walls[:-1]) + self.walls[-1], 100 * (max(self.spent[:-1]) + merge) / total
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", type=pathlib.Path, metavar="BIN", help="where the programs were built: bazel-bin")
    parser.add_argument("--pictures", type=int, default=1000)
    parser.add_argument("--shards", type=int, nargs="+", default=[1, 2, 4, 8, 16, 32, 64])
    parser.add_argument("--rounds", type=int, default=1)
    options = parser.parse_args()
    programs = options.programs / "compiler/convert/programs"
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        pictures = []
        for number in range(options.pictures):
            pictures.append(folder / ("picture_%07d.png" % number))
            pictures[-1].write_bytes(draw_pictures.png(draw_pictures.draw(number)))
        graph = folder / "model.sir"
        run(programs / "synap_import", "import", "--meta", MODEL / "model.yaml", "--model", MODEL / "model.onnx", "--out", graph)
        size = sum(picture.stat().st_size for picture in pictures) / 1e6
        print("%d pictures of %.1f MB together, graph of %.1f MB" % (len(pictures), size, graph.stat().st_size / 1e6))
        rows = [Calibration(programs, folder, pictures, shards) for shards in options.shards]
        for _ in range(options.rounds):
            for row in rows:
                row.run()
        print("shards  actions  processor s  SynapQuantize  statistics MB  critical s  one more %")
        for row in rows:
            print(row.row())


if __name__ == "__main__":
    main()
