#include <unistd.h>

#include <ostream>

#include "runtime/cli/synap_cli_ic.h"
#include "runtime/cli/terminal_streams.h"

int main(int argc, char** argv) {
  return synap_internal::RunOnTerminal([&](std::ostream& out, std::ostream& err) {
    return synap_internal::SynapCliIc2({argv + 1, argv + argc}, isatty(STDOUT_FILENO) != 0, out,
                                       err);
  });
}
