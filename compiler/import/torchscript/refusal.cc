#include "compiler/import/torchscript/refusal.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/types/span.h"
#include "compiler/import/torchscript/other_exports.h"

namespace synap_internal::torchscript_import {
namespace {

// clang-format off
constexpr absl::string_view kRandom[] = {
    "_fill_mem_eff_dropout_mask", "_philox_key_fold_in", "_philox_key_split", "_philox_normal",
    "_philox_randint", "_philox_uniform", "_sample_dirichlet", "_standard_gamma", "bernoulli",
    "binomial", "cauchy", "exponential", "fractional_max_pool2d", "fractional_max_pool3d",
    "geometric", "log_normal", "multinomial", "normal", "normal_functional", "poisson", "rand",
    "rand_like", "randint", "randint_like", "randn", "randn_like", "random", "randperm", "uniform",
};
// clang-format on

// clang-format off
// Gamma, error and Bessel functions, and polynomials.
constexpr absl::string_view kSeries[] = {
    "digamma", "erfinv", "i0", "igamma", "igammac", "lgamma", "mvlgamma", "polygamma",
    "special_airy_ai", "special_bessel_j0", "special_bessel_j1", "special_bessel_y0",
    "special_bessel_y1", "special_chebyshev_polynomial_t", "special_chebyshev_polynomial_u",
    "special_chebyshev_polynomial_v", "special_chebyshev_polynomial_w", "special_digamma",
    "special_erfcx", "special_erfinv", "special_gammainc", "special_gammaincc", "special_gammaln",
    "special_hermite_polynomial_h", "special_hermite_polynomial_he", "special_i0", "special_i0e",
    "special_i1", "special_i1e", "special_laguerre_polynomial_l", "special_legendre_polynomial_p",
    "special_log_ndtr", "special_modified_bessel_i0", "special_modified_bessel_i1",
    "special_modified_bessel_k0", "special_modified_bessel_k1", "special_multigammaln",
    "special_ndtri", "special_polygamma", "special_psi", "special_scaled_modified_bessel_k0",
    "special_scaled_modified_bessel_k1", "special_shifted_chebyshev_polynomial_t",
    "special_shifted_chebyshev_polynomial_u", "special_shifted_chebyshev_polynomial_v",
    "special_shifted_chebyshev_polynomial_w", "special_spherical_bessel_j0", "special_zeta",
};
// clang-format on

// clang-format off
constexpr absl::string_view kDecompositions[] = {
    "_linalg_eigh", "_linalg_eigvals", "_linalg_slogdet", "_linalg_svd", "_lu_with_info",
    "cholesky", "cholesky_inverse", "cholesky_solve", "geqrf", "linalg_cholesky",
    "linalg_cholesky_ex", "linalg_cond", "linalg_eig", "linalg_eigh", "linalg_eigvals",
    "linalg_eigvalsh", "linalg_householder_product", "linalg_ldl_factor", "linalg_ldl_factor_ex",
    "linalg_ldl_solve", "linalg_lstsq", "linalg_lu", "linalg_lu_factor", "linalg_lu_factor_ex",
    "linalg_lu_solve", "linalg_matrix_exp", "linalg_matrix_rank", "linalg_matrix_sqrth",
    "linalg_pinv", "linalg_polar", "linalg_qr", "linalg_slogdet", "linalg_solve_triangular",
    "linalg_svd", "linalg_svdvals", "linalg_tensorinv", "linalg_tensorsolve", "logdet", "lu_solve",
    "lu_unpack", "matrix_exp", "nuclear_norm", "orgqr", "ormqr", "pinverse", "qr", "slogdet", "svd",
    "triangular_solve",
};
// clang-format on

// clang-format off
// Besides those that are called *sparse*.
constexpr absl::string_view kSparse[] = {
    "_coalesced", "_indices", "_nnz", "_spdiags", "_spsolve", "_values", "ccol_indices", "coalesce",
    "col_indices", "crow_indices", "hspmm", "indices", "row_indices", "smm", "sspaddmm",
    "to_mkldnn",
};
// clang-format on

// clang-format off
constexpr absl::string_view kTraining[] = {
    "_batch_norm_with_update", "_batch_norm_with_update_functional", "_ctc_loss",
    "_native_batch_norm_legit_functional", "_no_grad_embedding_renorm", "batch_norm_elemt",
    "batch_norm_gather_stats", "batch_norm_gather_stats_with_counts", "batch_norm_stats",
    "batch_norm_update_stats", "ctc_loss", "embedding_renorm",
};
// clang-format on

constexpr absl::string_view kLengths[] = {"_pack_padded_sequence", "_pack_sequence",
                                          "_pad_packed_sequence", "segment_reduce"};

constexpr absl::string_view kBranches[] = {"higher_order::cond", "higher_order::map_impl",
                                           "higher_order::scan", "higher_order::while_loop"};

constexpr absl::string_view kPythonValues[] = {"allclose", "equal", "is_nonzero"};

constexpr absl::string_view kMemory[] = {"_copy_from",
                                         "_copy_from_and_resize",
                                         "_resize_output",
                                         "from_file",
                                         "resize",
                                         "resize_as",
                                         "set",
                                         "set_data"};

constexpr absl::string_view kBitPatterns[] = {"gcd", "hash_tensor", "lcm", "nextafter"};

// clang-format off
constexpr absl::string_view kForeignWeights[] = {
    "_convert_weight_to_int4pack", "_convert_weight_to_int4pack_for_cpu", "_dyn_quant_matmul_4bit",
    "_dyn_quant_pack_4bit_weight", "_grouped_mm", "_int_mm", "_mixed_dtypes_linear",
    "_scaled_grouped_mm", "_scaled_grouped_mm_v2", "_scaled_mm", "_scaled_mm_v2",
    "_weight_int4pack_mm", "_weight_int4pack_mm_for_cpu",
    "_weight_int4pack_mm_with_scales_and_zeros", "_weight_int8pack_mm",
};
// clang-format on

constexpr absl::string_view kSuppressions[] = {"torchvision::nms"};

constexpr absl::string_view kSparseTensors = "its tensors are sparse; use dense ones (to_dense())";

struct Refusal {
  absl::Span<const absl::string_view> operators;  // without "aten::"
  absl::string_view why;
};

constexpr Refusal kRefusals[] = {
    {kRandom, "its values are random; give them to the network as an input"},
    {kSeries,
     "the compiler's ops can't compute it exactly; compute it before or after the network"},
    {kDecompositions,
     "it decomposes matrices in as many steps as their values ask for; compute it before or after "
     "the network or, of weights, once and keep the result as a buffer"},
    {kSparse, kSparseTensors},
    {kTraining,
     "it is a step of training, which changes statistics or weights; export the network after "
     "eval()"},
    {kLengths,
     "how long its sequences are depends on values; pad them to one length and mask the rest"},
    {kBranches,
     "what it runs depends on values; compute both branches and choose with torch.where, or a "
     "fixed "
     "number of steps"},
    {kPythonValues,
     "its result is a Python value that depends on the network's inputs; use torch.eq or "
     "torch.isclose, whose results are tensors"},
    {kMemory, "it gives a tensor other memory; use reshape, or make the tensor in its final size"},
    {kBitPatterns,
     "it works on the bits of its operands or in as many steps as they ask for, and ops compute "
     "with numbers; compute it before or after the network"},
    {kForeignWeights,
     "its weights are packed for another processor; export the network in float, and quantize it "
     "here"},
    {kSuppressions,
     "how many boxes it keeps depends on values; end the network before it, and let the "
     "application's detector suppress boxes"},
};

// Operators by a part of their names.
struct RefusedFamily {
  absl::string_view part;  // of "aten::..."
  absl::string_view why;
};

constexpr RefusedFamily kRefusedFamilies[] = {
    {"sparse", kSparseTensors},
    {"_backward", "it computes gradients, as in training; export the network's forward alone"},
    {"fake_quant",
     "it imitates a quantizer; convert the module, which keeps its quantizers "
     "(torch.ao.quantization.convert), or export it without them"},
};

absl::string_view WhyRefused(absl::string_view kind) {
  absl::string_view name = kind;
  const bool aten = absl::ConsumePrefix(&name, "aten::");
  for (const Refusal& refusal : kRefusals) {
    const auto& operators = refusal.operators;
    if (std::find(operators.begin(), operators.end(), name) != operators.end()) return refusal.why;
  }
  for (const RefusedFamily& family : kRefusedFamilies) {
    if (aten && absl::StrContains(name, family.part)) return family.why;
  }
  return "";
}

// "it imports from a file of torch.jit.trace, of torch.export or of torch.onnx.export"
std::string WayAround(absl::string_view kind) {
  const std::vector<absl::string_view> exports = OtherExports(kind);
  if (exports.empty()) return "";
  std::string text = "it imports from a file of ";
  for (size_t i = 0; i < exports.size(); ++i) {
    const bool last = i + 1 == exports.size();
    absl::StrAppend(&text, i == 0 ? "" : last ? " or of " : ", of ", exports[i]);
  }
  return text;
}

}  // namespace

std::string AdviceOn(absl::string_view kind) {
  absl::string_view name = kind;
  if (!absl::EndsWith(name, "__")) absl::ConsumeSuffix(&name, "_");
  const std::string around = WayAround(name);
  const absl::string_view why = WhyRefused(name);
  return absl::StrCat(why, why.empty() || around.empty() ? "" : "; ", around);
}

}  // namespace synap_internal::torchscript_import
