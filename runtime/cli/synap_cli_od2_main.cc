#include <unistd.h>

#include <iostream>

#include "runtime/cli/synap_cli_od.h"

int main(int argc, char** argv) {
  return synap_internal::SynapCliOd2({argv + 1, argv + argc}, isatty(STDOUT_FILENO) != 0, std::cout,
                                     std::cerr);
}
