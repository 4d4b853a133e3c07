#!/usr/bin/env python3
"""Compares what a quantized model detects on pictures with what its float32 form detects.

    synap convert --model m.onnx --meta float.yaml --target VS680 --out-dir float
    synap convert --model m.onnx --meta uint8.yaml --target VS680 --out-dir uint8
    benchmarks/peers/compare_detections.py --od bazel-bin/runtime/cli/synap_cli_od float/model.synap uint8/model.synap *.jpg

Prints, over all pictures: detections of the float32 model, those found by the quantized one (intersection over union at
least 0.5), the share of pairs at 0.8, and of these pairs' landmarks how many lie within 5 % of the box's longer side.
"""

import argparse
import json
import math
import subprocess


def detect(od, model, picture):
    output = subprocess.run([od, "-m", model, picture], check=True, capture_output=True, text=True).stdout
    return json.loads(output)["items"]


def overlap(a, b):
    """Intersection over union of two items' boxes."""
    def corners(item):
        origin, size = item["bounding_box"]["origin"], item["bounding_box"]["size"]
        return origin["x"], origin["y"], origin["x"] + size["x"], origin["y"] + size["y"]
    ax1, ay1, ax2, ay2 = corners(a)
    bx1, by1, bx2, by2 = corners(b)
    both = max(0, min(ax2, bx2) - max(ax1, bx1)) * max(0, min(ay2, by2) - max(ay1, by1))
    return both / max((ax2 - ax1) * (ay2 - ay1) + (bx2 - bx1) * (by2 - by1) - both, 1e-9)


def close_landmarks(a, b):
    size = a["bounding_box"]["size"]
    allowed = 0.05 * max(size["x"], size["y"])
    pairs = zip(a["landmarks"]["points"], b["landmarks"]["points"])
    return [math.hypot(p["x"] - q["x"], p["y"] - q["y"]) <= allowed for p, q in pairs]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--od", default="bazel-bin/runtime/cli/synap_cli_od")
    parser.add_argument("reference")
    parser.add_argument("quantized")
    parser.add_argument("pictures", nargs="+")
    options = parser.parse_args()
    total = extra = 0
    overlaps, landmarks = [], []
    for picture in options.pictures:
        expected = detect(options.od, options.reference, picture)
        found = detect(options.od, options.quantized, picture)
        total += len(expected)
        matched = 0
        for item in expected:
            best = max(found, key=lambda other: overlap(item, other), default=None)
            if best is None or overlap(item, best) < 0.5:
                continue
            matched += 1
            overlaps.append(overlap(item, best))
            landmarks += close_landmarks(item, best)
        extra += len(found) - matched
    print(f"float32 detections {total}, found again {len(overlaps)}, only quantized {extra}")
    if overlaps:
        print(f"mean overlap {sum(overlaps) / len(overlaps):.3f}, at least 0.8: {sum(o >= 0.8 for o in overlaps)}")
    if landmarks:
        print(f"landmarks within 5 % of the box: {sum(landmarks)} of {len(landmarks)}")


if __name__ == "__main__":
    main()
