// Any bytes as a statistics file: an error, or statistics that are written as they were read and
// that every algorithm finds ranges for.

#include "compiler/quantize/statistics/statistics.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "base/check.h"
#include "base/data_type.h"
#include "compiler/quantize/precision.h"
#include "compiler/quantize/ranges/range_selection.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using Algorithm = synap_internal::QuantizationAlgorithm;
  const auto read = synap_internal::Statistics::Parse({reinterpret_cast<const char*>(data), size});
  if (!read.ok()) {
    CHECK(!read.status().message().empty());
    return 0;
  }
  const std::string text = read->Serialize();
  const auto again = synap_internal::Statistics::Parse(text);
  CHECK(again.ok());
  CHECK(again->Serialize() == text);
  if (read->samples().empty()) return 0;
  const auto& histograms = read->histograms();
  const bool counts_all = std::none_of(histograms.begin(), histograms.end(),
                                       [](const auto& histogram) { return histogram.empty(); });
  const auto observed = read->Ranges();
  for (const Algorithm algorithm :
       {Algorithm::kMovingAverage, Algorithm::kKlDivergence, Algorithm::kAuto, Algorithm::kMse}) {
    if (!counts_all && algorithm != Algorithm::kMovingAverage) continue;
    for (const synap_internal::DataType type :
         {synap_internal::DataType::kUint8, synap_internal::DataType::kInt16}) {
      const synap_internal::Precision precision = synap_internal::PrecisionOf(type);
      for (const auto& [tensor, range] :
           synap_internal::ChooseRanges(*read, algorithm, {}, precision, 1)) {
        CHECK(observed.at(tensor).min <= range.min);
        CHECK(range.min <= range.max);
        CHECK(range.max <= observed.at(tensor).max);
      }
    }
  }
  return 0;
}
