#include "compiler/import/torchscript/refusal.h"

#include "absl/strings/strip.h"
#include "absl/types/span.h"

namespace synap_internal::torchscript_import {
namespace {

// clang-format off
constexpr absl::string_view kRandom[] = {
    "bernoulli", "cauchy", "exponential", "geometric", "log_normal", "multinomial", "normal",
    "normal_functional", "poisson", "rand", "rand_like", "randint", "randint_like", "randn",
    "randn_like", "random", "randperm", "uniform",
};
// clang-format on

// clang-format off
// Gamma, error and Bessel functions.
constexpr absl::string_view kSeries[] = {
    "digamma", "erfinv", "i0", "igamma", "igammac", "lgamma", "mvlgamma", "polygamma",
    "special_bessel_j0", "special_bessel_j1", "special_bessel_y0", "special_bessel_y1",
    "special_digamma", "special_erfcx", "special_erfinv", "special_gammainc", "special_gammaincc",
    "special_gammaln", "special_i0", "special_i0e", "special_i1", "special_i1e", "special_log_ndtr",
    "special_multigammaln", "special_ndtri", "special_polygamma", "special_psi", "special_zeta",
};
// clang-format on

// clang-format off
constexpr absl::string_view kDecompositions[] = {
    "_linalg_det", "_linalg_eigh", "_linalg_slogdet", "_linalg_solve_ex", "_linalg_svd", "cholesky",
    "cholesky_inverse", "cholesky_solve", "det", "geqrf", "inverse", "linalg_cholesky",
    "linalg_cholesky_ex", "linalg_cond", "linalg_det", "linalg_eig", "linalg_eigh",
    "linalg_eigvals", "linalg_eigvalsh", "linalg_inv", "linalg_inv_ex", "linalg_ldl_factor",
    "linalg_lstsq", "linalg_lu", "linalg_lu_factor", "linalg_lu_factor_ex", "linalg_lu_solve",
    "linalg_matrix_exp", "linalg_matrix_rank", "linalg_pinv", "linalg_qr", "linalg_slogdet",
    "linalg_solve", "linalg_solve_triangular", "linalg_svd", "linalg_svdvals", "logdet", "lu_solve",
    "lu_unpack", "matrix_exp", "nuclear_norm", "pinverse", "qr", "slogdet", "svd",
    "triangular_solve",
};
// clang-format on

struct Refusal {
  absl::Span<const absl::string_view> operators;  // without "aten::"
  absl::string_view why;
};

constexpr absl::string_view kRandomValues = "its values are random";
constexpr absl::string_view kNoSeries = "the compiler's ops can't compute it exactly";
constexpr absl::string_view kNoDecomposition =
    "it decomposes matrices in as many steps as their values ask for";

}  // namespace

absl::string_view WhyRefused(absl::string_view kind) {
  const Refusal refusals[] = {
      {kRandom, kRandomValues}, {kSeries, kNoSeries}, {kDecompositions, kNoDecomposition}};
  absl::string_view name = kind;
  if (!absl::ConsumePrefix(&name, "aten::")) return "";
  absl::ConsumeSuffix(&name, "_");
  for (const Refusal& refusal : refusals) {
    for (const absl::string_view op : refusal.operators) {
      if (op == name) return refusal.why;
    }
  }
  return "";
}

}  // namespace synap_internal::torchscript_import
