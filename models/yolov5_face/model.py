"""A small YOLOv5-face network (about the size of yolov5n-0.5-face).

Own code after the papers: the stem and the heads with landmarks from
YOLO5Face (arXiv:2105.12931), the backbone's units from ShuffleNetV2
(arXiv:1807.11164), the neck a feature pyramid with a bottom-up path.
"""

import torch
from torch import nn
from torch.nn import functional as F

STRIDES = (8, 16, 32)
ANCHORS = (
    ((4, 5), (8, 10), (13, 16)),
    ((23, 29), (43, 55), (73, 105)),
    ((146, 217), (231, 300), (335, 433)),
)
VALUES = 16  # x, y, w, h, confidence, ten landmark values, class


class ConvUnit(nn.Module):
    """Convolution, batch normalization, activation."""

    def __init__(self, cin, cout, k=1, s=1, groups=1, act="silu"):
        super().__init__()
        self.conv = nn.Conv2d(cin, cout, k, s, k // 2, groups=groups, bias=False)
        self.norm = nn.BatchNorm2d(cout, eps=1e-3, momentum=0.03)
        self.act = {"silu": nn.SiLU(), "relu": nn.ReLU(), "none": nn.Identity()}[act]

    def forward(self, x):
        return self.act(self.norm(self.conv(x)))


class Stem(nn.Module):
    """Quarters the picture: a convolution, then a narrow and a pooled way."""

    def __init__(self, cout):
        super().__init__()
        self.first = ConvUnit(3, cout, 3, 2)
        self.narrow = ConvUnit(cout, cout // 2, 1)
        self.down = ConvUnit(cout // 2, cout, 3, 2)
        self.last = ConvUnit(2 * cout, cout, 1)

    def forward(self, x):
        x = self.first(x)
        pooled = F.max_pool2d(x, 2, 2)
        return self.last(torch.cat([self.down(self.narrow(x)), pooled], 1))


class Shuffle(nn.Module):
    """ShuffleNetV2's unit: half the channels pass (or shrink) beside a branch."""

    def __init__(self, cin, cout, stride):
        super().__init__()
        half = cout // 2
        self.stride, self.half = stride, half
        self.beside = None
        if stride == 2:
            self.beside = nn.Sequential(
                ConvUnit(cin, cin, 3, 2, cin, "none"), ConvUnit(cin, half, 1, act="relu")
            )
        self.branch = nn.Sequential(
            ConvUnit(cin if stride == 2 else half, half, 1, act="relu"),
            ConvUnit(half, half, 3, stride, half, "none"),
            ConvUnit(half, half, 1, act="relu"),
        )

    def forward(self, x):
        if self.stride == 2:
            left, right = self.beside(x), self.branch(x)
        else:
            left, right = x.split([self.half, self.half], 1)
            right = self.branch(right)
        x = torch.cat([left, right], 1)
        n, c, h, w = x.shape
        return x.view(n, 2, c // 2, h, w).transpose(1, 2).reshape(n, c, h, w)


class Merge(nn.Module):
    """The neck's unit: a 1x1 and a residual bottleneck beside a 1x1."""

    def __init__(self, cin, cout):
        super().__init__()
        half = cout // 2
        self.enter = ConvUnit(cin, half, 1)
        self.one = ConvUnit(half, half, 1)
        self.two = ConvUnit(half, half, 3)
        self.beside = ConvUnit(cin, half, 1)
        self.leave = ConvUnit(cout, cout, 1)

    def forward(self, x):
        inner = self.two(self.one(self.enter(x)))
        return self.leave(torch.cat([inner, self.beside(x)], 1))


def stage(cin, cout, repeats):
    return nn.Sequential(Shuffle(cin, cout, 2), *[Shuffle(cout, cout, 1) for _ in range(repeats)])


class Backbone(nn.Module):
    def __init__(self, widths, repeats):
        super().__init__()
        self.stem = Stem(widths[0])
        self.stage3 = stage(widths[0], widths[1], repeats[0])
        self.stage4 = stage(widths[1], widths[2], repeats[1])
        self.stage5 = stage(widths[2], widths[3], repeats[2])

    def forward(self, x):
        third = self.stage3(self.stem(x))
        fourth = self.stage4(third)
        return third, fourth, self.stage5(fourth)


class Neck(nn.Module):
    def __init__(self, widths, width):
        super().__init__()
        self.lateral5 = ConvUnit(widths[3], width, 1)
        self.merge4 = Merge(width + widths[2], width)
        self.lateral4 = ConvUnit(width, width, 1)
        self.merge3 = Merge(width + widths[1], width)
        self.down3 = ConvUnit(width, width, 3, 2)
        self.join4 = Merge(2 * width, width)
        self.down4 = ConvUnit(width, width, 3, 2)
        self.join5 = Merge(2 * width, width)

    def forward(self, third, fourth, fifth):
        top = self.lateral5(fifth)
        up = F.interpolate(top, scale_factor=2.0, mode="nearest")
        middle = self.lateral4(self.merge4(torch.cat([up, fourth], 1)))
        up = F.interpolate(middle, scale_factor=2.0, mode="nearest")
        low = self.merge3(torch.cat([up, third], 1))
        mid = self.join4(torch.cat([self.down3(low), middle], 1))
        return low, mid, self.join5(torch.cat([self.down4(mid), top], 1))


class Head(nn.Module):
    """A 1x1 convolution per stride, then [N, anchor, y, x, value]."""

    def __init__(self, width):
        super().__init__()
        self.m = nn.ModuleList(nn.Conv2d(width, 3 * VALUES, 1) for _ in STRIDES)
        for conv, stride in zip(self.m, STRIDES):
            bias = torch.zeros(3, VALUES)
            bias[:, 4] = -6.0 if stride == 8 else -5.0  # faces are rare
            bias[:, 15] = 3.0
            conv.bias.data = bias.reshape(-1)
            conv.weight.data *= 0.3

    def forward(self, features):
        out = []
        for conv, x in zip(self.m, features):
            x = conv(x)
            n, _, h, w = x.shape
            out.append(x.reshape(n, 3, VALUES, h, w).permute(0, 1, 3, 4, 2))
        return tuple(out)


class FaceNet(nn.Module):
    """Pictures in 0..1 to the raw values at the strides 8, 16 and 32."""

    def __init__(self, widths=(16, 64, 128, 256), repeats=(3, 7, 3), width=64):
        super().__init__()
        self.backbone = Backbone(widths, repeats)
        self.neck = Neck(widths, width)
        self.head = Head(width)

    def forward(self, x):
        return self.head(self.neck(*self.backbone(x)))
