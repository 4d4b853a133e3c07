#include "compiler/report/figures.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace synap_internal {

std::string Grouped(int64_t value) {
  if (value < 1000) return absl::StrCat(value);
  return absl::StrCat(Grouped(value / 1000), ",", absl::Dec(value % 1000, absl::kZeroPad3));
}

std::string BytesText(uint64_t bytes) {
  if (bytes < 1024) return absl::StrCat(bytes, bytes == 1 ? " byte" : " bytes");
  constexpr const char* kUnits[] = {"KiB", "MiB", "GiB"};
  double value = static_cast<double>(bytes) / 1024;
  size_t unit = 0;
  for (; value >= 1024 && unit + 1 < std::size(kUnits); ++unit) value /= 1024;
  return absl::StrFormat("%.1f %s", value, kUnits[unit]);
}

std::string TypeText(const TensorType& type) {
  return absl::StrCat(Name(type.dtype), "[", type.shape.ToString(), "]");
}

std::string QuantizerText(const QuantParams& quant) {
  if (quant.scheme != QuantScheme::kPerChannelSymmetric) return quant.ToString();
  const auto [low, high] = std::minmax_element(quant.scales.begin(), quant.scales.end());
  return absl::StrFormat("%s, %.4g to %.4g", quant.ToString(), *low, *high);
}

}  // namespace synap_internal
