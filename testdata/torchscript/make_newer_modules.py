#!/usr/bin/env python3
"""Writes the modules of this folder that older versions of PyTorch can't make, as make_modules.py writes the others.

    pip install torch torchvision    # PyTorch 2.15
    python3 testdata/torchscript/make_newer_modules.py testdata/torchscript
"""

import sys

import torch
from torch import nn
from torch.nn import functional

import make_modules


class Attentions(nn.Module):
    """Each form of scaled_dot_product_attention, and what else is newer than PyTorch 1.13."""

    def __init__(self):
        super().__init__()
        self.norm = nn.RMSNorm(6)
        self.register_buffer("allowed", torch.tensor([[True, False, True, True, True], [False, True, True, True, False]]))
        self.register_buffer("added", torch.randn(1, 4, 2, 5))

    def forward(self, x):
        attend = functional.scaled_dot_product_attention
        x = self.norm(x)
        few, many = x[:, :, :2], x[:, :, 2:]
        return (
            attend(few, many, many), attend(few, many, many * 2, attn_mask=self.allowed),
            attend(few, many, many, attn_mask=self.added, scale=0.25), attend(many, many, many, is_causal=True),
            attend(few, many[:, :2], many[:, 2:], enable_gqa=True), attend(few[0], many[0], many[0]),
            attend(few[None], many[None], many[None]), attend(torch.cat([few, -few]), many, many), x.mean((2, 3), True).squeeze((2, 3)),
            x.gt(1).any((2, 3)).float(), x.gt(-2).all((1, 2)).float(), x.tile((1, 1, 2)), x.repeat_interleave(3, 1),
            torch.einsum("bhsd,bhtd->bhst", few, many),
            functional.interpolate(x, size=(9, 4), mode="bicubic"),
            functional.interpolate(x, scale_factor=1.5, mode="bicubic", align_corners=True),
            functional.interpolate(x, size=(3, 4), mode="bilinear", antialias=True),
            functional.interpolate(x, size=(3, 9), mode="bicubic", antialias=True),
            functional.interpolate(x, scale_factor=0.6, mode="bicubic", antialias=True),
        )


class UnknownOperators(nn.Module):
    """Traced, and refused: operators of a newer PyTorch, and of a library."""

    def forward(self, x):
        return torch.ops.synap_test.second(torch.ops.synap_test.first(torch.ops.aten._safe_softmax(x, -1)))


def save_unknown_operators(folder):
    library = torch.library.Library("synap_test", "DEF")
    for name in ("first", "second"):
        library.define(f"{name}(Tensor x) -> Tensor")
        library.impl(name, torch.neg, "CompositeExplicitAutograd")
    make_modules.save_module(folder, "unknown_operators_traced", torch.jit.trace(UnknownOperators(), torch.zeros(4)))


def attentions():
    """The module and an input."""
    torch.manual_seed(1)
    module = Attentions().eval()
    nn.init.uniform_(module.norm.weight)
    return module, torch.randn(1, 4, 7, 6)


if __name__ == "__main__":
    make_modules.save(sys.argv[1], "attentions_traced", *attentions(), False)
    save_unknown_operators(sys.argv[1])
