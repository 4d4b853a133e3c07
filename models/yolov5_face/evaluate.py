"""Measures the exported network with onnxruntime.

On the evaluation set: average precision at IoU 0.5, recall and precision at
the working threshold, and the landmarks' error as a part of the face's size.  On photographs, given by argument: what it finds beside the
boxes that another YOLOv5-face network (`--reference`) finds.  Usage:

  evaluate.py model.onnx
  evaluate.py model.onnx --photographs a.jpg b.jpg --reference other.onnx
"""

import argparse
import json
import os

import cv2
import numpy as np
import onnxruntime

from model import ANCHORS, STRIDES

SCORE, OVERLAP = 0.4, 0.45  # the working threshold and that of suppression


class Detector:
    """An ONNX file with the three outputs, and the decoder."""

    def __init__(self, path):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        self.input = self.session.get_inputs()[0]

    def raw(self, image):
        """The outputs for an RGB picture, and its scale in the input."""
        height, width = self.input.shape[2:]
        scale = min(width / image.shape[1], height / image.shape[0])
        size = (round(image.shape[1] * scale), round(image.shape[0] * scale))
        padded = np.full((height, width, 3), 114, np.uint8)
        method = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
        padded[: size[1], : size[0]] = cv2.resize(image, size, interpolation=method) if scale != 1 else image
        x = np.ascontiguousarray(padded.transpose(2, 0, 1)[None], np.float32) / 255
        return self.session.run([f"stride_{s}" for s in STRIDES], {self.input.name: x}), scale

    def __call__(self, image, score=SCORE):
        """Rows of score, box centre and size, ten landmark values."""
        outputs, scale = self.raw(image)
        found = np.concatenate([decode(out, level, score) for level, out in enumerate(outputs)])
        found = suppress(found)
        found[:, 1:] /= scale
        return found


def sigmoid(x):
    return 1 / (1 + np.exp(-np.clip(x, -60, 60)))


def decode(out, level, score):
    """The detections of one stride's output that reach `score`."""
    stride, anchors = STRIDES[level], np.array(ANCHORS[level], np.float32)
    total = sigmoid(out[0, ..., 4]) * sigmoid(out[0, ..., 15])
    anchor, row, column = np.nonzero(total >= score)
    raw = out[0, anchor, row, column]
    cell, size = np.stack([column, row], 1), anchors[anchor]
    centre = (sigmoid(raw[:, :2]) * 2 - 0.5 + cell) * stride
    extent = (sigmoid(raw[:, 2:4]) * 2) ** 2 * size
    points = raw[:, 5:15] * np.tile(size, 5) + np.tile(cell * stride, 5)
    return np.concatenate([total[anchor, row, column][:, None], centre, extent, points], 1)


def overlaps(box, boxes):
    """IoU of one box with several, centre and size."""
    low = np.maximum(box[:2] - box[2:] / 2, boxes[:, :2] - boxes[:, 2:] / 2)
    high = np.minimum(box[:2] + box[2:] / 2, boxes[:, :2] + boxes[:, 2:] / 2)
    inter = np.clip(high - low, 0, None).prod(1)
    return inter / (box[2:].prod() + boxes[:, 2:].prod(1) - inter + 1e-9)


def suppress(found):
    """Keeps the best of overlapping detections."""
    found, kept = found[np.argsort(-found[:, 0], kind="stable")], []
    while len(found):
        kept.append(found[0])
        found = found[1:][overlaps(found[0, 1:5], found[1:, 1:5]) < OVERLAP]
    return np.array(kept).reshape(-1, 15)


def match(found, boxes):
    """For each detection, best first, the index of its box, or -1."""
    free, owner = np.ones(len(boxes), bool), []
    for row in found:
        iou = overlaps(row[1:5], boxes) * free if len(boxes) else np.zeros(1)
        best = int(iou.argmax())
        owner.append(best if iou[best] >= 0.5 else -1)
        if owner[-1] >= 0:
            free[best] = False
    return np.array(owner, int)


def average_precision(scores, right, total):
    """The area below the interpolated precision-recall curve."""
    order = np.argsort(-scores, kind="stable")
    hits = np.cumsum(right[order])
    recall, precision = hits / total, hits / np.arange(1, len(hits) + 1)
    precision = np.maximum.accumulate(precision[::-1])[::-1]
    return float(np.sum(np.diff(np.concatenate([[0], recall])) * precision))


def labels_of(faces):
    """Rows of box centre and size and ten landmark values, from truth.json."""
    rows = np.array([face["box"] + sum(face["landmarks"], []) for face in faces]).reshape(-1, 14)
    rows[:, :2] += rows[:, 2:4] / 2
    return rows


def on_evaluation_set(detector, folder):
    """The figures on the drawn pictures of a folder with a truth.json."""
    scores, right, errors, sizes, total = [], [], [], [], []
    with open(os.path.join(folder, "truth.json"), encoding="utf-8") as file:
        truth = json.load(file)["pictures"]
    for name, faces in truth.items():
        image, labels = cv2.imread(os.path.join(folder, name))[..., ::-1], labels_of(faces)
        found = detector(image, 0.02)
        owner = match(found, labels[:, :4])
        scores.append(found[:, 0])
        right.append(owner >= 0)
        for row, at in zip(found, owner):
            if at >= 0:
                face = labels[at]
                apart = (row[5:] - face[4:]).reshape(5, 2)
                sizes.append((face[2], row[0]))
                errors.append(np.hypot(*apart.T).mean() / np.sqrt(face[2] * face[3]))
        total.extend(labels[:, 2])
    scores, right, total = np.concatenate(scores), np.concatenate(right), np.array(total)
    sizes, errors = np.array(sizes).reshape(-1, 2), np.array(errors)
    print(f"pictures: {len(truth)}, faces: {len(total)}")
    print(f"  AP@0.5 {average_precision(scores, right, len(total)):.3f}")
    sure = scores >= SCORE
    print(f"  at score {SCORE}: recall {right[sure].sum() / len(total):.3f}, precision {right[sure].mean():.3f}")
    for low, high in ((0, 20), (20, 40), (40, 100), (100, 1000)):
        there = np.count_nonzero((total >= low) & (total < high))
        hits = (sizes[:, 0] >= low) & (sizes[:, 0] < high) & (sizes[:, 1] >= SCORE)
        error = f", landmark error {errors[hits].mean():.4f}" if hits.any() else ""
        print(f"  {low:4d} <= width < {high:4d}: {np.count_nonzero(hits)} of {there}{error}")
    found = errors[sizes[:, 1] >= SCORE]
    print(f"  landmark error, part of the face's size: mean {found.mean():.4f}, median {np.median(found):.4f}")


def on_photographs(detector, paths, reference, score):
    """What is found in each photograph, beside the reference's boxes."""
    sums = np.zeros(3, int)
    for path in paths:
        image = cv2.imread(path)[..., ::-1]
        found = detector(image, score)
        line = f"{path.split('/')[-1]}: found {len(found)}"
        if reference:
            truth = reference(image)
            hits = np.count_nonzero(match(found, truth[:, 1:5]) >= 0)
            line += f", reference {len(truth)}, agreed {hits}"
            sums += [len(found), len(truth), hits]
        print(line)
    if reference and sums[:2].all():
        print(f"photographs at score {score}: recall {sums[2] / sums[1]:.3f}, precision {sums[2] / sums[0]:.3f}")


def draw(detector, path, out):
    """Prints the detections of one picture, and draws them if asked to."""
    image = cv2.imread(path)
    for row in detector(image[..., ::-1]):
        x0, y0, w, h = row[1] - row[3] / 2, row[2] - row[4] / 2, row[3], row[4]
        points = " ".join(f"({a:.0f},{b:.0f})" for a, b in row[5:].reshape(5, 2))
        print(f"score {row[0]:.3f} x {x0:.1f} y {y0:.1f} w {w:.1f} h {h:.1f} landmarks {points}")
        cv2.rectangle(image, (int(x0), int(y0)), (int(x0 + w), int(y0 + h)), (0, 255, 0), 1)
        for a, b in row[5:].reshape(5, 2):
            cv2.circle(image, (int(a), int(b)), 2, (0, 0, 255), -1)
    if out:
        cv2.imwrite(out, image)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model")
    parser.add_argument("--evaluation", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), "evaluation"))
    parser.add_argument("--photographs", nargs="*", default=[])
    parser.add_argument("--reference", help="another YOLOv5-face ONNX file")
    parser.add_argument("--score", type=float, default=SCORE, help="threshold for photographs")
    parser.add_argument("--picture", help="prints the detections of one picture")
    parser.add_argument("--draw", help="where to draw them")
    args = parser.parse_args()
    cv2.setNumThreads(1)
    detector = Detector(args.model)
    if args.picture:
        return draw(detector, args.picture, args.draw)
    if args.evaluation:
        on_evaluation_set(detector, args.evaluation)
    if args.photographs:
        reference = Detector(args.reference) if args.reference else None
        on_photographs(detector, args.photographs, reference, args.score)


if __name__ == "__main__":
    main()
