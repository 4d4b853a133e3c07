#!/usr/bin/env python3
"""Writes the modules of this folder, each with an input and what PyTorch computes for it.

    apt-get install python3-torch python3-torchvision    # Debian 12: PyTorch 1.13.1, torchvision 0.14.1
    /usr/bin/python3 testdata/torchscript/make_modules.py testdata/torchscript

<name>.pt is a TorchScript module. <name>.values has lines "input DIMS" and "output DIMS", each with the values behind it as
little-endian float32, and before an output that may be off by more than rounding "step SIZE": the step of its quantizer.
"""

import os
import sys
import zipfile

import torch
import torchvision
from torch import nn
from torch.nn import functional


class Convolutions(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 6, 3, stride=2, padding=1), nn.BatchNorm2d(6), nn.ReLU6())
        self.depthwise = nn.Conv2d(6, 6, 3, padding=1, groups=6, bias=False)
        self.grouped = nn.Conv2d(6, 4, (3, 1), padding="same", dilation=2, groups=2)
        self.up = nn.ConvTranspose2d(4, 2, 3, stride=2, padding=1, output_padding=1)
        self.up_grouped = nn.ConvTranspose2d(4, 4, 2, stride=2, groups=2)
        self.line = nn.Conv1d(6, 5, 3, padding=1)

    def forward(self, x):
        x = self.stem(x)
        y = self.grouped(functional.silu(self.depthwise(x)) + x)
        return self.up(y), self.up_grouped(y), self.line(x.flatten(2))


class Activations(nn.Module):
    def __init__(self):
        super().__init__()
        self.prelu = nn.PReLU(4)
        self.functions = nn.ModuleList([
            nn.ReLU(inplace=True), nn.ReLU6(), nn.Sigmoid(), nn.Tanh(), nn.SiLU(), nn.Hardswish(), nn.Hardsigmoid(), nn.GELU(),
            nn.GELU(approximate="tanh"), nn.ELU(0.5), nn.SELU(), nn.CELU(0.7), nn.LeakyReLU(0.2), nn.Softplus(), nn.Mish(),
            nn.Hardtanh(-0.5, 0.7), nn.Softsign(), nn.LogSigmoid(), nn.Threshold(0.1, 20.0), nn.Softmax(1), nn.LogSoftmax(1), nn.GLU(1),
        ])

    def forward(self, x):
        outputs = [self.prelu(x), x.clamp(min=0.25), x.abs().sqrt().log1p()]
        for function in self.functions:
            outputs.append(function(x * 3))
        return outputs


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(5, 4, num_layers=2, bidirectional=True, batch_first=True)
        self.projected = nn.LSTM(5, 4, proj_size=3)
        self.gru = nn.GRU(5, 3, num_layers=2, bidirectional=True)
        self.plain = nn.GRU(5, 2, bias=False, batch_first=True)

    def forward(self, x):
        x = x.reshape(3, 4, 5)
        y, states = self.lstm(x)
        return (y, states, self.lstm(x * 2, states), self.projected(x), self.gru(x), self.plain(x))


class Pooling(nn.Module):
    def forward(self, x):
        return (functional.max_pool2d(x, 3, 2, 1), functional.max_pool2d(x, 2, ceil_mode=True), functional.avg_pool2d(x, 3, 2, 1),
                functional.avg_pool2d(x, 3, 2, 1, count_include_pad=False), functional.adaptive_avg_pool2d(x, 1),
                functional.adaptive_avg_pool2d(x, (3, 4)), functional.adaptive_max_pool2d(x, (3, 5)),
                functional.max_pool1d(x.flatten(2), 4))


class Resampling(nn.Module):
    def forward(self, x):
        size = x.shape[2:]
        grid = functional.affine_grid(torch.tensor([[[0.8, 0.1, 0.0], [-0.1, 0.9, 0.1]]]), [1, 4, 5, 6], align_corners=False)
        return (functional.interpolate(x, scale_factor=2.0), functional.interpolate(x, size=(7, 5)),
                functional.interpolate(x, scale_factor=1.5, mode="bilinear", align_corners=False),
                functional.interpolate(x, size=(9, 11), mode="bilinear", align_corners=True),
                functional.interpolate(x, size=[int(size[0]) * 2, int(size[1])], mode="nearest"), functional.pixel_shuffle(x, 2),
                functional.pixel_unshuffle(x, 2), functional.channel_shuffle(x, 2), functional.grid_sample(x, grid, align_corners=False))


class Normalization(nn.Module):
    def __init__(self):
        super().__init__()
        self.norms = nn.ModuleList([nn.LayerNorm([5]), nn.GroupNorm(2, 4), nn.InstanceNorm2d(4, affine=True), nn.BatchNorm2d(4),
                                    nn.InstanceNorm2d(4)])
        for parameter in self.parameters():
            nn.init.uniform_(parameter, 0.5, 1.5)

    def forward(self, x):
        return [norm(x) for norm in self.norms] + [functional.normalize(x, dim=1)]


class Matrices(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(5, 3)
        self.attention = nn.Linear(5, 15)
        self.table = nn.Embedding(7, 5)

    def forward(self, x):
        q, k, v = self.attention(x).chunk(3, dim=-1)
        scores = (torch.bmm(q, k.transpose(1, 2)) / 5 ** 0.5).softmax(-1)
        indices = torch.arange(x.size(1)).flip(0)
        return (self.linear(x), torch.matmul(scores, v), torch.addmm(x[0, :, 0:3], x[0], x[0].t()[:, 0:3], beta=0.5, alpha=2.0),
                torch.baddbmm(scores, x, x.permute(0, 2, 1)), x + self.table(indices), x[0] @ x[0, 0])


class Reductions(nn.Module):
    def forward(self, x):
        largest, where = x.max(dim=1)
        return (x.mean([2, 3]), x.sum(1, keepdim=True), x.mean(), largest, where, x.argmax(2), x.amin((0, 1)), x.var(1), x.std(dim=2),
                x.norm(dim=1), x.logsumexp(1), x.cumsum(1), torch.maximum(x, x.neg() / 2), torch.min(x, x * x))


class Slices(nn.Module):
    def forward(self, x):
        a, b = x.split([1, 3], dim=1)
        y = torch.cat([x[:, ::2], x[:, 1:2, :, -3:].repeat(1, 1, 1, 2)[:, :, :, :x.shape[3]]], 1)
        return (a.squeeze(1), b.narrow(2, 1, 2), y, torch.stack(x.unbind(1), -1), x[:, [2, 0, 1]], x.index_select(3, torch.tensor([1, 1])),
                functional.pad(x, (1, 2, 0, 3), value=0.5), functional.pad(x, (1, 1, 2, 0), mode="reflect"),
                functional.pad(x, (1, -1), mode="constant"), functional.pad(x, (2, 0, 1, 1), mode="replicate"), x.flip([2]),
                torch.roll(x, (1, -2), (2, 3)), x.unflatten(1, (2, 2)), x.expand(2, 4, 6, 5), x.select(2, -1), x[..., None].squeeze())


class Arithmetic(nn.Module):
    def forward(self, x):
        y = x + 1.5
        y = torch.add(y, x, alpha=-2)
        mask = (x > 0.2) & ~(x >= 0.8)
        steps = torch.arange(x.shape[3], dtype=torch.float32)
        rows, columns = torch.meshgrid(torch.arange(2), torch.arange(3), indexing="ij")
        return (y, 2 - x, 1 / (x.square() + 1), x ** 2, (x * x + 1) ** 0.3, torch.where(mask, x, y), x.masked_fill(mask, -1.0),
                x * steps, torch.div(x * 5, 0.7, rounding_mode="floor"), torch.remainder(x * 5, 0.7), (rows * 3 + columns).float() + x.sum(),
                torch.zeros_like(x) + torch.full([5], 2.0), torch.linspace(0, 1, 5) * x, x.exp().log2(), torch.lt(x, y).float())


class ControlFlow(nn.Module):
    """Scripted: loops, branches, lists and tensors that are changed in place."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Conv2d(4, 4, 1) for _ in range(3)])

    def forward(self, x):
        features = []
        for i, layer in enumerate(self.layers):
            if i % 2 == 0:
                x = layer(x)
            else:
                x = layer(x).relu_()
            features.append(x)
        if x.dim() != 4 or x.shape[1] != 4:
            raise ValueError("expected four channels")
        total = torch.zeros_like(features[0])
        n = 0
        while n < len(features):
            total += features[n] * float(n + 1)
            n += 1
        height, width = x.shape[-2:]
        return total, torch.cat(features[1:], 1), x.reshape(1, -1, height * width // 2), {"x": x}["x"]


class Yolov5Head(nn.Module):
    """The head of YOLOv5 as it is exported: boxes from three outputs for each cell."""

    def __init__(self, inplace):
        super().__init__()
        self.inplace = inplace
        self.outputs, self.anchors_per_cell = 7, 3
        self.convolutions = nn.ModuleList([nn.Conv2d(4, 21, 1), nn.Conv2d(4, 21, 1)])
        self.register_buffer("anchors", torch.rand(2, 3, 2) + 0.5)
        self.stride = [8.0, 16.0]

    def grid(self, width, height, i):
        y, x = torch.meshgrid(torch.arange(height), torch.arange(width), indexing="ij")
        cells = torch.stack((x, y), 2).expand(1, 3, height, width, 2).float() - 0.5
        anchors = (self.anchors[i] * self.stride[i]).view(1, 3, 1, 1, 2).expand(1, 3, height, width, 2)
        return cells, anchors

    def forward(self, x):
        levels = [x, functional.max_pool2d(x, 2)]
        found = []
        for i, convolution in enumerate(self.convolutions):
            level = convolution(levels[i])
            batch, _, height, width = level.shape
            level = level.view(batch, 3, self.outputs, height, width).permute(0, 1, 3, 4, 2).contiguous()
            cells, anchors = self.grid(width, height, i)
            y = level.sigmoid()
            if self.inplace:
                y[..., 0:2] = (y[..., 0:2] * 2 + cells) * self.stride[i]
                y[..., 2:4] = (y[..., 2:4] * 2) ** 2 * anchors
            else:
                xy, wh, scores = y.split((2, 2, self.outputs - 4), 4)
                xy = (xy * 2 + cells) * self.stride[i]
                wh = (wh * 2) ** 2 * anchors
                y = torch.cat((xy, wh, scores), 4)
            found.append(y.view(batch, -1, self.outputs))
        return torch.cat(found, 1)


class Yolov8Head(nn.Module):
    """The head of YOLOv8 as it is exported: distances to the sides as distributions."""

    def __init__(self):
        super().__init__()
        self.box, self.scores = nn.Conv2d(4, 16, 1), nn.Conv2d(4, 3, 1)
        self.register_buffer("bins", torch.arange(4, dtype=torch.float32).view(1, 4, 1, 1))

    def forward(self, x):
        levels = [x, functional.avg_pool2d(x, 2)]
        raw = [torch.cat((self.box(level), self.scores(level)), 1) for level in levels]
        flat = torch.cat([level.view(level.shape[0], 19, -1) for level in raw], 2)
        box, scores = flat.split((16, 3), 1)
        batch, _, anchors = box.shape
        distances = functional.conv2d(box.view(batch, 4, 4, anchors).transpose(2, 1).softmax(1), self.bins).view(batch, 4, anchors)
        points, strides = [], []
        for level, stride in zip(raw, (8, 16)):
            _, _, height, width = level.shape
            sy, sx = torch.meshgrid(torch.arange(height) + 0.5, torch.arange(width) + 0.5, indexing="ij")
            points.append(torch.stack((sx, sy), -1).view(-1, 2))
            strides.append(torch.full((height * width, 1), float(stride)))
        centers, strides = torch.cat(points).transpose(0, 1).unsqueeze(0), torch.cat(strides).transpose(0, 1)
        before, behind = distances.chunk(2, 1)
        first, last = centers - before, centers + behind
        return torch.cat((torch.cat(((first + last) / 2, last - first), 1) * strides, scores.sigmoid()), 1)


class Detector(nn.Module):
    """With torchvision's nms behind the boxes: to be cut."""

    def __init__(self):
        super().__init__()
        self.convolution = nn.Conv2d(3, 5, 3)

    def forward(self, x):
        cells = self.convolution(x[:, :, :4, :4]).flatten(2).transpose(1, 2)[0]
        boxes, scores = cells[:, :4].sigmoid(), cells[:, 4].sigmoid()
        return boxes[torchvision.ops.nms(boxes, scores, 0.5)]


class Stateful(nn.Module):
    """Scripted, and refused: an attribute counts the calls."""

    def __init__(self):
        super().__init__()
        self.calls = 4

    def forward(self, x):
        self.calls = self.calls + 1
        return x * self.calls


class FileWriter(nn.Module):
    """Scripted, and refused: opens a file for writing, which it makes, when constants are folded."""

    def forward(self, x):
        return x + torch.from_file("written_by_a_module", True, 4)


class FileReader(nn.Module):
    """Scripted, and refused: opens a file for reading when constants are folded, which would become one of them."""

    def forward(self, x):
        return x + torch.from_file("/etc/passwd", False, 4, dtype=torch.uint8)


class Hoarder(nn.Module):
    """Scripted: a small file whose constants would take 8 GiB to fold; they are left as they are."""

    def forward(self, x):
        return x + torch.ones(2147483648).sum()


class Quantizable(nn.Module):
    def __init__(self):
        super().__init__()
        self.quantize, self.dequantize = torch.ao.quantization.QuantStub(), torch.ao.quantization.DeQuantStub()
        self.first = nn.Sequential(nn.Conv2d(3, 8, 3, stride=2), nn.BatchNorm2d(8), nn.ReLU())
        self.second = nn.Conv2d(8, 8, 1)
        self.third = nn.Conv2d(8, 8, 3, padding=1, groups=8)
        self.last = nn.Linear(16, 5)
        self.sum, self.join = torch.ao.nn.quantized.FloatFunctional(), torch.ao.nn.quantized.FloatFunctional()

    def forward(self, x):
        x = self.first(self.quantize(x))
        x = self.sum.add(self.second(x), self.third(x))
        x = self.join.cat([functional.max_pool2d(x, 3), functional.relu(functional.adaptive_avg_pool2d(x, 1))], 1)
        return self.dequantize(self.last(x.flatten(1)))


def quantized(example):
    torch.backends.quantized.engine = "qnnpack"
    module = Quantizable().eval()
    module.first = torch.ao.quantization.fuse_modules(module.first, ["0", "1", "2"])
    module.qconfig = torch.ao.quantization.get_default_qconfig("qnnpack")
    torch.ao.quantization.prepare(module, inplace=True)
    for _ in range(8):
        module(torch.rand_like(example) * 2 - 1)
    return torch.ao.quantization.convert(module)


def flat(value):
    if isinstance(value, torch.Tensor):
        return [value]
    return [tensor for item in value for tensor in flat(item)]


def save_module(folder, name, scripted):
    scripted.save(f"{folder}/{name}.full.pt")
    compress(f"{folder}/{name}.full.pt", f"{folder}/{name}.pt")


def save(folder, name, module, example, script, step=None):
    module.eval()
    save_module(folder, name, torch.jit.script(module) if script else torch.jit.trace(module, example))
    with torch.no_grad():
        outputs = flat(module(example.clone()))
    with open(f"{folder}/{name}.values", "wb") as file:
        def write(kind, value):
            file.write(f"{kind} {','.join(str(dim) for dim in value.shape)}\n".encode())
            file.write(value.float().contiguous().numpy().astype("<f4").tobytes())

        write("input", example)
        for output in outputs:
            if step:
                file.write(f"step {step:.9g}\n".encode())
            write("output", output)


def compress(full, path):
    """The same module in less space: without the listings of its source, which are most of it."""
    with zipfile.ZipFile(full) as source, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        for entry in source.infolist():
            if entry.filename.endswith(".debug_pkl"):
                continue
            plain = zipfile.ZipInfo(entry.filename, (1980, 1, 1, 0, 0, 0))
            plain.compress_type = zipfile.ZIP_DEFLATED
            out.writestr(plain, source.read(entry))
    os.remove(full)


def main():
    folder = sys.argv[1]
    torch.manual_seed(1)
    image = torch.rand(1, 3, 9, 8) * 2 - 1
    small = torch.rand(1, 4, 6, 5) * 2 - 1
    even = torch.rand(1, 4, 4, 6) * 2 - 1
    rows = torch.rand(1, 4, 5) * 2 - 1
    convolutions = Convolutions()
    convolutions.stem[1].running_mean.uniform_(-0.2, 0.2)
    convolutions.stem[1].running_var.uniform_(0.5, 1.5)
    save(folder, "convolutions_traced", convolutions, image, False)
    save(folder, "activations_scripted", Activations(), small, True)
    save(folder, "pooling_traced", Pooling(), small, False)
    save(folder, "resampling_traced", Resampling(), even, False)
    save(folder, "normalization_traced", Normalization(), small, False)
    save(folder, "matrices_traced", Matrices(), rows, False)
    save(folder, "reductions_traced", Reductions(), small, False)
    save(folder, "slices_traced", Slices(), small, False)
    save(folder, "arithmetic_traced", Arithmetic(), small, False)
    save(folder, "control_flow_scripted", ControlFlow(), even, True)
    save(folder, "yolov5_head_traced", Yolov5Head(False), even, False)
    save(folder, "yolov5_head_in_place_traced", Yolov5Head(True), even, False)
    save(folder, "yolov8_head_traced", Yolov8Head(), even, False)
    save(folder, "detector_traced", Detector(), image, False)
    save(folder, "recurrent_traced", Recurrent(), torch.rand(1, 12, 5) * 2 - 1, False)
    save_module(folder, "stateful_scripted", torch.jit.script(Stateful().eval()))
    save_module(folder, "file_writer_scripted", torch.jit.script(FileWriter().eval()))
    save_module(folder, "file_reader_scripted", torch.jit.script(FileReader().eval()))
    save_module(folder, "hoarder_scripted", torch.jit.script(Hoarder().eval()))
    module = quantized(image)
    save(folder, "quantized_scripted", module, image, True, module.last.scale)
    torch.save(convolutions.state_dict(), f"{folder}/state_dict.pt")
    torch.save(nn.Linear(1, 1), f"{folder}/pickled_legacy.pt", _use_new_zipfile_serialization=False)


if __name__ == "__main__":
    main()
