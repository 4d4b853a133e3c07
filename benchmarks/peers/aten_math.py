"""Cases of PyTorch's mathematical operators: a name, a function or module, and its inputs."""

import torch
import torch.nn.functional as F
from torch import nn

_GENERATOR = torch.Generator().manual_seed(1)


def real(*shape):
    return torch.randn(*shape, generator=_GENERATOR)


def positive(*shape):
    return torch.rand(*shape, generator=_GENERATOR) + 0.1


def whole(*shape):
    """Integers of -8 to 8, as float32."""
    return torch.randint(-8, 9, shape, generator=_GENERATOR).float()


def spoiled(*shape):
    """With NaN and infinities."""
    x = real(*shape).flatten()
    x[0], x[1], x[2] = float("nan"), float("inf"), -float("inf")
    return x.reshape(shape)


class WithWeights(nn.Module):
    """A function of the inputs and constants."""

    def __init__(self, function, *constants):
        super().__init__()
        self.function = function
        for i, constant in enumerate(constants):
            self.register_buffer(f"c{i}", constant)

    def forward(self, *inputs):
        return self.function(*inputs, *self.buffers())


class BatchStatistics(nn.Module):
    def __init__(self, layer):
        super().__init__()
        self.layer = layer

    def forward(self, x):
        return self.layer(x)


class SpectralNorm(nn.Module):
    """What torch.nn.utils.spectral_norm leaves in eval mode."""

    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(real(4, 3))
        self.register_buffer("u", F.normalize(real(4), dim=0))
        self.register_buffer("v", F.normalize(real(3), dim=0))

    def forward(self, x):
        sigma = torch.dot(self.u, torch.mv(self.w, self.v))
        return F.linear(x, self.w / sigma)


def weight_norm(layer):
    return nn.utils.parametrizations.weight_norm(layer)


def old_weight_norm(layer, dim=0):
    return nn.utils.weight_norm(layer, dim=dim)


def ints(x):
    return x.to(torch.int64)


INF = float("inf")
NAN = float("nan")


def pairs(values):
    """All pairs of these numbers, as two lists."""
    a, b = torch.meshgrid(torch.tensor(values), torch.tensor(values), indexing="ij")
    return [a.flatten(), b.flatten()]


SPECIAL = [0.0, -0.0, 1.0, -2.5, INF, -INF, NAN]

CASES = {
    # --- Two operands
    "lerp_scalar": (lambda a, b: torch.lerp(a, b, 0.3), [real(3, 4), real(3, 4)]),
    "lerp_tensor": (torch.lerp, [real(3, 4), real(3, 4), real(4)]),
    "lerp_exact": (lambda a, b: torch.lerp(a, b, 1.0), [1e8 * real(3, 4), real(3, 4)]),
    "lerp_weights": (torch.lerp, [1e6 * real(20), real(20), torch.linspace(-1, 2, 20)]),
    "atan2": (torch.atan2, [real(6, 7), real(6, 7)]),
    "atan2_zeros": (torch.arctan2, [whole(8, 8).clamp(-1, 1), whole(8, 8).clamp(-1, 1)]),
    "atan2_special": (torch.atan2, pairs(SPECIAL)),
    "fmod": (torch.fmod, [3 * real(6, 7), real(6, 7)]),
    "fmod_scalar": (lambda x: torch.fmod(x, -1.5), [3 * real(6, 7)]),
    "fmod_ints": (lambda x: torch.fmod(ints(x), 3), [whole(30)]),
    "hypot": (torch.hypot, [real(3, 4), real(4)]),
    "hypot_large": (torch.hypot, [1e30 * real(20), 1e30 * real(20)]),
    "hypot_small": (torch.hypot, [1e-30 * real(20), 1e-30 * real(20)]),
    "hypot_special": (torch.hypot, pairs(SPECIAL)),
    "logaddexp": (torch.logaddexp, [5 * real(3, 4), 5 * real(3, 4)]),
    "logaddexp2": (torch.logaddexp2, [5 * real(3, 4), 5 * real(3, 4)]),
    "xlogy": (torch.xlogy, [whole(20).clamp(-2, 2), positive(20)]),
    "xlogy_scalar": (lambda x: torch.xlogy(2.0, x), [positive(20)]),
    "xlogy_other": (lambda x: torch.special.xlogy(x, 3), [positive(20)]),
    "xlog1py": (torch.special.xlog1py, [whole(20).clamp(-2, 2), positive(20)]),
    "xlogy_special": (torch.xlogy, pairs(SPECIAL)),
    "xlog1py_special": (torch.special.xlog1py, pairs(SPECIAL)),
    "heaviside": (torch.heaviside, [whole(20).clamp(-1, 1), real(20)]),
    "copysign": (torch.copysign, [real(20), real(20)]),
    "copysign_scalar": (lambda x: torch.copysign(x, -0.0), [real(20)]),
    "ldexp": (torch.ldexp, [real(20), whole(20)]),
    "fmax": (torch.fmax, [spoiled(20), real(20)]),
    "fmin": (torch.fmin, [real(20), spoiled(20)]),
    "isclose": (lambda x: torch.isclose(x, x + 1e-6 * x * x), [5 * real(20)]),
    "isclose_nan": (lambda a, b: torch.isclose(a, b, equal_nan=True), pairs(SPECIAL)),
    "frexp": (torch.frexp, [100 * real(30)]),
    "frexp_powers": (torch.frexp, [torch.cat([2.0 ** torch.arange(-120, 128, 7), -3 * 2.0 ** torch.arange(-100, 120, 9), torch.tensor(SPECIAL)])]),
    "isclose_special": (torch.isclose, pairs(SPECIAL)),
    "float_power": (lambda x: torch.float_power(x, 3), [real(5, 4)]),
    "pow_tensors": (torch.pow, [positive(5, 4), real(5, 4)]),
    "pow_ints": (lambda x: torch.pow(ints(x), 3), [whole(30)]),
    "pow_int_zero": (lambda x: torch.pow(ints(x), 0), [whole(30)]),
    "pow_int_tensor": (lambda x: torch.pow(2, ints(x).abs()), [whole(30)]),
    "pow_int_both": (lambda a, b: torch.pow(ints(a), ints(b).abs()), [whole(30), whole(30)]),
    "pow_int_negative": (lambda a, b: torch.pow(ints(a), ints(b)), [whole(60).clamp(-2, 2), whole(60)]),
    "pow_int_far": (lambda a, b: torch.pow(ints(a), ints(b)), [torch.tensor([-1.0, -1, 0, 1, 2, -4]), torch.tensor([100.0, 101, 70, 99, 64, 80])]),
    "pow_base": (lambda x: torch.pow(2.5, x), [real(30)]),
    "true_divide_ints": (lambda x: torch.true_divide(ints(x), 3), [whole(30)]),
    "div_floor": (lambda x: torch.div(x, 0.7, rounding_mode="floor"), [real(30)]),
    "div_trunc": (lambda x: torch.div(x, 0.7, rounding_mode="trunc"), [real(30)]),
    "div_trunc_ints": (lambda x: torch.div(ints(x), 3, rounding_mode="trunc"), [whole(30)]),
    "div_floor_ints": (lambda x: torch.div(ints(x), 3, rounding_mode="floor"), [whole(30)]),
    "floor_divide": (torch.floor_divide, [5 * real(30), positive(30)]),
    "remainder": (torch.remainder, [5 * real(30), real(30)]),
    "rsub": (lambda x: torch.rsub(x, 2, alpha=3), [real(5)]),
    "rsub_tensor": (lambda a, b: torch.rsub(a, b, alpha=0.5), [real(5), real(5)]),
    "addcmul": (lambda a, b, c: torch.addcmul(a, b, c, value=0.5), [real(3, 4), real(4), real(3, 1)]),
    "addcmul_ints": (lambda a, b: torch.addcmul(a, ints(b), ints(b), value=2), [real(4), whole(4)]),
    "addcdiv": (lambda a, b, c: torch.addcdiv(a, b, c, value=-2), [real(3, 4), real(4), positive(3, 1)]),
    "square_ints": (lambda x: torch.square(ints(x)), [whole(9)]),
    "clamp_tensors": (lambda x, a: torch.clamp(x, a, a + 1), [real(3, 4), real(4)]),
    "clamp_min_tensor": (torch.clamp_min, [real(3, 4), real(4)]),
    "maximum_mixed": (lambda x: torch.maximum(x, ints(x)), [3 * real(20)]),
    "max_other_mixed": (lambda x: torch.max(x, ints(x)), [3 * real(20)]),
    # --- Types
    "int_times_float": (lambda x: ints(x) * 0.5, [whole(9)]),
    "int_plus_bool": (lambda x: ints(x) + (x > 0), [whole(9)]),
    "bool_times_float": (lambda x: (x > 0) * 1.5, [real(9)]),
    "bool_sum": (lambda x: (x > 0).sum(), [real(9)]),
    "bool_mean": (lambda x: (x > 0).float().mean(), [real(9)]),
    "int_mean": (lambda x: ints(x).mean(dtype=torch.float32), [whole(9)]),
    "int_sum": (lambda x: ints(x).sum(1), [whole(3, 4)]),
    "bool_or": (lambda x: (x > 0) | (x < -1), [real(20)]),
    "bool_xor": (lambda x: (x > 0) ^ (x < 1), [real(20)]),
    "eq_mixed": (lambda x: torch.eq(x, ints(x)), [whole(9) / 2]),
    "ne_mixed": (lambda x: torch.not_equal(ints(x), 1.5), [whole(9)]),
    "greater": (torch.greater, [real(9), real(9)]),
    "greater_equal": (lambda x: torch.greater_equal(x, 1), [whole(9)]),
    "less": (lambda x: torch.less(x, 1), [whole(9)]),
    "less_equal": (torch.less_equal, [whole(9), whole(9)]),
    "logical_and": (torch.logical_and, [whole(20).clamp(-1, 1), whole(20).clamp(-1, 1)]),
    "logical_xor": (torch.logical_xor, [whole(20).clamp(-1, 1), whole(20).clamp(-1, 1)]),
    "logical_not": (torch.logical_not, [whole(20).clamp(-1, 1)]),
    # --- Bits
    "bitwise_and": (lambda x: ints(x) & 6, [whole(30)]),
    "bitwise_and_negative": (lambda x: torch.bitwise_and(ints(x), -4), [whole(30)]),
    "bitwise_and_wide": (lambda x: torch.bitwise_and(ints(x), 0x7FFFFFFFFFFFFFFF) % 1000, [whole(30)]),
    "bitwise_or": (lambda x: ints(x) | 5, [whole(30)]),
    "bitwise_xor": (lambda x: ints(x) ^ 11, [whole(30)]),
    "bitwise_not": (lambda x: ~ints(x), [whole(30)]),
    "left_shift": (lambda x: ints(x) << 3, [whole(30)]),
    "right_shift": (lambda x: torch.bitwise_right_shift(ints(x), 1), [whole(30)]),
    "right_shift_tensor": (lambda x, n: torch.bitwise_right_shift(ints(x), ints(n).abs()), [8 * whole(30), whole(30)]),
    "left_shift_far": (lambda n: torch.bitwise_left_shift(torch.ones_like(ints(n)), ints(n)), [torch.tensor([0.0, 1, 62, 63, 64, 100, -1, -64])]),
    "right_shift_far": (
        lambda x, n: torch.bitwise_right_shift(ints(x) << 59, ints(n)),
        [torch.tensor([-7.0, 7, -3, 3, -1, 1, 2, -2]), torch.tensor([0.0, 1, 62, 63, 64, 100, -1, -64])]),
    "left_shift_64": (lambda x: ints(x) << 64, [whole(9)]),
    "right_shift_63": (lambda x: ints(x) >> 63, [whole(9)]),
    "bitwise_or_byte": (lambda x: (ints(x).abs().to(torch.uint8) | 300).int(), [whole(9)]),
    "bitwise_xor_byte": (lambda x: (ints(x).abs().to(torch.uint8) ^ -1).int(), [whole(9)]),
    "bitwise_constants": (WithWeights(lambda x, a, b: x + (a & b), torch.arange(9), torch.arange(9) + 3), [real(9)]),
    # --- One operand
    "isnan": (torch.isnan, [spoiled(9)]),
    "isinf": (torch.isinf, [spoiled(9)]),
    "isfinite": (torch.isfinite, [spoiled(9)]),
    "isposinf": (torch.isposinf, [spoiled(9)]),
    "isneginf": (torch.isneginf, [spoiled(9)]),
    "signbit": (torch.signbit, [torch.cat([real(6), torch.tensor([0.0, -0.0])])]),
    "nan_to_num": (torch.nan_to_num, [spoiled(9)]),
    "nan_to_num_given": (lambda x: torch.nan_to_num(x, 1.0, 2.0, -3.0), [spoiled(9)]),
    "trunc": (torch.trunc, [3 * real(20)]),
    "fix": (torch.fix, [3 * real(20)]),
    "frac": (torch.frac, [3 * real(20)]),
    "round_decimals": (lambda x: torch.round(x, decimals=2), [real(20)]),
    "round_tens": (lambda x: torch.round(x, decimals=-1), [30 * real(20)]),
    "exp2": (torch.exp2, [3 * real(20)]),
    "special_exp2": (torch.special.exp2, [3 * real(20)]),
    "special_expit": (torch.special.expit, [real(20)]),
    "special_erf": (torch.special.erf, [real(20)]),
    "erfc": (torch.erfc, [real(20)]),
    "special_erfc": (torch.special.erfc, [real(20)]),
    "special_log1p": (torch.special.log1p, [positive(20)]),
    "special_expm1": (torch.special.expm1, [real(20)]),
    "special_ndtr": (torch.special.ndtr, [real(20)]),
    "special_entr": (torch.special.entr, [whole(20) / 8]),
    "special_sinc": (torch.special.sinc, [real(20)]),
    "sinc": (torch.sinc, [whole(20) / 4]),
    "logit": (torch.logit, [positive(20) / 1.2]),
    "logit_eps": (lambda x: torch.logit(x, 0.2), [positive(20)]),
    "special_logit": (lambda x: torch.special.logit(x, eps=1e-3), [positive(20)]),
    "softmax_scalar": (lambda x: torch.softmax(x.sum(), 0), [real(3)]),
    "special_softmax": (lambda x: torch.special.softmax(x, 1), [real(3, 4)]),
    "special_log_softmax": (lambda x: torch.special.log_softmax(x, -1), [real(3, 4)]),
    "special_logsumexp": (lambda x: torch.special.logsumexp(x, (0, 1)), [real(3, 4)]),
    "special_round": (torch.special.round, [3 * real(20)]),
    "deg2rad": (torch.deg2rad, [90 * real(20)]),
    "rad2deg": (torch.rad2deg, [real(20)]),
    "positive": (torch.positive, [real(20)]),
    "arcsinh": (torch.arcsinh, [real(20)]),
    "arccosh": (torch.arccosh, [1 + positive(20)]),
    "arctanh": (torch.arctanh, [positive(20) / 1.2]),
    # --- Activations
    "softmin": (nn.Softmin(dim=1), [real(3, 4)]),
    "softsign": (nn.Softsign(), [real(20)]),
    "softshrink": (nn.Softshrink(0.4), [real(20)]),
    "hardshrink": (nn.Hardshrink(0.6), [real(20)]),
    "hardshrink_special": (nn.Hardshrink(0.6), [spoiled(20)]),
    "tanhshrink": (nn.Tanhshrink(), [real(20)]),
    "logsigmoid": (nn.LogSigmoid(), [5 * real(20)]),
    "rrelu": (nn.RReLU().eval(), [real(20)]),
    "celu": (nn.CELU(0.7), [real(20)]),
    "selu": (nn.SELU(), [real(20)]),
    "elu": (nn.ELU(0.7), [real(20)]),
    "softplus_beta": (nn.Softplus(beta=2, threshold=3), [3 * real(20)]),
    "softplus_small": (nn.Softplus(threshold=0.5), [3 * real(20)]),
    "threshold": (nn.Threshold(0.1, -2), [real(20)]),
    "prelu": (nn.PReLU(3), [real(2, 3, 4, 4)]),
    # --- Norms and distances
    "vector_norm_0": (lambda x: torch.linalg.vector_norm(x, 0, dim=1), [whole(4, 5).clamp(-1, 1)]),
    "vector_norm_inf": (lambda x: torch.linalg.vector_norm(x, INF, dim=-1, keepdim=True), [real(4, 5)]),
    "vector_norm_neg_inf": (lambda x: torch.linalg.vector_norm(x, -INF, dim=0), [real(4, 5)]),
    "vector_norm_3": (lambda x: torch.linalg.vector_norm(x, 3), [real(4, 5)]),
    "vector_norm_half": (lambda x: torch.linalg.vector_norm(x, 0.5, dim=(0, 2)), [real(4, 5, 3)]),
    "norm": (lambda x: torch.norm(x), [real(4, 5)]),
    "norm_p": (lambda x: x.norm(p=3, dim=1, keepdim=True), [real(4, 5)]),
    "norm_fro": (lambda x: torch.norm(x, "fro", dim=(0, 1)), [real(4, 5, 3)]),
    "linalg_norm": (torch.linalg.norm, [real(4, 5)]),
    "linalg_norm_vector": (lambda x: torch.linalg.norm(x, 1, dim=1), [real(4, 5)]),
    "linalg_norm_inf": (lambda x: torch.linalg.norm(x, INF), [real(4, 5)]),
    "linalg_norm_fro": (lambda x: torch.linalg.norm(x, "fro", dim=(1, 2), keepdim=True), [real(2, 4, 5)]),
    "matrix_norm": (torch.linalg.matrix_norm, [real(2, 4, 5)]),
    "matrix_norm_1": (lambda x: torch.linalg.matrix_norm(x, 1, dim=(0, 2)), [real(2, 4, 5)]),
    "matrix_norm_neg_inf": (lambda x: torch.linalg.matrix_norm(x, -INF, keepdim=True), [real(2, 4, 5)]),
    "renorm": (lambda x: torch.renorm(x, 2, 0, 1.5), [real(4, 3, 2)]),
    "dist": (lambda a, b: torch.dist(a, b, 3), [real(4, 3), real(3)]),
    "cosine_similarity": (F.cosine_similarity, [real(4, 5), real(4, 5)]),
    "cosine_similarity_broadcast": (lambda a, b: F.cosine_similarity(a, b, dim=-1), [real(4, 1, 5), real(3, 5)]),
    "cosine_similarity_module": (nn.CosineSimilarity(dim=2, eps=1e-6), [real(2, 4, 5), real(2, 4, 1)]),
    "pairwise_distance": (F.pairwise_distance, [real(4, 5), real(4, 5)]),
    "pairwise_distance_1": (nn.PairwiseDistance(p=1, keepdim=True), [real(4, 5), real(5)]),
    "cdist": (torch.cdist, [real(2, 4, 5), real(2, 3, 5)]),
    "cdist_1": (lambda a, b: torch.cdist(a, b, p=1), [real(4, 5), real(3, 5)]),
    "cdist_many": (torch.cdist, [real(30, 5), real(40, 5)]),
    "cdist_exact": (lambda a, b: torch.cdist(a, b, compute_mode="donot_use_mm_for_euclid_dist"), [real(30, 5), real(40, 5)]),
    "pdist": (torch.pdist, [real(5, 3)]),
    "normalize": (lambda x: F.normalize(x, p=3, dim=1), [real(4, 5)]),
    # --- Products
    "outer": (torch.outer, [real(3), real(4)]),
    "ger": (torch.ger, [real(3), real(4)]),
    "inner": (torch.inner, [real(2, 3, 4), real(5, 4)]),
    "inner_vectors": (torch.inner, [real(4), real(4)]),
    "vdot": (torch.vdot, [real(4), real(4)]),
    "vecdot": (lambda a, b: torch.linalg.vecdot(a, b, dim=0), [real(4, 3), real(4, 3)]),
    "tensordot": (lambda a, b: torch.tensordot(a, b, dims=([1, 2], [2, 0])), [real(2, 3, 4), real(4, 5, 3)]),
    "tensordot_count": (lambda a, b: torch.tensordot(a, b, dims=2), [real(2, 3, 4), real(3, 4, 5)]),
    "kron": (torch.kron, [real(2, 3), real(4)]),
    "chain_matmul": (lambda a, b, c: torch.chain_matmul(a, b, c), [real(2, 3), real(3, 4), real(4, 5)]),
    "multi_dot": (lambda a, b, c: torch.linalg.multi_dot([a, b, c]), [real(3), real(3, 4), real(4)]),
    "matrix_power": (lambda x: torch.matrix_power(x, 5), [real(3, 3)]),
    "addmv": (lambda x, m, v: torch.addmv(x, m, v, beta=0.5, alpha=2), [real(3), real(3, 4), real(4)]),
    "addr": (lambda x, a, b: torch.addr(x, a, b, beta=2, alpha=0.5), [real(3, 4), real(3), real(4)]),
    "addbmm": (lambda x, a, b: torch.addbmm(x, a, b, beta=0.5, alpha=2), [real(3, 5), real(2, 3, 4), real(2, 4, 5)]),
    "baddbmm": (lambda x, a, b: torch.baddbmm(x, a, b, beta=0.5, alpha=2), [real(2, 3, 5), real(2, 3, 4), real(2, 4, 5)]),
    "cross": (lambda a, b: torch.cross(a, b, dim=1), [real(4, 3), real(4, 3)]),
    "linalg_cross": (torch.linalg.cross, [real(4, 3), real(1, 3)]),
    "bilinear": (nn.Bilinear(3, 4, 5), [real(6, 3), real(6, 4)]),
    "bilinear_more": (nn.Bilinear(3, 4, 2, bias=False), [real(2, 6, 3), real(2, 6, 4)]),
    "vander": (torch.vander, [real(4)]),
    "vander_ints": (lambda x: torch.vander(ints(x), 3, increasing=True), [whole(4)]),
    "linalg_vander": (lambda x: torch.linalg.vander(x, N=3), [real(2, 4)]),
    "trapezoid": (torch.trapezoid, [real(3, 5)]),
    "trapezoid_dx": (lambda y: torch.trapezoid(y, dx=0.5, dim=0), [real(3, 5)]),
    "trapezoid_x": (lambda y, x: torch.trapezoid(y, x), [real(3, 5), real(5)]),
    "diff": (torch.diff, [real(3, 5)]),
    "diff_twice": (lambda x: torch.diff(x, n=2, dim=0), [real(4, 5)]),
    "diff_extended": (lambda x, a: torch.diff(x, prepend=a, append=x[:, :2]), [real(3, 5), real(3, 1)]),
    "diff_bool": (lambda x: torch.diff(x > 0), [real(3, 9)]),
    "diff_ints": (lambda x: torch.diff(ints(x)), [whole(9)]),
    "gradient": (torch.gradient, [real(9)]),
    "gradient_all": (lambda x: torch.gradient(x, spacing=0.5), [real(5, 6)]),
    "gradient_edges": (lambda x: torch.gradient(x, spacing=(2.0, 0.5), dim=(0, 1), edge_order=2), [real(5, 3)]),
    "gradient_places": (lambda x: torch.gradient(x, spacing=(torch.tensor([0.0, 1, 3, 4, 8]),), dim=1), [real(3, 5)]),
    "gradient_two": (lambda x: torch.gradient(x, dim=-1), [real(3, 2)]),
    "trapz": (lambda y, x: torch.trapz(y, x, dim=0), [real(3, 5), real(3, 5)]),
    "cumulative_trapezoid": (lambda y: torch.cumulative_trapezoid(y, dx=2), [real(3, 5)]),
    # --- Statistics
    "quantile": (lambda x: torch.quantile(x, 0.3), [real(4, 5)]),
    "quantile_dim": (lambda x: torch.quantile(x, torch.tensor([0.0, 0.25, 0.9, 1.0]), dim=1), [real(4, 5, 3)]),
    "quantile_keep": (lambda x: torch.quantile(x, torch.tensor([0.1]), dim=0, keepdim=True), [real(4, 5)]),
    "quantile_all_keep": (lambda x: torch.quantile(x, 0.5, keepdim=True), [real(4, 5)]),
    "quantile_kinds": (
        lambda x: tuple(torch.quantile(x, 0.4, dim=1, interpolation=each) for each in ("lower", "higher", "midpoint", "nearest")), [real(4, 5)]),
    "quantile_nan": (lambda x: torch.quantile(x, 0.4, dim=1), [spoiled(3, 4)]),
    "nanquantile": (lambda x: torch.nanquantile(torch.where(x > 1, NAN, x), torch.tensor([0.2, 0.7]), dim=1), [real(6, 5)]),
    "nanquantile_none": (lambda x: torch.nanquantile(torch.where(x > -9, NAN, x), 0.5), [real(4)]),
    "histc": (lambda x: torch.histc(x, bins=7, min=-1, max=2), [real(60)]),
    "histc_range": (lambda x: torch.histc(x, bins=6), [real(4, 9)]),
    "histc_equal": (lambda x: torch.histc(x * 0 + 3, bins=5), [real(9)]),
    "bincount": (lambda x: torch.bincount(torch.tensor([1, 3, 1, 0]), weights=x, minlength=6), [real(4)]),
    "bincount_counts": (lambda x: x * torch.bincount(torch.tensor([1, 3, 1, 0])), [real(4)]),
    "cov": (torch.cov, [real(3, 7)]),
    "cov_one": (lambda x: torch.cov(x, correction=0), [real(7)]),
    "cov_weights": (lambda x, w: torch.cov(x, fweights=torch.tensor([1, 2, 1, 3]), aweights=w), [real(3, 4), positive(4)]),
    "corrcoef": (torch.corrcoef, [real(3, 7)]),
    # --- Inverses
    "inverse_2": (torch.inverse, [real(2, 2) + 2 * torch.eye(2)]),
    "inverse_3": (torch.linalg.inv, [real(5, 3, 3) + 3 * torch.eye(3)]),
    "inverse_4": (torch.inverse, [real(2, 3, 4, 4) + 4 * torch.eye(4)]),
    "inverse_camera": (torch.inverse, [torch.tensor([[1266.4, 0, 816.3], [0, 1266.4, 491.5], [0, 0, 1]]).reshape(1, 3, 3)]),
    "inverse_constant": (WithWeights(lambda x, a: x @ torch.inverse(a), real(7, 7) + 4 * torch.eye(7)), [real(2, 7)]),
    "det_3": (torch.det, [real(5, 3, 3)]),
    "det_4": (torch.linalg.det, [real(4, 4)]),
    "det_constant": (WithWeights(lambda x, a: x * torch.det(a), real(6, 6)), [real(2)]),
    "solve": (torch.linalg.solve, [real(2, 3, 3) + 3 * torch.eye(3), real(2, 3, 4)]),
    "solve_vector": (torch.linalg.solve, [real(3, 3) + 3 * torch.eye(3), real(3)]),
    "solve_left": (lambda a, b: torch.linalg.solve(a, b, left=False), [real(3, 3) + 3 * torch.eye(3), real(2, 3)]),
    "solve_constant": (WithWeights(lambda x, a: torch.linalg.solve(a, x), real(9, 9) + 5 * torch.eye(9)), [real(9, 2)]),
    # --- Reductions
    "sum_to_size": (lambda x: x.sum_to_size(4, 1), [real(2, 4, 5)]),
    "trace": (torch.trace, [real(4, 5)]),
    "trace_ints": (lambda x: torch.trace(ints(x)), [whole(3, 3)]),
    "var_mean": (lambda x: torch.var_mean(x, dim=1), [real(4, 5)]),
    "var_mean_all": (torch.var_mean, [real(4, 5)]),
    "std_mean": (lambda x: torch.std_mean(x, dim=(0, 2), unbiased=False, keepdim=True), [real(4, 5, 3)]),
    "std_correction": (lambda x: torch.std(x, dim=1, correction=2), [real(4, 5)]),
    "var_correction": (lambda x: torch.var(x, dim=None, correction=0, keepdim=True), [real(4, 5)]),
    "aminmax": (lambda x: torch.aminmax(x, dim=1, keepdim=True), [real(4, 5)]),
    "aminmax_all": (lambda x: tuple(torch.aminmax(x)), [real(4, 5)]),
    "count_nonzero": (torch.count_nonzero, [whole(4, 5).clamp(-1, 1)]),
    "count_nonzero_dim": (lambda x: torch.count_nonzero(x, dim=(0, 2)), [whole(4, 5, 2).clamp(-1, 1)]),
    "nansum": (lambda x: torch.nansum(torch.where(x > 1, float("nan"), x), dim=1), [real(4, 5)]),
    "nanmean": (lambda x: torch.nanmean(torch.where(x > 1, float("nan"), x), dim=1, keepdim=True), [real(4, 5)]),
    "all": (lambda x: torch.all(x > -1, dim=1), [real(4, 5)]),
    "any_dims": (lambda x: torch.any(x > 1, dim=(0, 1), keepdim=True), [real(4, 5, 2)]),
    "prod": (torch.prod, [real(4, 5)]),
    "prod_dim": (lambda x: torch.prod(ints(x), dim=1, keepdim=True), [whole(4, 3)]),
    "amax_bool": (lambda x: torch.amax(x > 1, dim=1), [real(4, 5)]),
    "cumsum": (lambda x: torch.cumsum(x, -1), [real(4, 5)]),
    "cumsum_bool": (lambda x: torch.cumsum(x > 0, 0), [real(4, 5)]),
    "cumsum_dtype": (lambda x: torch.cumsum(ints(x), 0, dtype=torch.float32), [whole(4, 5)]),
    "cumprod": (lambda x: torch.cumprod(x, 1), [real(4, 9)]),
    "cumprod_ints": (lambda x: torch.cumprod(ints(x), 0), [whole(4, 5)]),
    "cummax": (lambda x: torch.cummax(x, 1), [whole(4, 9)]),
    "cummin": (lambda x: torch.cummin(ints(x), 0), [whole(7, 5)]),
    "cummax_nan": (lambda x: torch.cummax(torch.where(x > 5, NAN, x), 1), [whole(4, 9)]),
    "cummin_nan": (lambda x: torch.cummin(torch.where(x > 5, NAN, x), 0), [whole(9, 4)]),
    "logcumsumexp": (lambda x: torch.logcumsumexp(x, 1), [20 * real(4, 9)]),
    # --- Weight normalization
    "weight_norm_linear": (weight_norm(nn.Linear(4, 3)), [real(2, 4)]),
    "weight_norm_conv": (weight_norm(nn.Conv1d(4, 3, 3)), [real(2, 4, 8)]),
    "old_weight_norm": (old_weight_norm(nn.Linear(4, 3), dim=1), [real(2, 4)]),
    "old_weight_norm_whole": (old_weight_norm(nn.Linear(4, 3), dim=None), [real(2, 4)]),
    "weight_norm_interface": (WithWeights(lambda x, v, g: torch._weight_norm_interface(x + v, g, 0), real(3, 4), positive(3, 1)), [real(3, 4)]),
    "spectral_norm": (SpectralNorm(), [real(2, 3)]),
    # --- Normalization
    "batch_norm": (nn.BatchNorm2d(3).eval(), [real(2, 3, 4, 4)]),
    "batch_norm_no_stats": (nn.BatchNorm2d(3, track_running_stats=False).eval(), [real(2, 3, 4, 4)]),
    "batch_norm_1d": (nn.BatchNorm1d(3, track_running_stats=False).eval(), [real(4, 3)]),
    "instance_norm": (nn.InstanceNorm2d(3).eval(), [real(2, 3, 4, 4)]),
    "instance_norm_1d": (nn.InstanceNorm1d(3, affine=True).eval(), [real(2, 3, 8)]),
    "native_batch_norm": (WithWeights(lambda x, m, v: torch.native_batch_norm(x, None, None, m, v, False, 0.1, 1e-5)[0], real(3), positive(3)), [real(2, 3, 4)]),
    "group_norm": (nn.GroupNorm(2, 4), [real(2, 4, 5)]),
    "native_group_norm": (lambda x: torch.native_group_norm(x, None, None, 2, 4, 5, 2, 1e-5)[0], [real(2, 4, 5)]),
    "rms_norm": (nn.RMSNorm(5), [real(2, 4, 5)]),
    "local_response_norm": (nn.LocalResponseNorm(3), [real(2, 6, 4, 4)]),
    # --- Arrangement
    "movedim": (lambda x: torch.movedim(x, 0, -1), [real(2, 3, 4)]),
    "moveaxis": (lambda x: torch.moveaxis(x, (0, 1), (2, 0)), [real(2, 3, 4)]),
    "hstack": (lambda a, b: torch.hstack((a, b)), [real(2, 3), real(2, 4)]),
    "hstack_vectors": (lambda a, b: torch.hstack((a, b)), [real(3), real(4)]),
    "vstack": (lambda a, b: torch.vstack((a, b)), [real(3), real(2, 3)]),
    "dstack": (lambda a, b: torch.dstack((a, b)), [real(3), real(1, 3)]),
    "column_stack": (lambda a, b: torch.column_stack((a, b)), [real(3), real(3, 2)]),
    "swapdims": (lambda x: torch.swapdims(x, 0, -1), [real(2, 3, 4)]),
    "numpy_T": (lambda x: x.T, [real(2, 3)]),
    "mT": (lambda x: x.mT, [real(2, 3, 4)]),
    "unflatten": (lambda x: torch.unflatten(x, 1, (2, -1)), [real(2, 6)]),
    "squeeze_scalar": (lambda x: x.sum().squeeze(-1), [real(3)]),
    "squeeze_dims": (lambda x: torch.squeeze(x, (0, 2)), [real(1, 3, 1)]),
    "broadcast_to": (lambda x: torch.broadcast_to(x, (2, 3, 4)), [real(3, 1)]),
    "broadcast_tensors": (lambda a, b: torch.broadcast_tensors(a, b), [real(3, 1), real(2, 1, 4)]),
    "roll": (lambda x: torch.roll(x, 4), [real(2, 5)]),
    "roll_dims": (lambda x: torch.roll(x, (1, -2), (0, 1)), [real(2, 5)]),
    "rot90": (lambda x: torch.rot90(x), [real(2, 5)]),
    "rot90_back": (lambda x: torch.rot90(x, -1, (1, 2)), [real(2, 3, 4)]),
    "rot90_twice": (lambda x: torch.rot90(x, 2, (2, 0)), [real(2, 3, 4)]),
    "fliplr": (torch.fliplr, [real(2, 5)]),
    "flipud": (torch.flipud, [real(2, 5)]),
    "tile": (lambda x: torch.tile(x, (2,)), [real(2, 5)]),
    "tile_more": (lambda x: torch.tile(x, (2, 1, 3)), [real(2, 5)]),
    "cartesian_prod": (lambda a, b: torch.cartesian_prod(a, b), [real(3), real(4)]),
    "block_diag": (WithWeights(lambda x, a, b: x @ torch.block_diag(a, b), real(2, 3), real(3, 2)), [real(4, 5)]),
    "block_diag_vector": (lambda a, b: torch.block_diag(a, b), [real(3), real(2, 2)]),
    "meshgrid": (lambda a, b: torch.meshgrid(a, b, indexing="ij"), [real(3), real(4)]),
    "atleast_2d": (torch.atleast_2d, [real(3)]),
    "atleast_3d": (torch.atleast_3d, [real(3, 2)]),
    "atleast_1d": (lambda x: torch.atleast_1d(x.sum()), [real(3, 2)]),
    "atleast_list": (lambda a, b: torch.atleast_2d(a, b), [real(3), real(2, 2)]),
    "ravel": (torch.ravel, [real(3, 2)]),
    "tensor_split": (lambda x: torch.tensor_split(x, 3, dim=1), [real(2, 7)]),
    "tensor_split_indices": (lambda x: torch.tensor_split(x, (1, 4), dim=1), [real(2, 7)]),
    "hsplit": (lambda x: torch.hsplit(x, 2), [real(2, 6)]),
    "vsplit": (lambda x: torch.vsplit(x, [1]), [real(3, 6)]),
    # --- Constants
    "arange_reals": (lambda x: x + torch.arange(0, 1, 0.3), [real(4)]),
    "arange_down": (lambda x: x + torch.arange(5, 1, -1), [real(4)]),
    "linspace": (lambda x: x + torch.linspace(-1, 2, 4), [real(4)]),
    "logspace": (lambda x: x + torch.logspace(-1, 2, 4, base=2), [real(4)]),
    "empty_filled": (lambda x: x + torch.empty(4).fill_(2), [real(4)]),
    "new_empty": (lambda x: x + x.new_empty((4,)).zero_(), [real(4)]),
    "full_int": (lambda x: x + torch.full((4,), 3), [real(4)]),
    "full_bool": (lambda x: torch.where(torch.full((4,), True), x, 0), [real(4)]),
    "new_full": (lambda x: x + x.new_full((4,), 3, dtype=torch.int64), [real(4)]),
    "zeros_int": (lambda x: x + torch.zeros(4, dtype=torch.int32), [real(4)]),
    "hann_window": (lambda x: x * torch.hann_window(8), [real(8)]),
    "hann_window_whole": (lambda x: x * torch.hann_window(8, periodic=False), [real(8)]),
    "hamming_window": (lambda x: x * torch.hamming_window(7), [real(7)]),
    "hamming_window_given": (lambda x: x * torch.hamming_window(7, True, 0.6, 0.3), [real(7)]),
    "blackman_window": (lambda x: x * torch.blackman_window(7, periodic=False), [real(7)]),
    "bartlett_window": (lambda x: x * torch.bartlett_window(7), [real(7)]),
    "kaiser_window": (lambda x: x * torch.kaiser_window(7), [real(7)]),
    "kaiser_window_beta": (lambda x: x * torch.kaiser_window(8, periodic=False, beta=4.5), [real(8)]),
    "window_of_one": (lambda x: x * torch.hann_window(1), [real(3)]),
    "fftfreq": (lambda x: x * torch.fft.fftfreq(7, 0.5), [real(7)]),
    "rfftfreq": (lambda x: x * torch.fft.rfftfreq(8), [real(5)]),
    "range": (lambda x: x + torch.range(1, 2, 0.25), [real(5)]),
    "wide_constant": (lambda x: ints(x) + 2**40, [whole(9)]),
    "wide_clamp": (lambda x: ints(x).clamp(max=2**63 - 1), [whole(9)]),
    "isclose_ints": (lambda x: torch.isclose(ints(x) + 2**40, ints(x.abs()) + 2**40, rtol=0, atol=0), [whole(30)]),
    "scalar_tensor": (lambda x: x + torch.scalar_tensor(2), [real(4)]),
}
