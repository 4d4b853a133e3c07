// Program synap_init: keeps the NPU ready, or locked, for as long as it runs.
#ifndef RUNTIME_CLI_SYNAP_INIT_H_
#define RUNTIME_CLI_SYNAP_INIT_H_

#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

namespace synap_internal {

// `args`: without the program's name. With -i it returns after a line from `in`, else after
// `sleep`, which in the program never returns. Returns the exit code.
int SynapInit(const std::vector<std::string>& args, std::istream& in, std::ostream& out,
              std::ostream& err, const std::function<void()>& sleep);

}  // namespace synap_internal

#endif  // RUNTIME_CLI_SYNAP_INIT_H_
