"""Cases of PyTorch's operators that index, write to indices, order, search and take diagonals, for comparisons with PyTorch.

CASES: from a name to (function, list of input tensors). The functions return a tensor or a tuple of them.
"""

import torch
import torch.nn.functional as F

_GENERATOR = torch.Generator().manual_seed(7)


def real(*shape):
    return torch.randn(*shape, generator=_GENERATOR)


def whole(x, n):
    """Integers in [0, n) that depend on the input."""
    return (x.abs() * 7).long() % n


def ints(*values):
    return torch.tensor(values)


MASK = torch.tensor([[True, False, True], [False, False, True], [True, True, False], [False, True, False]])
ROWS = torch.tensor([True, False, True, True])
BYTES = torch.tensor([1, 0, 1, 0], dtype=torch.uint8)
PLACES = torch.tensor([[0, 1, 2], [2, 0, 0]])
NUMBERS = torch.tensor([3, 1, 2, 3, 1, 1])


def written(x, write):
    y = x.clone()
    write(y)
    return y


def _set(index, value):
    def write(y):
        y[index] = value
    return lambda x: written(x, write)


def _add(index, value):
    def write(y):
        y.index_put_(index, value, accumulate=True)
    return lambda x: written(x, write)


def _steps_written(x):
    y = x.clone()
    y[:, 1:5:2] = y[:, 0:2] * 2
    return y


aten = torch.ops.aten
X, V, C, L = real(4, 3), real(6), real(2, 3, 4), real(5, 7)

CASES = {
    # --- Order
    "topk": (lambda x: x.topk(3), [L]),
    "topk_smallest_axis": (lambda x: x.topk(2, 0, largest=False), [L]),
    "topk_unsorted_int": (lambda x: whole(x, 90).topk(1, -2)[0], [L]),
    "topk_scalar": (lambda x: x.sum().topk(1), [L]),
    "sort": (lambda x: x.sort(), [L]),
    "sort_descending_axis": (lambda x: x.sort(-2, True), [L]),
    "sort_stable": (lambda x: torch.sort(whole(x, 3), stable=True, dim=1, descending=True), [L]),
    "sort_bool": (lambda x: torch.sort(x > 0, stable=True, dim=0), [L]),
    "msort": (lambda x: x.msort(), [L]),
    "argsort": (lambda x: x.argsort(), [L]),
    "argsort_stable": (lambda x: torch.argsort(whole(x, 3), dim=0, stable=True), [L]),
    "kthvalue": (lambda x: x.kthvalue(3), [L]),
    "kthvalue_keepdim": (lambda x: x.kthvalue(2, 0, True), [L]),
    "median": (lambda x: x.median(), [X]),
    "median_axis": (lambda x: x.median(-1), [L]),
    "median_even": (lambda x: x.median(0, True), [X]),
    "nanmedian": (lambda x: torch.nanmedian(torch.where(x > 1, float("nan"), x)), [L]),
    "nanmedian_axis": (lambda x: torch.nanmedian(torch.where(x > 0.5, float("nan"), x), 0)[0], [L]),
    "cumprod": (lambda x: x.cumprod(1), [L]),
    "cumprod_int": (lambda x: whole(x, 4).cumprod(0), [L]),
    "cumprod_dtype": (lambda x: whole(x, 4).cumprod(-1, dtype=torch.float32), [L]),
    "cummax": (lambda x: x.cummax(1), [L]),
    "cummin_int": (lambda x: whole(x, 5).cummin(0), [L]),
    "cummax_one": (lambda x: x[:1].cummax(0), [L]),
    # --- Search
    "bucketize": (lambda x: torch.bucketize(x, torch.tensor([-1.0, 0.0, 0.5])), [L]),
    "bucketize_right": (lambda x: torch.bucketize(whole(x, 9), ints(1, 3, 3, 7), right=True), [L]),
    "bucketize_flowing": (lambda x, b: torch.bucketize(x, b.sort()[0]), [C, V]),
    "searchsorted": (lambda x: torch.searchsorted(ints(1, 3, 3, 7), whole(x, 9)), [L]),
    "searchsorted_rows": (lambda x, v: torch.searchsorted(x.sort(1)[0], v, side="right"), [L, real(5, 3)]),
    "searchsorted_sorter": (lambda x, v: torch.searchsorted(x, v, sorter=x.argsort(1)), [L, real(5, 2)]),
    "searchsorted_scalar": (lambda x: torch.searchsorted(x.sort()[0], 0.25), [V]),
    "isin": (lambda x: torch.isin(whole(x, 9), ints(1, 4, 6)), [L]),
    "isin_invert": (lambda x: torch.isin(whole(x, 9), ints(1, 4, 6), invert=True), [L]),
    "isin_scalar": (lambda x: torch.isin(whole(x, 9), 2), [L]),
    "one_hot": (lambda x: torch.nn.functional.one_hot(whole(x, 5), 5), [L]),
    "one_hot_constant": (lambda x: torch.nn.functional.one_hot(NUMBERS) * x[0, 0], [L]),
    # --- Indexing
    "gather": (lambda x: x.gather(0, PLACES), [X]),
    "gather_negative_axis": (lambda x: x.gather(-1, whole(x, 7)[:3, :2]), [L]),
    "take": (lambda x: x.take(PLACES), [L]),
    "take_computed": (lambda x: torch.take(x, whole(x, 35)), [L]),
    "take_along_dim": (lambda x: torch.take_along_dim(x, x.argsort(1), 1), [L]),
    "take_along_dim_broadcast": (lambda x: torch.take_along_dim(x, ints(2, 0).reshape(1, 2), 1), [L]),
    "take_along_dim_flat": (lambda x: torch.take_along_dim(x, PLACES), [L]),
    "index": (lambda x: x[:, ints(0, -1)], [L]),
    "index_mask": (lambda x: x[MASK], [X]),
    "index_mask_rows": (lambda x: x[ROWS], [X]),
    "index_mask_bytes": (lambda x: x[:, :, BYTES], [C]),
    "index_mask_beside_index": (lambda x: x[:, ROWS[:3], ints(0, 2)], [C]),
    "index_mask_part": (lambda x: x[..., MASK.t()], [C]),
    "index_select": (lambda x: x.index_select(1, ints(2, 0)), [X]),
    "index_select_scalar": (lambda x: x.index_select(0, torch.tensor(1)), [X]),
    "index_scalar_tensor": (lambda x: x[torch.tensor(2)], [X]),
    "combinations": (lambda x: torch.combinations(x), [V]),
    "combinations_three": (lambda x: torch.combinations(x, 3), [V]),
    "combinations_again": (lambda x: torch.combinations(x, 2, with_replacement=True), [V]),
    "embedding_bag": (lambda w, x: F.embedding_bag(whole(x, 5), w), [L, X]),
    "embedding_bag_sum": (lambda w, x: F.embedding_bag(whole(x, 5), w, mode="sum", per_sample_weights=x), [L, X]),
    "embedding_bag_max": (lambda w, x: F.embedding_bag(whole(x, 5), w, mode="max"), [L, X]),
    "embedding_bag_offsets": (lambda w, x: F.embedding_bag(whole(x, 5), w, ints(0, 2, 2, 5)), [L, V]),
    "embedding_bag_end": (lambda w, x: F.embedding_bag(whole(x, 5), w, ints(0, 1, 6), include_last_offset=True), [L, V]),
    "embedding_bag_padding": (lambda w, x: F.embedding_bag(whole(x, 5), w, padding_idx=2), [L, X]),
    "repeat_interleave": (lambda x: x.repeat_interleave(ints(1, 0, 2, 1), 0), [X]),
    "repeat_interleave_indices": (lambda x: x[torch.repeat_interleave(ints(1, 2, 0, 1))], [X]),
    # --- Values that are constant
    "nonzero": (lambda x: x[MASK.nonzero()[:, 0]], [X]),
    "nonzero_tuple": (lambda x: x[MASK.nonzero(as_tuple=True)], [X]),
    "argwhere": (lambda x: torch.argwhere(NUMBERS - 1) + x[0, 0].long(), [X]),
    "where_condition": (lambda x: x[torch.where(ROWS)], [X]),
    "nonzero_static": (lambda x: torch.nonzero_static(x > 0, size=5), [L]),
    "nonzero_static_filled": (lambda x: torch.nonzero_static(x > 0, size=15, fill_value=9), [X]),
    "nonzero_static_list": (lambda x: torch.nonzero_static(x > 9, size=2), [V]),
    "masked_select": (lambda x: x.masked_select(MASK), [X]),
    "masked_select_row": (lambda x: x.masked_select(ints(1, 0, 1).bool()), [X]),
    "unique": (lambda x: NUMBERS.unique() + x[0, 0], [X]),
    "unique_all": (lambda x: tuple(y + whole(x, 3)[0, 0] for y in
                                   PLACES.unique(return_inverse=True, return_counts=True)), [X]),
    "unique_dim": (lambda x: PLACES.unique(dim=1) + x[0, 0], [X]),
    "unique_consecutive": (lambda x: NUMBERS.unique_consecutive(return_counts=True)[1] + x[0, 0], [X]),
    # --- Writing to indices
    "scatter": (lambda x, y: x.scatter(0, PLACES, y), [X, real(2, 3)]),
    "scatter_larger_source": (lambda x, y: x.scatter(1, PLACES[:, :2], y), [X, real(4, 3)]),
    "scatter_value": (lambda x: x.scatter(-1, whole(x, 3)[:, :1], 2.5), [X]),
    "scatter_int_value": (lambda x: whole(x, 9).scatter(0, PLACES, 3), [X]),
    "scatter_reduce_add": (lambda x, y: x.scatter(0, PLACES, y, reduce="add"), [X, real(2, 3)]),
    "scatter_reduce_multiply": (lambda x: x.scatter(1, PLACES, 2.0, reduce="multiply"), [X]),
    "scatter_add": (lambda x, y: x.scatter_add(1, PLACES, y), [X, real(3, 3)]),
    **{f"scatter_reduce_{reduce}{'' if own else '_alone'}":
       (lambda x, y, reduce=reduce, own=own: x.scatter_reduce(0, PLACES, y, reduce, include_self=own), [X, real(2, 3)])
       for reduce in ("sum", "prod", "mean", "amax", "amin") for own in (True, False)},
    "scatter_reduce_int_mean": (lambda x: whole(x, 40).scatter_reduce(
        1, PLACES.repeat(2, 1), whole(x, 30), "mean", include_self=False), [X]),
    "index_put": (_set((ints(0, 2), ints(1, -1)), 3.0), [X]),
    "index_put_rows": (lambda x, y: written(x, lambda z: z.__setitem__(ints(3, 1), y)), [X, real(2, 3)]),
    "index_put_none": (lambda x, y: aten.index_put(x, [None, ints(2, 0)], y), [X, real(4, 2)]),
    "index_put_apart": (lambda x, y: aten.index_put(x, [ints(0, 1), None, ints(3, 0)], y), [C, real(2, 3)]),
    "index_put_together": (lambda x, y: aten.index_put(x, [None, ints(0, 1), ints(3, 0)], y), [C, real(2, 2)]),
    "index_put_accumulate": (_add((ints(1, 1, 0),), torch.ones(3)), [X]),
    "index_put_broadcast": (_add((ints(0, 1).reshape(2, 1), ints(0, 2)), torch.tensor(0.5)), [X]),
    "index_put_constant_mask": (lambda x, y: x.index_put((MASK,), y), [X, real(6)]),
    "index_put_mask": (lambda x: x.index_put((x < 0,), torch.tensor(0.25)), [X]),
    "index_put_mask_rows": (lambda x, y: x.index_put((x[:, 0] < 0,), y), [X, real(3)]),
    "index_put_mask_one_row": (lambda x, y: x.index_put((x[:, 0] < 0,), y), [X, real(1, 3)]),
    "index_put_mask_columns": (lambda x, y: aten.index_put(x, [None, x[0] < 0], y), [C, real(1)]),
    "index_put_mask_accumulate": (_add((MASK,), torch.tensor(1.5)), [X]),
    "set_mask": (lambda x: written(x, lambda y: y.__setitem__(y > 0.5, -1.0)), [X]),
    "index_add": (lambda x, y: x.index_add(0, ints(1, 1, 0), y), [X, real(3, 3)]),
    "index_add_alpha": (lambda x, y: x.index_add(-1, ints(2, 0), y, alpha=3), [X, real(4, 2)]),
    "index_copy": (lambda x, y: x.index_copy(1, ints(2, 0), y), [X, real(4, 2)]),
    "index_fill": (lambda x: x.index_fill(1, ints(2, 0), 0.5), [X]),
    "index_fill_tensor": (lambda x: x.index_fill(0, torch.tensor(1), x[0, 0]), [X]),
    "index_reduce": (lambda x, y: x.index_reduce(0, ints(1, 1, 0), y, "prod"), [X, real(3, 3)]),
    "index_reduce_mean": (lambda x, y: x.index_reduce(1, ints(1, 1, 0), y, "mean", include_self=False), [X, real(4, 3)]),
    "put": (lambda x, y: x.put(ints(1, 4), y, accumulate=True), [X, real(2)]),
    "masked_scatter": (lambda x, y: x.masked_scatter(x > 0, y), [X, real(12)]),
    "masked_scatter_row": (lambda x, y: x.masked_scatter(ints(0, 1, 1).bool(), y), [X, real(3, 4)]),
    "slice_scatter": (lambda x, y: x.slice_scatter(y, 0, 1, 3), [X, real(2, 3)]),
    "slice_scatter_step": (lambda x, y: x.slice_scatter(y, 1, step=2), [X, real(4, 2)]),
    "slice_scatter_end": (lambda x, y: x.slice_scatter(y, -1, -2), [X, real(4, 2)]),
    "select_scatter": (lambda x, y: x.select_scatter(y, 1, -1), [X, real(4)]),
    "assign_slice": (lambda x: written(x, lambda y: y[1:3].fill_(2.0)), [X]),
    "assign_step": (_steps_written, [L]),
    "assign_column": (lambda x: written(x, lambda y: y[:, 1].mul_(2.0)), [X]),
    # --- Diagonals
    "tril": (lambda x: x.tril(), [C]),
    "tril_offset": (lambda x: x.tril(-1), [X]),
    "triu": (lambda x: torch.triu(x, 1), [C]),
    "triu_int": (lambda x: whole(x, 9).triu(-1), [X]),
    "tril_bool": (lambda x: torch.tril(x > -1), [X]),
    "eye": (lambda x: x @ torch.eye(3), [X]),
    "eye_columns": (lambda x: x + torch.eye(4, 3), [X]),
    "eye_int": (lambda x: whole(x, 4) * torch.eye(4, 3, dtype=torch.long), [X]),
    "diagonal": (lambda x: x.diagonal(), [X]),
    "diagonal_axes": (lambda x: x.diagonal(-1, 2, 0), [C]),
    "diagonal_offset": (lambda x: torch.diagonal(x, 1, -2, -1), [C]),
    "linalg_diagonal": (lambda x: torch.linalg.diagonal(x, offset=-1), [C]),
    "diag_embed": (lambda x: x.diag_embed(), [X]),
    "diag_embed_axes": (lambda x: x.diag_embed(1, 0, 2), [X]),
    "diag_embed_below": (lambda x: torch.diag_embed(x, -2), [X]),
    "diag_of_list": (lambda x: torch.diag(x, -1), [V]),
    "diag_of_matrix": (lambda x: torch.diag(x, 1), [X]),
    "diagflat": (lambda x: torch.diagflat(x, 1), [X]),
    "diagonal_scatter": (lambda x, y: x.diagonal_scatter(y, -1), [X, real(3)]),
    "diagonal_scatter_axes": (lambda x, y: x.diagonal_scatter(y, 0, 2, 0), [C, real(3, 2)]),
    "fill_diagonal": (lambda x: written(x, lambda y: y.fill_diagonal_(3.0)), [X]),
    "fill_diagonal_wrap": (lambda x: written(x, lambda y: y.fill_diagonal_(3.0, wrap=True)), [real(7, 2)]),
    "tril_indices": (lambda x: x[tuple(torch.tril_indices(4, 3))], [X]),
    "triu_indices": (lambda x: torch.triu_indices(3, 4, 1) + whole(x, 3)[0, 0], [X]),
    # --- Strides and copies
    "as_strided": (lambda x: x.as_strided((2, 3), (1, 2)), [X]),
    "as_strided_windows": (lambda x: (x * 2).as_strided((4, 3), (1, 1)), [V]),
    "as_strided_run": (lambda x: x.as_strided((2, 2), (2, 1), 3), [X]),
    "as_strided_scatter": (lambda x, y: torch.as_strided_scatter(x, y, (2, 2), (1, 2), 1), [X, real(2, 2)]),
    "narrow_copy": (lambda x: torch.narrow_copy(x, 1, 1, 2), [X]),
    "select_copy": (lambda x: torch.select_copy(x, 0, -1), [X]),
    "slice_copy": (lambda x: torch.slice_copy(x, 1, 0, 3, 2), [X]),
    "squeeze_copy": (lambda x: torch.squeeze_copy(torch.unsqueeze_copy(x, 1), 1), [X]),
    "permute_copy": (lambda x: torch.permute_copy(x, (2, 0, 1)), [C]),
    "transpose_copy": (lambda x: torch.t_copy(torch.transpose_copy(x, 0, 1)), [X]),
    "expand_copy": (lambda x: torch.expand_copy(x, (2, 4, 3)), [X]),
    "view_copy": (lambda x: torch.view_copy(x, (3, 4)), [X]),
    "split_copy": (lambda x: tuple(torch.split_copy(x, 3)) + tuple(torch.split_with_sizes_copy(x, [1, 3])), [X]),
    "unbind_copy": (lambda x: tuple(torch.unbind_copy(x, 1)), [X]),
    "diagonal_copy": (lambda x: torch.diagonal_copy(x, 1), [X]),
    "as_strided_copy": (lambda x: torch.as_strided_copy(x, (3, 2), (1, 3)), [X]),
    "alias_copy": (lambda x: torch.alias_copy(torch.detach_copy(x)) + 1, [X]),
    "unsafe_split": (lambda x: tuple(torch.unsafe_split(x, 2)) + tuple(torch.unsafe_split_with_sizes(x, [1, 3])), [X]),
    "median_nan": (lambda x: torch.median(torch.where(x > 1, float("nan"), x), 1), [real(5, 7)]),
    "median_nan_keep": (lambda x: torch.median(torch.where(x > 1, float("nan"), x), 0, keepdim=True), [real(6, 5)]),
    "median_nan_all": (lambda x: torch.median(torch.where(x > 1, float("nan"), x)), [real(5, 7)]),
    "nanmedian_nan": (lambda x: torch.nanmedian(torch.where(x > 1, float("nan"), x), 1), [real(5, 7)]),
    "searchsorted_nan": (lambda b, x: torch.searchsorted(b, torch.where(x > 0, float("nan"), x)), [real(6).sort()[0], real(9)]),
    "bucketize_nan": (lambda x, b: torch.bucketize(torch.where(x > 0, float("nan"), x), b, right=True), [real(9), real(6).sort()[0]]),
    "argmax_keep_all": (lambda x: torch.argmax(x, keepdim=True), [real(3, 4, 2)]),
    "argmin_keep_all": (lambda x: torch.argmin(x, dim=None, keepdim=True), [real(3, 4)]),
}
