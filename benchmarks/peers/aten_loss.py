"""Cases of PyTorch's losses: a name, a function or module, and its inputs."""

import torch
import torch.nn.functional as F
from torch import nn

_GENERATOR = torch.Generator().manual_seed(5)


def real(*shape):
    return torch.randn(*shape, generator=_GENERATOR)


def part(*shape):
    """Numbers between 0 and 1."""
    return 0.05 + 0.9 * torch.rand(*shape, generator=_GENERATOR)


def sign(*shape):
    return torch.randint(0, 2, shape, generator=_GENERATOR).float() * 2 - 1


def classes(x, count):
    """Indices of classes that depend on an input of numbers between 0 and 1."""
    return (x * count).long()


def reduced(loss, **options):
    """A loss as each element, as their mean and as their sum."""
    return lambda *operands: tuple(loss(*operands, reduction=each, **options) for each in ("none", "mean", "sum"))


def of_classes(loss, count, **options):
    """The same with a target of classes."""
    return lambda x, target: reduced(loss, **options)(x, classes(target, count))


WEIGHTS = torch.tensor([0.5, 2.0, 1.0, 0.0])

CASES = {
    "mse_loss": (reduced(F.mse_loss), [real(3, 4), real(3, 4)]),
    "mse_loss_scalar": (lambda a, b: F.mse_loss(a.sum(), b.sum()), [real(3), real(3)]),
    "l1_loss": (reduced(F.l1_loss), [real(3, 4), real(3, 4)]),
    "smooth_l1_loss": (reduced(F.smooth_l1_loss), [2 * real(3, 9), real(3, 9)]),
    "smooth_l1_loss_beta": (reduced(F.smooth_l1_loss, beta=0.3), [real(3, 9), real(3, 9)]),
    "smooth_l1_loss_zero": (lambda a, b: F.smooth_l1_loss(a, b, beta=0.0), [real(3, 9), real(3, 9)]),
    "huber_loss": (reduced(F.huber_loss, delta=0.7), [real(3, 9), real(3, 9)]),
    "bce_loss": (reduced(F.binary_cross_entropy), [part(3, 4), part(3, 4)]),
    "bce_loss_ends": (lambda x: F.binary_cross_entropy(x, 1 - x, reduction="none"), [torch.tensor([0.0, 1.0, 0.5])]),
    "bce_loss_weight": (lambda a, b, w: F.binary_cross_entropy(a, b, weight=w), [part(3, 4), part(3, 4), part(4)]),
    "bce_logits": (reduced(F.binary_cross_entropy_with_logits), [9 * real(3, 4), part(3, 4)]),
    "bce_logits_weights": (
        lambda a, b, w: F.binary_cross_entropy_with_logits(a, b, weight=w, pos_weight=WEIGHTS), [real(3, 4), part(3, 4), part(4)]),
    "kl_div": (reduced(F.kl_div), [-part(3, 4), part(3, 4)]),
    "kl_div_zero": (lambda a, b: F.kl_div(a, F.relu(b), reduction="batchmean"), [-part(3, 4), real(3, 4)]),
    "kl_div_log": (lambda a, b: F.kl_div(a, b, reduction="sum", log_target=True), [-part(3, 4), -part(3, 4)]),
    "poisson_loss": (reduced(F.poisson_nll_loss), [real(3, 4), 3 * part(3, 4)]),
    "poisson_loss_full": (lambda a, b: F.poisson_nll_loss(a, b, log_input=False, full=True), [part(3, 4), 5 * part(3, 4)]),
    "soft_margin_loss": (reduced(F.soft_margin_loss), [3 * real(3, 4), sign(3, 4)]),
    "hinge_embedding_loss": (reduced(F.hinge_embedding_loss, margin=0.8), [real(3, 4), sign(3, 4)]),
    "margin_ranking_loss": (reduced(F.margin_ranking_loss, margin=0.2), [real(5), real(5), sign(5)]),
    "cosine_embedding_loss": (reduced(F.cosine_embedding_loss, margin=0.1), [real(6, 4), real(6, 4), sign(6)]),
    "cosine_embedding_one": (lambda a, b: F.cosine_embedding_loss(a, b, torch.tensor(-1)), [real(4), real(4)]),
    "triplet_margin_loss": (reduced(F.triplet_margin_loss), [real(5, 4), real(5, 4), real(5, 4)]),
    "triplet_margin_swap": (nn.TripletMarginLoss(margin=2, p=1, swap=True), [real(5, 4), real(5, 4), real(5, 4)]),
    "multi_margin_loss": (of_classes(F.multi_margin_loss, 4), [real(6, 4), part(6)]),
    "multi_margin_weights": (of_classes(F.multi_margin_loss, 4, p=2, margin=0.7, weight=WEIGHTS), [real(6, 4), part(6)]),
    "multilabel_soft_margin": (reduced(F.multilabel_soft_margin_loss), [real(6, 4), part(6, 4).round()]),
    "nll_loss": (of_classes(F.nll_loss, 4), [real(6, 4), part(6)]),
    "nll_loss_one": (of_classes(F.nll_loss, 4), [real(4), part(1).squeeze()]),
    "nll_loss_2d": (of_classes(F.nll_loss, 4, weight=WEIGHTS), [real(2, 4, 3, 5), part(2, 3, 5)]),
    "nll_loss_nd": (of_classes(F.nll_loss, 4), [real(2, 4, 7), part(2, 7)]),
    "nll_loss_ignore": (of_classes(F.nll_loss, 4, weight=WEIGHTS, ignore_index=1), [real(9, 4), part(9)]),
    "cross_entropy": (of_classes(F.cross_entropy, 4), [real(6, 4), part(6)]),
    "cross_entropy_2d": (of_classes(F.cross_entropy, 4, ignore_index=2), [real(2, 4, 3, 5), part(2, 3, 5)]),
    "cross_entropy_smooth": (of_classes(F.cross_entropy, 4, label_smoothing=0.1), [real(6, 4), part(6)]),
    "cross_entropy_smooth_weights": (
        of_classes(F.cross_entropy, 4, label_smoothing=0.3, weight=WEIGHTS, ignore_index=2), [real(9, 4), part(9)]),
    "cross_entropy_parts": (reduced(F.cross_entropy, label_smoothing=0.2, weight=WEIGHTS), [real(6, 4), part(6, 4)]),
    "cross_entropy_module": (nn.CrossEntropyLoss(), [real(6, 4), part(6, 4)]),
}
