// Any bytes as a metafile: an error or a metafile, whose canonical text is a metafile again.

#include "compiler/metafile/metafile.h"

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "base/check.h"
#include "compiler/metafile/check_supported.h"
#include "compiler/metafile/stage_parts.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  synap::MetafileOptions options;
  options.environment = [](const std::string& name) { return name; };
  // Files that include others, and themselves.
  options.read_file = [](const std::string& path) -> absl::StatusOr<std::string> {
    if (path.size() % 3 == 0) return absl::NotFoundError("no such file");
    return path.size() % 3 == 1 ? "[1,2]" : "${FILE:a}${FILE:bc}";
  };
  const auto metafile = synap::ParseMetafile({reinterpret_cast<const char*>(data), size}, options);
  if (!metafile.ok()) {
    CHECK(!metafile.status().message().empty());
    return 0;
  }
  synap::CheckSupported(*metafile).IgnoreError();
  const std::string text = synap::CanonicalText(*metafile);
  const auto again = synap::ParseMetafile(text, options);
  CHECK(again.ok());
  CHECK(synap::CanonicalText(*again) == text);
  for (const auto part :
       {synap::ImportPart, synap::CalibratePart, synap::QuantizePart, synap::CompilePart}) {
    CHECK(synap::ParseMetafile(part(*metafile), options).ok());
  }
  return 0;
}
