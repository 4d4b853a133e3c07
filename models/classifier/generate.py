"""Procedural pictures of ten shapes for the classifier.

Each picture shows one shape, turned, sheared and coloured at random, over
clutter; then a camera's blur, noise and JPEG.  The same seed always gives the
same picture.  Usage:

  generate.py --out samples --count 20 --seed 5     one JPEG each, truth.json
"""

import argparse
import json
import os

import cv2
import numpy as np

CLASSES = (
    "disc", "ring", "triangle", "square", "star", "cross", "heart", "crescent", "arrow", "spiral",
)
SIZE = 96  # pixels, both sides
_SAMPLES = 4  # per pixel and axis, when a mask is drawn


def regular(corners, inner=1.0):
    """A regular polygon of radius 1; with `inner` below 1, a star."""
    count = corners * (1 if inner == 1 else 2)
    angles = np.arange(count) * 2 * np.pi / count - np.pi / 2
    radii = np.where(np.arange(count) % 2, inner, 1.0)
    return np.stack([radii * np.cos(angles), radii * np.sin(angles)], 1)


def outline(name, rng):
    """The parts of a shape: filled polygons, each with +1 (drawn) or -1 (cut out)."""
    if name == "disc":
        return [(regular(64), 1)]
    if name == "ring":
        return [(regular(64), 1), (regular(64) * rng.uniform(0.45, 0.72), -1)]
    if name == "triangle":
        return [(regular(3), 1)]
    if name == "square":
        return [(regular(4), 1)]
    if name == "star":
        return [(regular(5, rng.uniform(0.36, 0.48)), 1)]
    if name == "cross":
        w = rng.uniform(0.2, 0.34)
        bar = np.array([[-1, -w], [1, -w], [1, w], [-1, w]])
        return [(bar, 1), (bar[:, ::-1], 1)]
    if name == "heart":
        t = np.linspace(0, 2 * np.pi, 80, endpoint=False)
        x = 16 * np.sin(t) ** 3
        y = -(13 * np.cos(t) - 5 * np.cos(2 * t) - 2 * np.cos(3 * t) - np.cos(4 * t))
        return [(np.stack([x, y], 1) / 17, 1)]
    if name == "crescent":
        shift = rng.uniform(0.35, 0.6)
        return [(regular(64), 1), (regular(64) * rng.uniform(0.78, 0.92) + [shift, 0], -1)]
    if name == "arrow":
        w, neck = rng.uniform(0.14, 0.26), rng.uniform(-0.1, 0.2)
        return [(np.array([[-1, -w], [neck, -w], [neck, -0.62], [1, 0], [neck, 0.62], [neck, w], [-1, w]]), 1)]
    t = np.linspace(0.8, rng.uniform(2.2, 2.8) * 2 * np.pi, 120)
    line = np.stack([t * np.cos(t), t * np.sin(t)], 1) / t[-1]
    normal = np.gradient(line, axis=0)[:, ::-1] * [1, -1]
    normal *= rng.uniform(0.07, 0.1) / np.linalg.norm(normal, axis=1, keepdims=True)
    return [(np.concatenate([line + normal, (line - normal)[::-1]]), 1)]


def mask_of(name, rng, radius, centre):
    """The shape as a mask of SIZE x SIZE, 0 to 1."""
    turn, shear = rng.uniform(0, 2 * np.pi), rng.normal(0, 0.12)
    stretch = np.exp(rng.normal(0, 0.1))
    c, s = np.cos(turn), np.sin(turn)
    matrix = np.array([[c, -s], [s, c]]) @ np.array([[stretch, shear], [0, 1 / stretch]])
    mask = np.zeros((SIZE * _SAMPLES, SIZE * _SAMPLES), np.uint8)
    for polygon, sign in outline(name, rng):
        points = (polygon @ matrix.T * radius + centre) * _SAMPLES
        cv2.fillPoly(mask, [np.rint(points).astype(np.int32)], 255 if sign > 0 else 0)
    return cv2.resize(mask, (SIZE, SIZE), interpolation=cv2.INTER_AREA).astype(np.float32) / 255


def noise(rng, cells):
    """Smooth noise of SIZE x SIZE in about -1..1."""
    return cv2.resize(rng.uniform(-1, 1, (cells, cells)).astype(np.float32), (SIZE, SIZE), interpolation=cv2.INTER_CUBIC)


def background(rng):
    """Two colours mixed by noise, and strokes over them."""
    low, high = rng.uniform(10, 245, (2, 3)).astype(np.float32)
    image = low + (high - low) * np.clip(0.5 + noise(rng, int(rng.integers(2, 12))), 0, 1)[..., None] * rng.uniform(0.2, 1)
    for _ in range(int(rng.integers(0, 8))):
        ends = rng.uniform(0, SIZE, (2, 2)).astype(int)
        colour = rng.uniform(10, 245, 3).tolist()
        cv2.line(image, ends[0].tolist(), ends[1].tolist(), colour, int(rng.integers(1, 4)), cv2.LINE_AA)
    return image


def picture(seed, label):
    """RGB uint8 [SIZE, SIZE, 3] of class `label`."""
    rng = np.random.default_rng(seed)
    image = background(rng)
    radius = rng.uniform(0.2, 0.46) * SIZE
    room = SIZE / 2 - 0.8 * radius
    centre = SIZE / 2 + rng.uniform(-1, 1, 2) * room
    mask = mask_of(CLASSES[label], rng, radius, centre)
    under = (image * mask[..., None]).sum((0, 1)) / max(mask.sum(), 1e-3)
    colour = rng.uniform(5, 250, 3)
    while np.abs(colour - under).mean() < 45:  # it has to be seen
        colour = rng.uniform(5, 250, 3)
    tone = colour + 25 * (noise(rng, 3) * rng.uniform(0, 1))[..., None]
    image += (tone - image) * mask[..., None]
    if rng.random() < 0.3:
        image = cv2.GaussianBlur(image, (0, 0), rng.uniform(0.4, 1.2))
    image = image * rng.uniform(0.7, 1.15) + rng.normal(0, 10)
    image += rng.normal(0, rng.uniform(0.5, 9), image.shape)
    return np.clip(image, 0, 255).astype(np.uint8)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", required=True)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=5)
    args = parser.parse_args()
    cv2.setNumThreads(1)
    os.makedirs(args.out, exist_ok=True)
    truth = {}
    for i in range(args.count):
        name = f"shape_{i:03d}.jpg"
        image = picture([args.seed, i], i % len(CLASSES))
        cv2.imwrite(os.path.join(args.out, name), image[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, 85])
        truth[name] = i % len(CLASSES)
    with open(os.path.join(args.out, "truth.json"), "w", encoding="utf-8") as file:
        json.dump({"pictures": truth}, file, indent=1)
        file.write("\n")


if __name__ == "__main__":
    main()
