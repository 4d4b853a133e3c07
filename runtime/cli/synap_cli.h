// Program synap_cli: runs a network on files or generated data and measures it.
#ifndef RUNTIME_CLI_SYNAP_CLI_H_
#define RUNTIME_CLI_SYNAP_CLI_H_

#include <iosfwd>
#include <string>
#include <vector>

namespace synap_internal {

// `args`: without the program's name. Returns the exit code.
int SynapCli(const std::vector<std::string>& args, std::ostream& out, std::ostream& err);

// "Inference timings (ms):  load: ...", with statistics of `times` (milliseconds of each run).
// REQUIRES: times isn't empty.
std::string TimingLine(double load, double init, std::vector<double> times);

}  // namespace synap_internal

#endif  // RUNTIME_CLI_SYNAP_CLI_H_
