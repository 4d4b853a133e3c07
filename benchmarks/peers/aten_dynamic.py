"""Cases of modules that are exported with sizes that stay open; traced modules have those of their example."""

import math

import torch
from torch import nn
from torch.nn import functional

GENERATOR = torch.Generator().manual_seed(13)
SOME = torch.export.Dim("some", min=4, max=60)
AUTO = torch.export.Dim.AUTO


def real(*shape):
    return torch.randn(*shape, generator=GENERATOR)


class Open(nn.Module):
    """A function of tensors whose sizes `shapes` leaves open, one entry for each."""

    def __init__(self, function, *shapes):
        super().__init__()
        self.function = function
        self.dynamic_shapes = (shapes,)

    def forward(self, *tensors):
        return self.function(*tensors)


class Windows(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Conv1d(3, 4, 3, 2)
        self.dynamic_shapes = ({2: AUTO},)

    def forward(self, x):
        y = self.layer(x)
        return y.flatten(1), y[..., y.shape[-1] // 2 - 1 :], y.expand(3, -1, -1, -1)


def padded(x):
    size = x.shape[1]
    return functional.pad(x, (0, size // 2)), x.new_zeros(2 * size + 1), torch.arange(size) * x, x.view(size, -1)


def halves(x):
    half = int(x.shape[1] * 0.5)
    return x[:, :half], functional.adaptive_avg_pool1d(x[None], half)


def scaled(x):
    size = x.shape[1]
    return x * float(size), x * (size**2) / (size + 0.5), torch.full((3,), size) * x[:, :3], torch.ones(size, size).tril() @ x.t()


def attention(x):
    batch, steps, channels = x.shape
    heads = x.view(batch, steps, 2, channels // 2).transpose(1, 2)
    scores = heads @ heads.transpose(-1, -2) / math.sqrt(channels // 2)
    return scores.masked_fill(torch.ones(steps, steps).triu(1).bool(), -100.0).softmax(-1), heads.repeat(1, 1, 2, 1), heads.chunk(2, 2)[0]


def resized(x):
    return functional.interpolate(x, scale_factor=1.5, mode="bilinear"), x.shape[2] * x.mean((2, 3))


def joined(x, y):
    return torch.cat([x, y], 1), x.reshape(x.shape[0] * x.shape[1], -1).sum(1)


CASES = {
    "padded": (Open(padded, {1: SOME}), [real(2, 5)]),
    "halves": (Open(halves, {1: AUTO}), [real(2, 8)]),
    "scaled": (Open(scaled, {1: AUTO}), [real(2, 7)]),
    "attention": (Open(attention, {1: AUTO}), [real(2, 8, 6)]),
    "resized": (Open(resized, {2: AUTO, 3: AUTO}), [real(1, 3, 8, 6)]),
    "split": (Open(lambda x: x.split([x.shape[1] - 2, 2], 1), {1: SOME}), [real(2, 7)]),
    "windows": (Windows(), [real(1, 3, 17)]),
    "one_symbol": (Open(lambda x, y: x[:, : y.shape[0]] + y, {1: SOME}, {0: SOME}), [real(2, 5), real(5)]),
    "two_symbols": (Open(joined, {1: AUTO}, {1: AUTO}), [real(2, 5, 3), real(2, 4, 3)]),
    "expressions": (Open(joined, {1: 2 * SOME}, {1: 2 * SOME + 1}), [real(2, 10, 3), real(2, 11, 3)]),
}
