// Last line of a conversion's output.
#ifndef COMPILER_REPORT_CONVERSION_SUMMARY_H_
#define COMPILER_REPORT_CONVERSION_SUMMARY_H_

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"

namespace synap_internal {

struct ConversionResult {
  std::string file;  // that applications load
  size_t bytes = 0;  // of it
  std::string time;  // estimated for one inference: "5.60 ms (4.10 to 7.60)"
  std::string target;
  std::string loss;  // by quantization: "SQNR 31.2 dB"; "" if it isn't known
  size_t warnings = 0;
};

// "Conversion successful: out/model.synap, 3.4 MB, about 5.60 ms (4.10 to 7.60) on VS680, SQNR 31.2
// dB, 2 warnings", without a newline. MB are 1,000,000 bytes.
std::string ConversionSummary(const ConversionResult& result);

}  // namespace synap_internal

#endif  // COMPILER_REPORT_CONVERSION_SUMMARY_H_
