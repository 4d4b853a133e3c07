"""Cases of operators in place, of products that leave a term out, and of masks that leave all keys out."""

import torch
from torch.nn import functional

GENERATOR = torch.Generator().manual_seed(23)


def real(*shape):
    return torch.randn(*shape, generator=GENERATOR)


def mask_of(queries, keys):
    """Random numbers, with one query that has no key and minus infinity elsewhere."""
    mask = real(queries, keys)
    mask[mask > 1] = -torch.inf
    mask[1] = -torch.inf
    return mask


def addmm_in_place(x, a, b):
    y = x.clone()
    y.addmm_(a, b, alpha=2.0)
    return y


def greater_in_place(x):
    y = x.clone()
    y.greater_(0)
    return y * 0.5


def logical_not_in_place(x):
    y = x.clone()
    y.logical_not_()
    return y


CASES = {
    "addmm_in_place": (addmm_in_place, [real(2, 4), real(2, 3), real(3, 4)]),
    "addmm_without_self": (lambda x, a, b: torch.addmm(x / 0, a, b, beta=0, alpha=3), [real(4), real(2, 3), real(3, 4)]),
    "baddbmm_without_self": (lambda x, a, b: torch.baddbmm(x / 0, a, b, beta=0), [real(2, 2, 4), real(2, 2, 3), real(2, 3, 4)]),
    "addr_without_self": (lambda x, a, b: torch.addr(x / 0, a, b, beta=0), [real(2, 3), real(2), real(3)]),
    "addbmm_without_self": (lambda x, a, b: torch.addbmm(x / 0, a, b, beta=0), [real(2, 4), real(5, 2, 3), real(5, 3, 4)]),
    "greater_in_place": (greater_in_place, [real(3, 4)]),
    "logical_not_in_place": (logical_not_in_place, [torch.tensor([0.0, 1.0, -2.0])]),
    "attention_masked_query": (functional.scaled_dot_product_attention, [real(1, 2, 3, 4), real(1, 2, 5, 4), real(1, 2, 5, 4), mask_of(3, 5)]),
    "attention_broadcast_mask": (functional.scaled_dot_product_attention, [real(2, 3, 4), real(2, 5, 4), real(2, 5, 4), mask_of(3, 1)]),
    "broadcast_tensors": (lambda x, y: torch.broadcast_tensors(x, y), [real(3, 1), real(4)]),
    "meshgrid": (lambda x, y: torch.meshgrid(x, y, indexing="xy"), [real(3), real(4)]),
    "cartesian_prod": (lambda x, y: torch.cartesian_prod(x, y), [real(3), real(4)]),
    "atleast_2d": (lambda x, y: torch.atleast_2d([x, y]), [real(3), real(2, 2)]),
}
