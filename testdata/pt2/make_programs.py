#!/usr/bin/env python3
"""Writes the programs of this folder, each with an input and what PyTorch computes for it.

    pip install torch torchvision    # PyTorch 2.15
    python3 testdata/pt2/make_programs.py testdata/pt2 testdata/fuzz/pt2

<name>.pt2 is what torch.export.save writes, without samples and the places in sources. <name>.values is as in testdata/torchscript,
which has those of the attentions.
The second folder gets a program that is small enough to change its bytes at random.
"""

import json
import os
import sys
import zipfile

import torch
from torch import nn
from torch.nn import functional

sys.path.append(os.path.join(os.path.dirname(__file__), "..", "torchscript"))
import make_newer_modules


class Blocks(nn.Module):
    """A convolution with its normalization, what resizes and pads, and attention over the pixels."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU6(inplace=True))
        self.norm = nn.LayerNorm(4)
        self.qkv = nn.Linear(4, 12)
        self.register_buffer("factor", torch.arange(4.0), persistent=False)

    def forward(self, image):
        x = functional.interpolate(self.stem(image), scale_factor=2.0, mode="bilinear")
        q, k, v = self.qkv(self.norm(x.flatten(2).transpose(1, 2))).chunk(3, -1)
        y = functional.scaled_dot_product_attention(q, k, v)
        return y * self.factor + torch.tensor([1.0, 2.0, 3.0, 4.0]), x.mean((2, 3)), functional.pad(x, (1, 1)).to(torch.float32)


class Tokens(nn.Module):
    """Token ids into an embedding: an input of int64, and one of int32."""

    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(20, 4)

    def forward(self, tokens, positions):
        return self.table(tokens).mean(0), self.table(positions) * 2


class Modes(nn.Module):
    """Graphs of their own for what runs without autocast or gradients, inputs of bool and uint8, and sizes that stay open."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x, inputs):
        with torch.autocast("cpu", enabled=False):
            y = self.layer(x)
            with torch.no_grad():
                z = torch.where(inputs["mask"], y, self.layer(y))
        steps = x.shape[1]
        return {"half": (y + z)[:, : steps // 2], "bytes": inputs["pixels"].float() * torch.tensor([True, False, True])}


class Effects(nn.Module):
    """An operator that may raise an exception, which run_decompositions() orders by tokens."""

    def forward(self, x):
        return torch.linalg.inv(x) * 2


def without_sources(text):
    program = json.loads(text)
    for node in program["graph_module"]["graph"]["nodes"]:
        node["metadata"] = {key: value for key, value in node["metadata"].items() if key == "nn_module_stack"}
    return json.dumps(program)


def save(folder, name, program):
    path = os.path.join(folder, name + ".pt2")
    torch.export.save(program, path + ".whole")
    with zipfile.ZipFile(path + ".whole") as whole, zipfile.ZipFile(path, "w") as small:
        for entry in whole.namelist():
            if "/sample_inputs/" in entry or "/.data/" in entry:
                continue
            data = whole.read(entry)
            if entry.endswith("/models/model.json"):
                data = without_sources(data).encode()
            small.writestr(zipfile.ZipInfo(entry), data)
    os.remove(path + ".whole")


def main(folder, fuzz_folder):
    torch.manual_seed(1)
    module = Blocks().eval()
    module.stem[1].running_mean.uniform_(-0.5, 0.5)
    module.stem[1].running_var.uniform_(0.5, 2)
    image = torch.randn(1, 3, 6, 5)
    program = torch.export.export(module, (image,))
    for name, made in {"blocks": program, "blocks_core": program.run_decompositions()}.items():
        save(folder, name, made)
    with open(os.path.join(folder, "blocks.values"), "wb") as file:
        for kind, values in [("input", image)] + [("output", y) for y in module(image)]:
            file.write(f"{kind} {','.join(map(str, values.shape))}\n".encode())
            file.write(values.detach().contiguous().numpy().astype("<f4").tobytes())
    module, image = make_newer_modules.attentions()
    save(folder, "attentions", torch.export.export(module, (image,)))
    small = nn.Sequential(nn.Conv2d(1, 2, 2), nn.ReLU(), nn.Flatten(), nn.Linear(8, 3)).eval()
    save(fuzz_folder, "small", torch.export.export(small, (torch.randn(1, 1, 3, 3),)))
    save_tokens(folder)
    save_modes(folder)
    save_effects(folder)


def save_tokens(folder):
    torch.manual_seed(1)
    module, tokens, positions = Tokens().eval(), torch.tensor([3, 0, 19, 7, 7, 1]), torch.tensor([[2, 5]], dtype=torch.int32)
    save(folder, "tokens", torch.export.export(module, (tokens, positions)))
    with open(os.path.join(folder, "tokens.values"), "wb") as file:
        for kind, values in [("input", tokens), ("input", positions)] + [("output", y) for y in module(tokens, positions)]:
            file.write(f"{kind} {','.join(map(str, values.shape))}\n".encode())
            file.write(values.detach().contiguous().numpy().astype("<f4").tobytes())


def save_modes(folder):
    torch.manual_seed(1)
    module, x = Modes().eval(), torch.randn(1, 6, 4)
    inputs = {"mask": torch.randn(1, 6, 1) > 0, "pixels": torch.tensor([250, 3, 128], dtype=torch.uint8)}
    steps = torch.export.Dim.AUTO
    shapes = {"x": {1: steps}, "inputs": {"mask": {1: steps}, "pixels": None}}
    save(folder, "modes", torch.export.export(module, (x, inputs), dynamic_shapes=shapes))
    with open(os.path.join(folder, "modes.values"), "wb") as file:
        for kind, values in [("input", y) for y in [x, *inputs.values()]] + [("output", y) for y in module(x, inputs).values()]:
            file.write(f"{kind} {','.join(map(str, values.shape))}\n".encode())
            file.write(values.detach().contiguous().numpy().astype("<f4").tobytes())


def save_effects(folder):
    torch.manual_seed(1)
    module, x = Effects().eval(), torch.randn(2, 3, 3) + 3 * torch.eye(3)
    save(folder, "effects_core", torch.export.export(module, (x,)).run_decompositions())
    with open(os.path.join(folder, "effects_core.values"), "wb") as file:
        for kind, values in [("input", x), ("output", module(x))]:
            file.write(f"{kind} {','.join(map(str, values.shape))}\n".encode())
            file.write(values.detach().contiguous().numpy().astype("<f4").tobytes())


if __name__ == "__main__":
    main(*sys.argv[1:])
