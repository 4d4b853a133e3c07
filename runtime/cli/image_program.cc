#include "runtime/cli/image_program.h"

#include <ostream>

#include "absl/strings/str_format.h"

namespace synap_internal {

using synaptics::synap::InputData;
using synaptics::synap::InputType;
using synaptics::synap::Network;

std::string TimeLine(const char* what, int64_t preprocessed, int64_t inferred, int64_t done) {
  const auto milliseconds = [](int64_t microseconds) {
    return static_cast<double>(microseconds) / 1000;
  };
  return absl::StrFormat("%s time: %.2f ms (pre:%.2f, inf:%.2f, post:%.2f)\n", what,
                         milliseconds(done), milliseconds(preprocessed),
                         milliseconds(inferred - preprocessed), milliseconds(done - inferred));
}

absl::optional<int> ParseImageArgs(const std::vector<std::string>& args, ArgParser& parser,
                                   std::ostream& err) {
  const ArgParser::Outcome outcome = parser.Parse(args, err);
  if (outcome != ArgParser::Outcome::kRun) return outcome == ArgParser::Outcome::kHelp ? 0 : 1;
  if (!parser.data().empty()) return absl::nullopt;
  err << "No input image\n";
  return 1;
}

bool LoadModel(const ModelOptions& options, Network& network, std::ostream& out,
               std::ostream& err) {
  out << "Loading network: " << options.model() << "\n";
  out.flush();
  if (options.Load(network)) return true;
  err << "Failed to load model\n";
  return false;
}

bool IsReadable(const InputData& image) {
  const bool is_damaged = image.type() == InputType::encoded_image && image.dimensions().empty();
  return !image.empty() && !is_damaged;
}

int ForEachImage(const std::vector<std::string>& files, std::ostream& out, std::ostream& err,
                 const std::function<std::string(const std::string& file)>& process) {
  for (const std::string& file : files) {
    std::string error = process(file);
    out.flush();
    if (error.empty() && !out) error = "Error, unable to write the results";
    if (error.empty()) continue;
    err << error << "\n";
    return 1;
  }
  return 0;
}

}  // namespace synap_internal
