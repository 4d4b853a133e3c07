#!/usr/bin/env python3
"""Times how pictures become a network's input against Pillow, in turns: JPEG bytes in memory to 640x640 with bands.

    sudo apt install python3-pil
    ./bazelw build //benchmarks:preprocessing_benchmark
    /usr/bin/python3 benchmarks/peers/compare_pictures.py --bin bazel-bin photo.jpg ...

We do all of it: decode, convert colours, resize (Mitchell, of radius 2), add bands, reorder, quantize or normalize, and write the
tensor: uint8 [H, W, C], or float32 [C, H, W]. Pillow decodes and resizes only: to the same size without bands, with its BILINEAR filter
(radius 1: half of the products) and its BICUBIC (radius 2, as ours). Both use one thread, and its processor time is measured, which
other programs stretch least. In each round all run one after the other, so that a machine whose speed drifts is unfair to none; a figure
is the mean of a round's runs, and a table has the least, the median and the largest of the rounds. --size makes copies of the pictures in
that size first (Pillow, quality 90).
"""

import argparse
import io
import json
import os
import platform
import statistics
import subprocess
import tempfile
import time

import PIL
from PIL import Image, features

SIDE = 640


def machine():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        names = [line.split(":", 1)[1].strip() for line in file if line.startswith("model name")]
    return f"{names[0] if names else platform.processor()}, {os.cpu_count()} processors"


def ours(binary, path, kind, seconds):
    """Milliseconds of one run."""
    command = [binary, path, f"--benchmark_filter=BM_File/.*/{kind}$", f"--benchmark_min_time={seconds}",
               "--benchmark_format=json"]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return json.loads(output)["benchmarks"][0]["cpu_time"]


def pillow(content, resampling, seconds):
    """Milliseconds of one run."""
    runs = 0
    start = time.process_time()
    while (taken := time.process_time() - start) < seconds or runs < 3:
        picture = Image.open(io.BytesIO(content))
        picture.load()
        scale = SIDE / max(picture.size)
        picture.resize([max(1, round(side * scale)) for side in picture.size], resampling)
        runs += 1
    return 1000 * taken / runs


def resized_copy(path, size, folder):
    width, height = map(int, size.split("x"))
    copy = f"{folder}/{size}_{os.path.basename(path)}"
    Image.open(path).convert("RGB").resize((width, height), Image.BICUBIC).save(copy, quality=90)
    return copy


def measure(options, path):
    with open(path, "rb") as file:
        content = file.read()
    size = "{}x{}".format(*Image.open(path).size)
    runners = {
        "Pillow BILINEAR": lambda: pillow(content, Image.BILINEAR, options.seconds),
        "Pillow BICUBIC": lambda: pillow(content, Image.BICUBIC, options.seconds),
        "ours uint8": lambda: ours(options.binary, path, "uint8", options.seconds),
        "ours float32": lambda: ours(options.binary, path, "float32", options.seconds),
    }
    times = {name: [] for name in runners}
    for _ in range(options.rounds):
        for name, run in runners.items():
            times[name].append(run())
    cells = [f"{min(t):.2f} / {statistics.median(t):.2f} / {max(t):.2f}" for t in times.values()]
    least = {name: min(values) for name, values in times.items()}
    ratios = [f"{least['ours uint8'] / least[peer]:.2f}" for peer in ("Pillow BILINEAR", "Pillow BICUBIC")]
    print(f"| {os.path.basename(path)}, {size}, {len(content) // 1000} kB | {' | '.join(cells + ratios)} |", flush=True)
    return least


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pictures", nargs="+", help="JPEG files")
    parser.add_argument("--bin", default="bazel-bin", help="folder of the built programs")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--seconds", type=float, default=0.2, help="least time of each measurement of a round")
    parser.add_argument("--size", action="append", default=[], help="WIDTHxHEIGHT of copies to measure, too")
    options = parser.parse_args()
    options.binary = f"{options.bin}/benchmarks/preprocessing_benchmark"
    print(f"{machine()}; Pillow {PIL.__version__}, libjpeg-turbo {features.version('libjpeg_turbo')}; "
          f"ms of processor time, least / median / largest of {options.rounds} rounds\n")
    print("| picture | Pillow BILINEAR | Pillow BICUBIC | ours uint8 | ours float32 | ours uint8 / BILINEAR | / BICUBIC |")
    print("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.abspath(path) for path in options.pictures]
        for size in options.size:
            paths += [resized_copy(path, size, folder) for path in paths[:len(options.pictures)]]
        least = [measure(options, path) for path in paths]
    for peer in ("Pillow BILINEAR", "Pillow BICUBIC"):
        ratios = [times["ours uint8"] / times[peer] for times in least]
        print(f"\nours uint8 / {peer}: geometric mean {statistics.geometric_mean(ratios):.2f}, "
              f"{min(ratios):.2f} to {max(ratios):.2f}, of {len(ratios)} pictures")


if __name__ == "__main__":
    main()
