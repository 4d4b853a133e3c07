#include "compiler/import/torchscript/other_exports.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace synap_internal::torchscript_import {
namespace {

// clang-format off
constexpr OtherExportRow kRows[] = {
    {"aten::_addmm_activation", kOnnx},
    {"aten::_cast_Float", kDecomposed | kOnnx},
    {"aten::_dim_arange", kDecomposed | kOnnx},
    {"aten::_embedding_bag_forward_only", kOnnx},
    {"aten::_linalg_det", kOnnx},
    {"aten::_safe_softmax", kExport | kDecomposed | kOnnx},
    {"aten::bartlett_window", kTrace},
    {"aten::bilinear", kOnnx},
    {"aten::binary_cross_entropy", kDecomposed | kOnnx},
    {"aten::binary_cross_entropy_with_logits", kDecomposed | kOnnx},
    {"aten::blackman_window", kTrace | kOnnx},
    {"aten::broadcast_shapes", kDecomposed | kOnnx},
    {"aten::clear", kTrace | kExport | kDecomposed | kOnnx},
    {"aten::cosine_embedding_loss", kDecomposed | kOnnx},
    {"aten::cross_entropy_loss", kDecomposed},
    {"aten::degrees", kTrace | kExport | kDecomposed | kOnnx},
    {"aten::det", kOnnx},
    {"aten::diff", kDecomposed | kOnnx},
    {"aten::embedding_bag", kOnnx},
    {"aten::fabs", kTrace | kExport | kDecomposed | kOnnx},
    {"aten::factorial", kTrace | kExport | kDecomposed | kOnnx},
    {"aten::fake_quantize_per_channel_affine", kOnnx},
    {"aten::fake_quantize_per_channel_affine_cachemask", kOnnx},
    {"aten::fake_quantize_per_tensor_affine", kOnnx},
    {"aten::fake_quantize_per_tensor_affine_cachemask", kOnnx},
    {"aten::feature_alpha_dropout", kDecomposed | kOnnx},
    {"aten::fft_fftfreq", kTrace},
    {"aten::fft_hfft2", kDecomposed | kOnnx},
    {"aten::fft_ihfft2", kDecomposed},
    {"aten::get", kTrace | kExport | kDecomposed | kOnnx},
    {"aten::gradient", kDecomposed | kOnnx},
    {"aten::hamming_window", kTrace},
    {"aten::hann_window", kTrace | kDecomposed | kOnnx},
    {"aten::hinge_embedding_loss", kDecomposed | kOnnx},
    {"aten::histc", kOnnx},
    {"aten::huber_loss", kDecomposed | kOnnx},
    {"aten::insert", kTrace | kExport | kDecomposed | kOnnx},
    {"aten::is_contiguous", kTrace | kExport | kDecomposed | kOnnx},
    {"aten::isreal", kDecomposed},
    {"aten::items", kTrace | kExport | kDecomposed | kOnnx},
    {"aten::kaiser_window", kTrace},
    {"aten::keys", kTrace | kExport | kDecomposed | kOnnx},
    {"aten::kl_div", kDecomposed | kOnnx},
    {"aten::l1_loss", kDecomposed | kOnnx},
    {"aten::linalg_det", kOnnx},
    {"aten::linalg_vander", kDecomposed},
    {"aten::logdet", kOnnx},
    {"aten::margin_ranking_loss", kDecomposed | kOnnx},
    {"aten::max_unpool2d", kDecomposed | kOnnx},
    {"aten::max_unpool3d", kDecomposed | kOnnx},
    {"aten::mse_loss", kDecomposed | kOnnx},
    {"aten::multi_margin_loss", kDecomposed | kOnnx},
    {"aten::multilabel_margin_loss", kDecomposed | kOnnx},
    {"aten::nanquantile", kDecomposed | kOnnx},
    {"aten::nll_loss_nd", kDecomposed | kOnnx},
    {"aten::pad_sequence", kDecomposed | kOnnx},
    {"aten::poisson_nll_loss", kDecomposed | kOnnx},
    {"aten::pop", kTrace | kExport | kDecomposed | kOnnx},
    {"aten::quantile", kDecomposed | kOnnx},
    {"aten::radians", kTrace | kExport | kDecomposed | kOnnx},
    {"aten::remove", kTrace | kExport | kDecomposed | kOnnx},
    {"aten::result_type", kTrace | kExport | kDecomposed},
    {"aten::reverse", kTrace | kExport | kDecomposed | kOnnx},
    {"aten::smooth_l1_loss", kDecomposed | kOnnx},
    {"aten::soft_margin_loss", kDecomposed | kOnnx},
    {"aten::sort.list", kTrace | kExport | kDecomposed | kOnnx},
    {"aten::special_erfcx", kOnnx},
    {"aten::special_log_ndtr", kOnnx},
    {"aten::std", kExport | kDecomposed | kOnnx},
    {"aten::stride", kTrace | kExport | kDecomposed | kOnnx},
    {"aten::sum_to_size", kDecomposed | kOnnx},
    {"aten::trace", kDecomposed | kOnnx},
    {"aten::triplet_margin_loss", kDecomposed | kOnnx},
    {"aten::values", kTrace | kExport | kDecomposed | kOnnx},
    {"aten::vander", kDecomposed},
};
// clang-format on

constexpr std::pair<unsigned, absl::string_view> kNames[] = {
    {kTrace, "torch.jit.trace"},
    {kExport, "torch.export"},
    {kDecomposed, "torch.export after run_decompositions()"},
    {kOnnx, "torch.onnx.export"},
};

}  // namespace

absl::Span<const OtherExportRow> OtherExportRows() { return kRows; }

std::vector<absl::string_view> OtherExports(absl::string_view op) {
  const auto row = std::lower_bound(
      std::begin(kRows), std::end(kRows), op,
      [](const OtherExportRow& before, absl::string_view wanted) { return before.op < wanted; });
  std::vector<absl::string_view> names;
  if (row == std::end(kRows) || row->op != op) return names;
  for (const auto& [bit, name] : kNames) {
    const bool is_plain_enough = bit == kDecomposed && (row->exports & kExport) != 0;
    if ((row->exports & bit) != 0 && !is_plain_enough) names.push_back(name);
  }
  return names;
}

}  // namespace synap_internal::torchscript_import
