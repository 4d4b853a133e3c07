#include <ostream>

#include "runtime/cli/synap_cli_nb.h"
#include "runtime/cli/terminal_streams.h"

int main(int argc, char** argv) {
  return synap_internal::RunOnTerminal([&](std::ostream& out, std::ostream& err) {
    return synap_internal::SynapCliNb({argv + 1, argv + argc}, out, err);
  });
}
