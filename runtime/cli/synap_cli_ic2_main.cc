#include <unistd.h>

#include <iostream>

#include "runtime/cli/synap_cli_ic.h"

int main(int argc, char** argv) {
  return synap_internal::SynapCliIc2({argv + 1, argv + argc}, isatty(STDOUT_FILENO) != 0, std::cout,
                                     std::cerr);
}
