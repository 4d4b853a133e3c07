// Programs synap_cli_od and synap_cli_od2: detect objects in images.
#ifndef RUNTIME_CLI_SYNAP_CLI_OD_H_
#define RUNTIME_CLI_SYNAP_CLI_OD_H_

#include <iosfwd>
#include <string>
#include <vector>

namespace synap_internal {

// `args`: without the program's name. Prints tables to a terminal, else JSON.
// Returns the exit code.
int SynapCliOd(const std::vector<std::string>& args, bool is_terminal, std::ostream& out,
               std::ostream& err);

// The same with two networks, of which the first prepares the images.
int SynapCliOd2(const std::vector<std::string>& args, bool is_terminal, std::ostream& out,
                std::ostream& err);

}  // namespace synap_internal

#endif  // RUNTIME_CLI_SYNAP_CLI_OD_H_
