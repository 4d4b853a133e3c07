#include "compiler/import/archive_texts.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "compiler/import/archive.h"

namespace synap_internal {
namespace {

constexpr uint64_t kMostBytes = uint64_t{1} << 20;
constexpr size_t kMostTexts = 64;

}  // namespace

std::map<std::string, std::string> ReadArchiveTexts(absl::string_view bytes) {
  std::map<std::string, std::string> texts;
  const std::optional<Archive> archive = Archive::Open(bytes);
  if (!archive.has_value()) return texts;
  const std::vector<std::string>& names = archive->names();
  for (size_t i = 0; i < names.size() && texts.size() < kMostTexts; ++i) {
    if (!absl::EndsWith(names[i], ".txt") && !absl::EndsWith(names[i], ".json")) continue;
    std::optional<std::string> text = archive->Read(i, kMostBytes);
    if (text.has_value()) texts.emplace(names[i], *std::move(text));
  }
  return texts;
}

}  // namespace synap_internal
