#include "compiler/import/torchscript/other_exports.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace synap_internal::torchscript_import {
namespace {

// clang-format off
constexpr OtherExportRow kRows[] = {
    {"aten::_dim_arange", kDecomposed | kOnnx},
    {"aten::_safe_softmax", kExport | kDecomposed | kOnnx},
    {"aten::broadcast_shapes", kDecomposed | kOnnx},
    {"aten::clear", kTrace | kExport | kDecomposed | kOnnx},
    {"aten::degrees", kTrace | kExport | kDecomposed | kOnnx},
    {"aten::fabs", kTrace | kExport | kDecomposed | kOnnx},
    {"aten::factorial", kTrace | kExport | kDecomposed | kOnnx},
    {"aten::fake_quantize_per_channel_affine", kOnnx},
    {"aten::fake_quantize_per_channel_affine_cachemask", kOnnx},
    {"aten::fake_quantize_per_tensor_affine", kOnnx},
    {"aten::fake_quantize_per_tensor_affine_cachemask", kOnnx},
    {"aten::fft_hfft2", kDecomposed | kOnnx},
    {"aten::fft_ihfft2", kDecomposed},
    {"aten::get", kTrace | kExport | kDecomposed | kOnnx},
    {"aten::insert", kTrace | kExport | kDecomposed | kOnnx},
    {"aten::isreal", kDecomposed},
    {"aten::items", kTrace | kExport | kDecomposed | kOnnx},
    {"aten::keys", kTrace | kExport | kDecomposed | kOnnx},
    {"aten::logdet", kOnnx},
    {"aten::multilabel_margin_loss", kDecomposed | kOnnx},
    {"aten::pad_sequence", kDecomposed | kOnnx},
    {"aten::pop", kTrace | kExport | kDecomposed | kOnnx},
    {"aten::radians", kTrace | kExport | kDecomposed | kOnnx},
    {"aten::remove", kTrace | kExport | kDecomposed | kOnnx},
    {"aten::result_type", kTrace | kExport | kDecomposed},
    {"aten::reverse", kTrace | kExport | kDecomposed | kOnnx},
    {"aten::sort.list", kTrace | kExport | kDecomposed | kOnnx},
    {"aten::special_erfcx", kOnnx},
    {"aten::special_log_ndtr", kOnnx},
    {"aten::std", kExport | kDecomposed | kOnnx},
    {"aten::values", kTrace | kExport | kDecomposed | kOnnx},
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
