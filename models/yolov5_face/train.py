"""Trains the face network on drawn pictures and exports ONNX.

The pool may still grow while this runs: new chunks are picked up between
steps.  The schedule follows the clock (`--minutes`), because the network is
meant to be trainable on one CPU core.  Usage:

  generate.py pool --out pool --seed 1 --size 640x480 --chunks 60 --per-chunk 30 &
  train.py --pool pool --view 256x192 --minutes 75 --out face.pt
  train.py --export face.pt --onnx model.onnx
"""

import argparse
import copy
import glob
import math
import os
import time

import cv2
import numpy as np
import torch
from torch.nn import functional as F

from model import ANCHORS, STRIDES, FaceNet

RATIO_LIMIT = 4.0  # a box may be this many times larger or smaller than its anchor
BALANCE = (4.0, 1.0, 0.4)  # confidence loss per stride
WEIGHTS = {"box": 0.1, "confidence": 2.0, "class": 0.1, "landmark": 0.25}
SHARPNESS, LEAST_SHARE = 20.0, 0.05  # of what the landmarks' positions count for


class Pool:
    """Pictures from the chunks of some folders, read as they appear."""

    def __init__(self, folders, view, limit=40000):
        self.folders, self.view, self.limit = folders, view, limit
        self.seen, self.images, self.labels = set(), [], []

    def refresh(self):
        paths = [glob.glob(os.path.join(folder, "chunk_*.npz")) for folder in self.folders]
        for path in sorted(sum(paths, [])):
            if path in self.seen:
                continue
            self.seen.add(path)
            data = np.load(path)
            owners, labels = data["owners"], data["labels"]
            for i, image in enumerate(data["images"]):
                self.images.append(image)
                self.labels.append(labels[owners == i])
        self.images = self.images[-self.limit :]
        self.labels = self.labels[-self.limit :]

    def batch(self, rng, count):
        """A random batch, half of it mirrored, with light and contrast jitter."""
        images, labels = [], []
        for i, at in enumerate(rng.integers(0, len(self.images), count)):
            image, rows = self.images[at], self.labels[at].copy()
            if self.view:
                image, rows = random_view(rng, image, rows, *self.view)
            if rng.random() < 0.5:
                image, rows = mirror(image, rows)
            images.append(image)
            labels.append(np.concatenate([np.full((len(rows), 1), i, np.float32), rows], 1))
        x = torch.from_numpy(np.stack(images)).permute(0, 3, 1, 2).float() / 255
        gain = torch.from_numpy(np.exp(rng.normal(0, 0.12, (count, 3, 1, 1)) * 0.4 + rng.normal(0, 0.15, (count, 1, 1, 1)))).float()
        x = (x * gain).clamp(0, 1).contiguous(memory_format=torch.channels_last)
        return x, torch.from_numpy(np.concatenate(labels)).float()


def random_view(rng, image, rows, width, height):
    """A part of the picture, mostly with a face in it and mostly at another scale."""
    low, scale = max(width / image.shape[1], height / image.shape[0], 0.6), 1.0
    if rng.random() < 0.6:
        scale = math.exp(rng.uniform(math.log(low), math.log(max(1.5, low))))
    span = np.array([width, height]) / scale
    middle = rng.uniform(0, 1, 2) * image.shape[1::-1]
    if len(rows) and rng.random() < 0.8:
        middle = rows[rng.integers(len(rows)), :2] + rng.uniform(-0.3, 0.3, 2) * span
    corner = np.clip(middle - span / 2, 0, np.array(image.shape[1::-1]) - span)
    if scale == 1:
        corner = np.round(corner)  # as sharp as it was drawn
    shift = -corner * scale + 0.5 * (scale - 1)  # pixel centres
    matrix = np.array([[scale, 0, shift[0]], [0, scale, shift[1]]])
    image = cv2.warpAffine(image, matrix, (width, height), borderMode=cv2.BORDER_REPLICATE)
    rows[:, 0::2] -= corner[0]
    rows[:, 1::2] -= corner[1]
    rows[:, 2:4] += corner
    rows *= scale
    low = np.maximum(rows[:, :2] - rows[:, 2:4] / 2, 0)
    high = np.minimum(rows[:, :2] + rows[:, 2:4] / 2, [width, height])
    shown = np.clip(high - low, 0, None).prod(1) / rows[:, 2:4].prod(1)
    return image, rows[(shown > 0.45) & (rows[:, 2] > 6)].astype(np.float32)


def mirror(image, rows):
    """Left to right, the paired landmarks exchanged."""
    width = image.shape[1]
    rows[:, 0] = width - rows[:, 0]
    rows[:, 4::2] = width - rows[:, 4::2]
    order = [0, 1, 2, 3, 6, 7, 4, 5, 8, 9, 12, 13, 10, 11]
    return image[:, ::-1], rows[:, order]


def assign(labels, level, height, width):
    """Which cells and anchors of a level answer for which faces.

    An anchor answers if the ratios of the sides stay below RATIO_LIMIT, in
    the face's cell and in its two nearest neighbours.
    Returns picture, anchor, row, column and label indices.
    """
    stride = STRIDES[level]
    anchors = torch.tensor(ANCHORS[level], dtype=torch.float32)
    ratio = labels[:, None, 3:5] / anchors[None]
    fits = torch.maximum(ratio, 1 / ratio).amax(2) < RATIO_LIMIT
    which, anchor = fits.nonzero(as_tuple=True)
    at = labels[which, 1:3] / stride
    cell = at.floor()
    part = at - cell
    steps = torch.where(part < 0.5, -1.0, 1.0)
    zero = torch.zeros_like(steps[:, 0])
    cells = torch.cat([cell, cell + torch.stack([steps[:, 0], zero], 1), cell + torch.stack([zero, steps[:, 1]], 1)])
    which, anchor = which.repeat(3), anchor.repeat(3)
    column, row = cells[:, 0].long(), cells[:, 1].long()
    kept = (column >= 0) & (column < width) & (row >= 0) & (row < height)
    return labels[which, 0].long()[kept], anchor[kept], row[kept], column[kept], which[kept]


def complete_iou(a, b):
    """CIoU of boxes given as centre and size."""
    a0, a1 = a[:, :2] - a[:, 2:] / 2, a[:, :2] + a[:, 2:] / 2
    b0, b1 = b[:, :2] - b[:, 2:] / 2, b[:, :2] + b[:, 2:] / 2
    inter = (torch.minimum(a1, b1) - torch.maximum(a0, b0)).clamp(min=0).prod(1)
    iou = inter / (a[:, 2:].prod(1) + b[:, 2:].prod(1) - inter + 1e-7)
    hull = (torch.maximum(a1, b1) - torch.minimum(a0, b0)).pow(2).sum(1) + 1e-7
    apart = (a[:, :2] - b[:, :2]).pow(2).sum(1) / hull
    angle = torch.atan(b[:, 2] / b[:, 3]) - torch.atan(a[:, 2] / (a[:, 3] + 1e-7))
    aspect = 4 / math.pi**2 * angle.pow(2)
    with torch.no_grad():
        weight = aspect / (1 - iou + aspect + 1e-7)
    return iou - apart - weight * aspect


class Matches:
    """The positions of one stride's output that answer for faces, and what they say there."""

    def __init__(self, out, labels, level):
        stride = STRIDES[level]
        *self.position, self.which = assign(labels, level, out.shape[2], out.shape[3])
        _, anchor, row, column = self.position
        raw = out[tuple(self.position)]
        size = torch.tensor(ANCHORS[level], dtype=torch.float32)[anchor]
        cell = torch.stack([column, row], 1).float()
        centre = (raw[:, :2].sigmoid() * 2 - 0.5 + cell) * stride
        extent = (raw[:, 2:4].sigmoid() * 2) ** 2 * size
        self.boxes = torch.cat([centre, extent], 1)
        self.points = raw[:, 5:15].reshape(-1, 5, 2) * size[:, None] + cell[:, None] * stride
        self.confidence, self.kind = raw[:, 4], raw[:, 15]


def landmark_loss(matches, labels):
    """The landmarks' distances, summed over the five, as a part of the face's size; the mean of all faces.

    Of the positions that answer for a face suppression keeps the surest, so a position
    counts by how near its score is to the surest one's.
    """
    which = torch.cat([match.which for match in matches])
    if not len(which):
        return labels.new_zeros(())
    score = torch.cat([match.confidence.sigmoid() * match.kind.sigmoid() for match in matches]).detach()
    surest = score.new_zeros(len(labels)).scatter_reduce(0, which, score, "amax")
    share = torch.exp(SHARPNESS * (score - surest[which])) + LEAST_SHARE
    share = share / score.new_zeros(len(labels)).scatter_add(0, which, share)[which]
    face = labels[which]
    apart = torch.cat([match.points for match in matches]) - face[:, 5:15].reshape(-1, 5, 2)
    scale = face[:, 3:5].prod(1).sqrt()
    distance = apart.pow(2).sum(2).add(0.01).sqrt().sum(1) / scale  # smooth below 0.1 pixels
    return (share * distance).sum() / share.sum()


def losses(outputs, labels, weights=WEIGHTS):
    """The summed loss, and its parts for the log."""
    parts = {name: outputs[0].new_zeros(()) for name in weights}
    matches = [Matches(out, labels, level) for level, out in enumerate(outputs)]
    for level, (out, match) in enumerate(zip(outputs, matches)):
        goal = torch.zeros(out.shape[:4])
        if len(match.which):
            iou = complete_iou(match.boxes, labels[match.which, 1:5])
            parts["box"] = parts["box"] + (1 - iou).mean()
            goal[tuple(match.position)] = iou.detach().clamp(0).mul(0.5).add(0.5)
            parts["class"] = parts["class"] + F.softplus(-match.kind).mean()
        confidence = F.binary_cross_entropy_with_logits(out[..., 4], goal)
        parts["confidence"] = parts["confidence"] + BALANCE[level] * confidence
    parts["landmark"] = landmark_loss(matches, labels)
    total = sum(weights[name] * value for name, value in parts.items())
    return total, {name: value.item() for name, value in parts.items()}


class Average:
    """A running average of the weights, which is what is exported."""

    def __init__(self, net):
        self.net, self.steps = copy.deepcopy(net).eval(), 0

    @torch.no_grad()
    def update(self, net):
        self.steps += 1
        keep = 0.998 * (1 - math.exp(-self.steps / 300))
        for mine, theirs in zip(self.net.state_dict().values(), net.state_dict().values()):
            if mine.dtype.is_floating_point:
                mine.mul_(keep).add_(theirs, alpha=1 - keep)
            else:
                mine.copy_(theirs)


def optimizer_for(net, rate):
    """AdamW; no decay on biases and norms."""
    decayed = [p for p in net.parameters() if p.ndim > 1]
    plain = [p for p in net.parameters() if p.ndim <= 1]
    groups = [{"params": decayed, "weight_decay": 0.01}, {"params": plain, "weight_decay": 0.0}]
    return torch.optim.AdamW(groups, lr=rate, betas=(0.9, 0.99))


def train(args):
    """Trains for the given time with a warm-up and a cosine decay."""
    torch.manual_seed(args.seed)
    torch.set_num_threads(args.threads)
    cv2.setNumThreads(1)
    rng = np.random.default_rng(args.seed)
    net = network(args.resume, args.fold).requires_grad_(True).to(memory_format=torch.channels_last)
    view = [int(v) for v in args.view.split("x")] if args.view else None
    pool, average = Pool(args.pool, view), Average(net)
    optimizer = optimizer_for(net, args.rate)
    weights = dict(WEIGHTS, landmark=args.landmark_weight)
    pool.refresh()
    began, step, sums = time.time(), 0, {}
    while (done := (time.time() - began) / (60 * args.minutes)) < 1:
        rate = args.rate * min(1, (step + 1) / args.warmup) * (0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * done)))
        for group in optimizer.param_groups:
            group["lr"] = rate
        images, labels = pool.batch(rng, args.batch)
        loss, parts = losses(net(images), labels, weights)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        optimizer.step()
        average.update(net)
        step += 1
        for name, value in parts.items():
            sums[name] = sums.get(name, 0) + value / 50
        if step % 50 == 0:
            text = " ".join(f"{name} {value:.4f}" for name, value in sums.items())
            print(f"{step} {done:.0%} pool {len(pool.images)} {text}", flush=True)
            sums = {}
            pool.refresh()
            torch.save(average.net.state_dict(), args.out + ".part")
            os.replace(args.out + ".part", args.out)
    torch.save(average.net.state_dict(), args.out)
    print(f"{step} steps, {step * args.batch} pictures, {(time.time() - began) / 60:.1f} minutes")


def fold_norms(net):
    """Puts every batch normalization into its convolution."""
    for unit in net.modules():
        if hasattr(unit, "norm"):
            unit.conv = torch.nn.utils.fusion.fuse_conv_bn_eval(unit.conv, unit.norm)
            unit.norm = torch.nn.Identity()
    return net


def network(path, folded):
    """A new network, or that of a file: what `train` wrote, or, with the norms folded, ONNX."""
    net = fold_norms(FaceNet().eval()) if folded else FaceNet()
    if path and path.endswith(".onnx"):
        import onnx

        initializers = onnx.load(path).graph.initializer
        net.load_state_dict({tensor.name: torch.tensor(onnx.numpy_helper.to_array(tensor)) for tensor in initializers})
    elif path:
        net.load_state_dict(torch.load(path))
    return net


def export(args):
    """Writes the ONNX file with readable names."""
    import onnx

    net = network(args.export, args.fold).eval()
    names = [f"stride_{stride}" for stride in STRIDES]
    picture = torch.zeros(1, 3, 480, 640)
    torch.onnx.export(
        net if args.fold else fold_norms(net), picture, args.onnx, opset_version=12, input_names=["input"], output_names=names
    )
    graph = onnx.shape_inference.infer_shapes(onnx.load(args.onnx))
    onnx.checker.check_model(graph)
    onnx.save(graph, args.onnx)
    print(sum(p.numel() for p in net.parameters()), "parameters,", os.path.getsize(args.onnx), "bytes")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pool", nargs="+", help="folders of the chunks")
    parser.add_argument("--view", help="WIDTHxHEIGHT of random parts; whole pictures without")
    parser.add_argument("--minutes", type=float, default=25)
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--landmark-weight", type=float, default=WEIGHTS["landmark"])
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument("--warmup", type=int, default=60, help="steps")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--resume", help="weights to start from, or an exported ONNX file with --fold")
    parser.add_argument("--fold", action="store_true", help="the norms are folded into the convolutions: faster steps")
    parser.add_argument("--out", default="face.pt")
    parser.add_argument("--export", help="weights to export instead of training")
    parser.add_argument("--onnx", default="model.onnx")
    args = parser.parse_args()
    export(args) if args.export else train(args)


if __name__ == "__main__":
    main()
