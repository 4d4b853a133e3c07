#include "compiler/metafile/check_supported.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace synap_internal {
namespace {

class Collector {
 public:
  explicit Collector(const Metafile& meta) : meta_(meta) {}

  void Add(SourceLocation location, absl::string_view what) {
    lines_.push_back(absl::StrCat(meta_.Where(location), ": ", what, " is not supported yet"));
  }

  absl::Status Finish() const {
    if (lines_.empty()) return absl::OkStatus();
    return absl::UnimplementedError(absl::StrJoin(lines_, "\n"));
  }

 private:
  const Metafile& meta_;
  std::vector<std::string> lines_;
};

void CheckDelegate(const LayerRules& delegate, Collector& unsupported) {
  if (delegate.per_layer) {
    unsupported.Add(delegate.rules.empty() ? SourceLocation{} : delegate.rules[0].location,
                    "'delegate' per layer");
    return;
  }
  for (const LayerRule& rule : delegate.rules) {
    if (rule.value == "gpu" || rule.value == "cpu") {
      unsupported.Add(rule.location, absl::StrCat("'delegate: ", rule.value, "'"));
    }
    if (!rule.options.empty()) {
      unsupported.Add(rule.location, absl::StrCat("the delegate option '", rule.options, "'"));
    }
  }
}

}  // namespace

absl::Status CheckSupported(const Metafile& metafile) {
  Collector unsupported(metafile);
  CheckDelegate(metafile.delegate, unsupported);
  if (metafile.security.has_value() && metafile.security->secure) {
    unsupported.Add(metafile.security->location, "'security'");
  }
  for (const InputSpec& input : metafile.inputs) {
    if (!input.security.empty()) unsupported.Add(input.location, "'security' of an input");
    if (input.preprocess.has_value() && input.preprocess->enabled()) {
      unsupported.Add(input.location, "'preprocess'");
    }
  }
  for (const OutputSpec& output : metafile.outputs) {
    if (!output.security.empty()) unsupported.Add(output.location, "'security' of an output");
  }
  return unsupported.Finish();
}

}  // namespace synap_internal
