// Program synap_cli_nb: describes and runs a model of two files, model.nb and model.json, which
// `synap convert --out-format nb` writes.
#ifndef RUNTIME_CLI_SYNAP_CLI_NB_H_
#define RUNTIME_CLI_SYNAP_CLI_NB_H_

#include <iosfwd>
#include <string>
#include <vector>

namespace synap_internal {

// `args`: without the program's name. Returns the exit code.
int SynapCliNb(const std::vector<std::string>& args, std::ostream& out, std::ostream& err);

}  // namespace synap_internal

#endif  // RUNTIME_CLI_SYNAP_CLI_NB_H_
