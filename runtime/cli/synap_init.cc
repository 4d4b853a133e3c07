#include "runtime/cli/synap_init.h"

#include <istream>
#include <ostream>

#include "absl/strings/str_join.h"
#include "runtime/cli/arg_parser.h"
#include "runtime/cli/npu_option.h"
#include "synap/npu.hpp"

namespace synap_internal {

int SynapInit(const std::vector<std::string>& args, std::istream& in, std::ostream& out,
              std::ostream& err, const std::function<void()>& sleep) {
  ArgParser parser("synap_init", "Keeps the NPU ready, or locked, until this program ends.", "");
  bool is_interactive = false;
  NpuOption npu;
  parser.Flag("-i", "End when enter is pressed", &is_interactive);
  npu.Declare(parser);
  const ArgParser::Outcome outcome = parser.Parse(args, err);
  if (outcome != ArgParser::Outcome::kRun) return outcome == ArgParser::Outcome::kHelp ? 0 : 1;
  if (!parser.data().empty()) {
    err << "synap_init takes no '" << absl::StrJoin(parser.data(), " ") << "', only options\n";
    return 1;
  }
  if (!synaptics::synap::Npu().available()) {
    err << "NPU not available\n";
    return 1;
  }
  if (!npu.Apply(out, err)) return 1;
  out << (is_interactive ? "NPU ready, press enter to exit.\n" : "NPU ready.\n");
  out.flush();
  if (is_interactive) {
    std::string line;
    std::getline(in, line);
  } else {
    sleep();
  }
  return 0;
}

}  // namespace synap_internal
