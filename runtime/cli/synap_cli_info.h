// Program synap_cli_info: lists and describes the contents of a model.
#ifndef RUNTIME_CLI_SYNAP_CLI_INFO_H_
#define RUNTIME_CLI_SYNAP_CLI_INFO_H_

#include <iosfwd>
#include <string>
#include <vector>

namespace synap_internal {

// `args`: without the program's name. Returns the exit code.
int SynapCliInfo(const std::vector<std::string>& args, std::ostream& out, std::ostream& err);

}  // namespace synap_internal

#endif  // RUNTIME_CLI_SYNAP_CLI_INFO_H_
