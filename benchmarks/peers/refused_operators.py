"""Modules with operators that the importers refuse, or once did, for find_exports.py: the body of forward(self, x, y, z) and its arguments.

None makes Python's numbers of its arguments' values: a trace has those of the example for good.
"""

import torch

GENERATOR = torch.Generator().manual_seed(11)


def real(*shape):
    return torch.randn(*shape, generator=GENERATOR)


def unit(*shape):
    return torch.rand(*shape, generator=GENERATOR) * 0.9 + 0.05


def whole(high, *shape):
    return torch.randint(0, high, shape, generator=GENERATOR)


def square(size):
    """Symmetric, with eigenvalues of which no two are close."""
    q, _ = torch.linalg.qr(real(size, size))
    return q @ torch.diag(torch.arange(1.0, size + 1)) @ q.T


CLASSES = whole(5, 4)
LOSSES = {
    "mse_loss": ("F.mse_loss(x, y)", [real(4, 5), real(4, 5)]),
    "mse_loss_none": ("F.mse_loss(x, y, reduction='none')", [real(4, 5), real(4, 5)]),
    "l1_loss": ("F.l1_loss(x, y)", [real(4, 5), real(4, 5)]),
    "smooth_l1_loss": ("F.smooth_l1_loss(x, y, beta=0.5)", [real(4, 5), real(4, 5)]),
    "huber_loss": ("F.huber_loss(x, y, delta=0.7)", [real(4, 5), real(4, 5)]),
    "kl_div": ("F.kl_div(x, y, reduction='batchmean')", [real(4, 5), unit(4, 5)]),
    "kl_div_log": ("F.kl_div(x, y, reduction='sum', log_target=True)", [real(4, 5), real(4, 5)]),
    "binary_cross_entropy": ("F.binary_cross_entropy(x, y)", [unit(4, 5), unit(4, 5)]),
    "binary_cross_entropy_with_logits": ("F.binary_cross_entropy_with_logits(x, y)", [real(4, 5), unit(4, 5)]),
    "binary_cross_entropy_weights": ("F.binary_cross_entropy_with_logits(x, y, pos_weight=z)", [real(4, 5), unit(4, 5), unit(5)]),
    "cross_entropy": ("F.cross_entropy(x, y)", [real(4, 5), CLASSES]),
    "cross_entropy_soft": ("F.cross_entropy(x, y)", [real(4, 5), unit(4, 5)]),
    "cross_entropy_smooth": ("F.cross_entropy(x, y, label_smoothing=0.1)", [real(4, 5), CLASSES]),
    "nll_loss": ("F.nll_loss(x, y)", [real(4, 5), CLASSES]),
    "nll_loss2d": ("F.nll_loss(x, y)", [real(2, 5, 3, 3), whole(5, 2, 3, 3)]),
    "cosine_embedding_loss": ("F.cosine_embedding_loss(x, y, z)", [real(4, 5), real(4, 5), torch.tensor([1.0, -1.0, 1.0, -1.0])]),
    "margin_ranking_loss": ("F.margin_ranking_loss(x, y, z)", [real(4), real(4), torch.tensor([1.0, -1.0, 1.0, -1.0])]),
    "hinge_embedding_loss": ("F.hinge_embedding_loss(x, y)", [real(4), torch.tensor([1.0, -1.0, 1.0, -1.0])]),
    "triplet_margin_loss": ("F.triplet_margin_loss(x, y, z)", [real(4, 5), real(4, 5), real(4, 5)]),
    "soft_margin_loss": ("F.soft_margin_loss(x, y)", [real(4), torch.tensor([1.0, -1.0, 1.0, -1.0])]),
    "multi_margin_loss": ("F.multi_margin_loss(x, y)", [real(4, 5), CLASSES]),
    "multilabel_margin_loss": ("F.multilabel_margin_loss(x, y)", [real(2, 4), torch.tensor([[3, 0, -1, 1], [1, 2, -1, 0]])]),
    "multilabel_soft_margin_loss": ("F.multilabel_soft_margin_loss(x, y)", [real(2, 4), whole(2, 2, 4).float()]),
    "poisson_nll_loss": ("F.poisson_nll_loss(x, y)", [real(4), unit(4)]),
    "gaussian_nll_loss": ("F.gaussian_nll_loss(x, y, z)", [real(4), real(4), unit(4)]),
    "ctc_loss": ("F.ctc_loss(x, y, [6, 6], [3, 3])", [torch.log_softmax(real(6, 2, 5), -1), whole(4, 2, 3) + 1]),
}

FUNCTIONS = {
    **{name: (f"torch.{name}(x)", [unit(3, 4)]) for name in ("lgamma", "digamma", "erfinv", "i0", "special.i0e", "special.i1", "special.i1e",
                                                             "special.bessel_j0", "special.bessel_j1", "special.bessel_y0", "special.bessel_y1",
                                                             "special.modified_bessel_i0", "special.modified_bessel_k0", "special.erfcx",
                                                             "special.ndtri", "special.log_ndtr", "special.airy_ai", "special.psi",
                                                             "special.scaled_modified_bessel_k0", "special.spherical_bessel_j0")},
    **{name: (f"torch.special.{name}(x, 3)", [unit(3, 4)]) for name in ("chebyshev_polynomial_t", "chebyshev_polynomial_u", "hermite_polynomial_h",
                                                                        "laguerre_polynomial_l", "legendre_polynomial_p")},
    "polygamma": ("torch.polygamma(1, x)", [unit(3, 4)]),
    "mvlgamma": ("torch.mvlgamma(x, 2)", [unit(3, 4) + 2]),
    "igamma": ("torch.igamma(x, y)", [unit(3, 4), unit(3, 4)]),
    "igammac": ("torch.igammac(x, y)", [unit(3, 4), unit(3, 4)]),
    "zeta": ("torch.special.zeta(x, y)", [unit(3, 4) + 2, unit(3, 4)]),
    "gcd": ("torch.gcd(x, y)", [whole(30, 4), whole(30, 4)]),
    "lcm": ("torch.lcm(x, y)", [whole(9, 4) + 1, whole(9, 4) + 1]),
    "frexp": ("torch.frexp(x)[0]", [real(3, 4)]),
    "nextafter": ("torch.nextafter(x, y)", [real(4), real(4)]),
    "isreal": ("torch.isreal(x)", [real(4)]),
    "softmax_safe": ("torch._safe_softmax(x, -1)", [real(3, 4)]),
    "fake_quantize": ("torch.fake_quantize_per_tensor_affine(x, 0.1, 3, 0, 255)", [real(3, 4)]),
    "fake_quantize_channels": ("torch.fake_quantize_per_channel_affine(x, y, z, 0, 0, 255)",
                               [real(3, 4), unit(3), torch.arange(3, dtype=torch.int32)]),
    "bilinear": ("F.bilinear(x, y, z)", [real(4, 3), real(4, 5), real(2, 3, 5)]),
    "std_correction": ("torch.std(x, 1, correction=1.5)", [real(3, 6)]),
    "embedding_bag": ("F.embedding_bag(x, y, mode='mean')", [whole(6, 3, 4), real(6, 2)]),
    "embedding_bag_sum": ("F.embedding_bag(x, y, mode='sum')", [whole(6, 3, 4), real(6, 2)]),
    "conv_tbc": ("torch.conv_tbc(x, y, z, 1)", [real(6, 2, 3), real(3, 3, 4), real(4)]),
    "quantile": ("torch.quantile(x, 0.3, dim=1)", [real(3, 6)]),
    "nanquantile": ("torch.nanquantile(x, 0.3, dim=1)", [real(3, 6)]),
    "mode": ("torch.mode(x, 1)[0]", [whole(3, 3, 7)]),
    "histc": ("torch.histc(x, 4, -1.0, 1.0)", [real(20)]),
    "bincount": ("torch.bincount(x, minlength=6)", [whole(6, 20)]),
    "histogram": ("torch.histogram(x, 4, range=(-1.0, 1.0))[0]", [real(20)]),
    "aminmax": ("torch.aminmax(x, dim=1)[0]", [real(3, 6)]),
    "diff": ("torch.diff(x, dim=1)", [real(3, 6)]),
    "gradient": ("torch.gradient(x)[0]", [real(6)]),
    "trace": ("torch.trace(x)", [real(4, 4)]),
    "cov": ("torch.cov(x)", [real(3, 6)]),
    "corrcoef": ("torch.corrcoef(x)", [real(3, 6)]),
    "max_unpool1d": ("F.max_unpool1d(x, y, 2)", [real(1, 2, 3), torch.tensor([[[0, 2, 5], [1, 3, 4]]])]),
    "max_unpool2d": ("F.max_unpool2d(x, y, 2)", [real(1, 1, 2, 2), torch.tensor([[[[0, 2], [9, 15]]]])]),
    "max_unpool3d": ("F.max_unpool3d(x, y, 2)", [real(1, 1, 1, 1, 2), torch.tensor([[[[[0, 6]]]]])]),
    "nuclear_norm": ("torch.nuclear_norm(x)", [real(3, 4)]),
    "renorm": ("torch.renorm(x, 2, 0, 1.0)", [real(3, 4)]),
    "combinations": ("torch.combinations(x)", [real(4)]),
    "sum_to_size": ("x.sum_to_size(1, 4)", [real(3, 4)]),
    "vander": ("torch.linalg.vander(x)", [real(4)]),
    "vander_old": ("torch.vander(x)", [real(4)]),
    "chain_matmul": ("torch.chain_matmul(x, y, z)", [real(2, 3), real(3, 4), real(4, 2)]),
    "trilinear": ("torch._trilinear(x, y, z, [1, 3], [0], [1, 2], [2, 3])", [real(4, 3), real(2, 3, 5), real(4, 5)]),
    "pad_sequence": ("torch.nn.utils.rnn.pad_sequence([x, y], batch_first=True)", [real(3, 2), real(5, 2)]),
    "view_dtype": ("x.view(torch.int32)", [real(4)]),
    "fft_hfft2": ("torch.fft.hfft2(torch.complex(x, y))", [real(4, 4), real(4, 4)]),
    "fft_ihfft2": ("torch.view_as_real(torch.fft.ihfft2(x))", [real(4, 4)]),
    "fft_fftfreq": ("x * torch.fft.fftfreq(4)", [real(4)]),
    **{f"{name}_window": (f"x * torch.{name}_window(8)", [real(8)]) for name in ("hann", "hamming", "blackman", "bartlett", "kaiser")},
    "nonzero_static": ("torch.nonzero_static(x, size=3)", [torch.tensor([0.0, 2.0, 3.0, 0.0, 1.0])]),
    "int_mm": ("torch._int_mm(x, y)", [whole(9, 32, 8).to(torch.int8), whole(9, 8, 8).to(torch.int8)]),
    "addmm_activation": ("torch._addmm_activation(x, y, z)", [real(4), real(3, 5), real(5, 4)]),
    "shape_as_tensor": ("x * torch._shape_as_tensor(x)", [real(2, 2)]),
    "is_all_true": ("torch._is_all_true(x > 0)", [real(4)]),
    "is_any_true": ("torch._is_any_true(x > 0)", [real(4)]),
    "segment_reduce": ("torch.segment_reduce(x, 'sum', lengths=y)", [real(6), torch.tensor([2, 4])]),
    "feature_alpha_dropout": ("F.feature_alpha_dropout(x, 0.5, False)", [real(2, 3, 4)]),
    "grid_fallback": ("torch._grid_sampler_2d_cpu_fallback(x, y, 0, 0, False)", [real(1, 2, 4, 4), real(1, 3, 3, 2) * 0.4]),
    "fused_lstm": ("torch.lstm_cell(x, [y, y], z, z)[0]", [real(2, 3), real(2, 3), real(12, 3)]),
    "as_tensor": ("x * torch.as_tensor([1.0, 2.0])", [real(2)]),
    "cast_float": ("torch._cast_Float(x)", [whole(9, 4)]),
    "dim_arange": ("x * torch._dim_arange(x, 0)", [real(4)]),
    "sparse": ("x.to_sparse().to_dense()", [real(3, 3)]),
    "stride": ("x * x.stride(0)", [real(3, 3)]),
    "is_contiguous": ("x * int(x.is_contiguous())", [real(3, 3)]),
    "result_type": ("x.to(torch.result_type(x, y))", [whole(5, 3), real(3)]),
    "linalg_powsum": ("torch.linalg._powsum(x, 3)", [real(3)]),
}

MATRICES = {
    **{name: (f"torch.{name}(x)", [square(4)]) for name in ("det", "logdet", "inverse", "linalg.inv", "linalg.det", "linalg.cholesky",
                                                            "linalg.eigvalsh", "linalg.svdvals", "linalg.matrix_exp", "linalg.cond",
                                                            "linalg.pinv", "pinverse", "linalg.matrix_rank", "cholesky_inverse")},
    "slogdet": ("torch.slogdet(x)[1]", [square(4)]),
    "linalg_slogdet": ("torch.linalg.slogdet(x)[1]", [square(4)]),
    "linalg_qr": ("torch.linalg.qr(x)[1]", [square(4)]),
    "linalg_svd": ("torch.linalg.svd(x)[1]", [square(4)]),
    "linalg_eigh": ("torch.linalg.eigh(x)[0]", [square(4)]),
    "linalg_lu": ("torch.linalg.lu(x)[2]", [square(4)]),
    "linalg_solve": ("torch.linalg.solve(x, y)", [square(4), real(4, 2)]),
    "linalg_solve_triangular": ("torch.linalg.solve_triangular(x, y, upper=True)", [square(4).triu(), real(4, 2)]),
    "triangular_solve": ("torch.triangular_solve(x, y)[0]", [real(4, 2), square(4)]),
    "cholesky_solve": ("torch.cholesky_solve(x, y)", [real(4, 2), torch.linalg.cholesky(square(4))]),
    "linalg_lstsq": ("torch.linalg.lstsq(x, y)[0]", [square(4), real(4, 2)]),
    "linalg_householder_product": ("torch.linalg.householder_product(x, y)", [real(4, 3), real(3)]),
    "linalg_tensorinv": ("torch.linalg.tensorinv(x, 1)", [square(4)]),
    "linalg_tensorsolve": ("torch.linalg.tensorsolve(x, y)", [square(4), real(4)]),
}

CHANCE = {
    "rand_like": ("x + torch.rand_like(x)", [real(4)]),
    "randn": ("x + torch.randn(4)", [real(4)]),
    "bernoulli": ("torch.bernoulli(x)", [unit(4)]),
    "multinomial": ("torch.multinomial(x, 2)", [unit(4)]),
    "gumbel_softmax": ("F.gumbel_softmax(x)", [real(2, 4)]),
}

PYTHON = {
    "sorted": ("sizes = sorted([3, 1, 2])\nreturn x * sizes[0]", [real(4)]),
    "sort": ("sizes = [3, 1, 2]\nsizes.sort()\nreturn x * sizes[0]", [real(4)]),
    "insert": ("sizes = [3, 1]\nsizes.insert(0, 5)\nreturn x * sizes[0]", [real(4)]),
    "pop": ("sizes = [3, 1]\nlast = sizes.pop()\nreturn x * last", [real(4)]),
    "remove": ("sizes = [3, 1]\nsizes.remove(3)\nreturn x * sizes[0]", [real(4)]),
    "clear": ("sizes = [3, 1]\nsizes.clear()\nreturn x * len(sizes)", [real(4)]),
    "reverse": ("sizes = [3, 1]\nsizes.reverse()\nreturn x * sizes[0]", [real(4)]),
    "index": ("return x * [3, 1].index(1)", [real(4)]),
    "count": ("return x * [3, 1].count(1)", [real(4)]),
    "copy": ("return x * [3, 1].copy()[0]", [real(4)]),
    "keys": ("both = {'a': x, 'b': y}\nreturn [both[name] for name in both.keys()]", [real(4), real(4)]),
    "items": ("both = {'a': x, 'b': y}\nreturn [value for name, value in both.items()]", [real(4), real(4)]),
    "values": ("both = {'a': x, 'b': y}\nreturn [value for value in both.values()]", [real(4), real(4)]),
    "get": ("both = {'a': x}\nreturn both.get('a', y) + y", [real(4), real(4)]),
    "lower": ("return x if 'Sum'.lower() == 'sum' else -x", [real(4)]),
    "startswith": ("return x if 'Sum'.startswith('S') else -x", [real(4)]),
    "divmod": ("a, b = divmod(7, 4)\nreturn x * a + b", [real(4)]),
    "index_of_text": ("return x * 'abc'.find('b')", [real(4)]),
    "split_text": ("return x * len('a,b'.split(','))", [real(4)]),
    "math_radians": ("return x * math.radians(x.size(0))", [real(4)]),
    "math_degrees": ("return x * math.degrees(x.size(0))", [real(4)]),
    "math_gamma": ("return x * math.lgamma(x.size(0))", [real(4)]),
    "math_factorial": ("return x * math.factorial(x.size(0))", [real(4)]),
    "math_gcd": ("return x * math.gcd(x.size(0), 6)", [real(4)]),
    "math_fabs": ("return x * math.fabs(x.size(0))", [real(4)]),
    "math_frexp": ("return x * math.frexp(x.size(0))[0]", [real(4)]),
    "math_modf": ("return x * math.modf(x.size(0))[1]", [real(4)]),
}

CASES = {**LOSSES, **FUNCTIONS, **MATRICES, **CHANCE, **PYTHON}
