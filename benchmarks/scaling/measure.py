#!/usr/bin/env python3
"""measure.py SYNAP [--pictures N] [--shards N ...]: processor time and bytes of a calibration in shards, one program after the other.

Draws pictures, deals them out as the rules do, and runs the stages as their actions do. Each row also has the share of the whole that
runs again after one picture changed: the largest shard and SynapQuantize. Run in the root of the checkout.
"""

import argparse
import os
import pathlib
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
    before, begin = os.times(), time.monotonic()
    subprocess.run([str(argument) for argument in command], check=True)
    after = os.times()
    return after.children_user - before.children_user + after.children_system - before.children_system, time.monotonic() - begin


def measure(synap, folder, graph, pictures, shards):
    """One row of the table."""
    dealt = {}
    for picture in pictures:
        dealt.setdefault(shard_of(picture.name, shards), []).append(picture)
    meta, stats, spent, walls = MODEL / "model.yaml", [], [], []
    for shard, samples in sorted(dealt.items()):
        stats.append(folder / ("%d_of_%d.stats" % (shard, shards)))
        took = run(synap, "calibrate", "--meta", meta, "--graph", graph, "--samples", *samples, "--out", stats[-1])
        spent.append(took[0])
        walls.append(took[1])
    merged = run(
        synap, "quantize", "--meta", meta, "--graph", graph, *[argument for file in stats for argument in ("--stats", file)],
        "--out", folder / "model.qsir", "--info", folder / "info.yaml"
    )
    total = sum(spent) + merged[0]
    return "%6d %8d %12.1f %12.2f %14.1f %12.1f %10.1f" % (
        shards, len(stats) + 1, total, merged[0], sum(file.stat().st_size for file in stats) / 1e6,
        max(walls) + merged[1], 100 * (max(spent) + merged[0]) / total
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("synap", type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("--pictures", type=int, default=1000)
    parser.add_argument("--shards", type=int, nargs="+", default=[1, 2, 4, 8, 16, 32, 64])
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        pictures = []
        for number in range(options.pictures):
            pictures.append(folder / ("picture_%07d.png" % number))
            pictures[-1].write_bytes(draw_pictures.png(draw_pictures.draw(number)))
        graph = folder / "model.sir"
        run(options.synap, "import", "--meta", MODEL / "model.yaml", "--model", MODEL / "model.onnx", "--out", graph)
        size = sum(picture.stat().st_size for picture in pictures) / 1e6
        print("%d pictures of %.1f MB together, graph of %.1f MB" % (len(pictures), size, graph.stat().st_size / 1e6))
        print("shards  actions  processor s  SynapQuantize  statistics MB  critical s  one more %")
        for shards in options.shards:
            print(measure(options.synap, folder, graph, pictures, shards), flush=True)


if __name__ == "__main__":
    main()
