#include "compiler/convert/cli/cache_limit.h"

#include <cstdlib>
#include <limits>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace synap_internal {
namespace {

constexpr absl::string_view kUnits = "KMGT";

}  // namespace

absl::StatusOr<uint64_t> ParseByteSize(absl::string_view name, absl::string_view text) {
  const std::string upper = absl::AsciiStrToUpper(absl::StripAsciiWhitespace(text));
  absl::string_view number = upper;
  if (!absl::ConsumeSuffix(&number, "IB")) absl::ConsumeSuffix(&number, "B");
  const bool has_b = number.size() < upper.size();
  int shift = 0;
  const size_t unit = number.empty() ? absl::string_view::npos : kUnits.find(number.back());
  if (unit != absl::string_view::npos) {
    shift = 10 * (static_cast<int>(unit) + 1);
    number.remove_suffix(1);
  }
  number = absl::StripTrailingAsciiWhitespace(number);
  uint64_t count = 0;
  const bool is_number = !number.empty() && absl::ascii_isdigit(number.front()) &&
                         absl::SimpleAtoi(number, &count) && (shift > 0 || !has_b);
  if (!is_number || count > std::numeric_limits<uint64_t>::max() >> shift) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, ": found '", text,
                     "', expected a whole number of bytes below 2^64, or of K, M, G or T of them, "
                     "such as 4G"));
  }
  return count << shift;
}

absl::StatusOr<uint64_t> CacheLimit(const std::string& cache_size) {
  if (!cache_size.empty()) return ParseByteSize("--cache-size", cache_size);
  const char* variable = std::getenv(kCacheSizeVariable);
  if (variable == nullptr || *variable == '\0') return kDefaultCacheBytes;
  return ParseByteSize(kCacheSizeVariable, variable);
}

}  // namespace synap_internal
