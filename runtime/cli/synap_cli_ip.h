// Program synap_cli_ip: runs networks whose output is an image.
#ifndef RUNTIME_CLI_SYNAP_CLI_IP_H_
#define RUNTIME_CLI_SYNAP_CLI_IP_H_

#include <iosfwd>
#include <string>
#include <vector>

namespace synap_internal {

// `args`: without the program's name. Returns the exit code.
int SynapCliIp(const std::vector<std::string>& args, std::ostream& out, std::ostream& err);

}  // namespace synap_internal

#endif  // RUNTIME_CLI_SYNAP_CLI_IP_H_
